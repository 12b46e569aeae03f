#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/graph/blocks.h"
#include "core/graph/marks.h"
#include "core/run/edge_product.h"
#include "core/run/lowering.h"
#include "core/run/run.h"

/// Private to core/run.
namespace cleave {

/// The nodes in the order in which a function's batches take them, and the edges into them in that order.
struct Traversal {
    int nodeType = 0;
    at::Tensor order, place;     ///< [V] int64 each: the nodes in order, and where each is; undefined for the natural order
    std::int64_t count = 0;      ///< how many of them are computed, from the first
    std::map<ValueId, EdgesBySegment> edges;  ///< by segment, at the latest before functions run
    at::Tensor ofAll;                         ///< [count] int64: of some nodes, where each is among all of its type; undefined: these are all
    std::set<ValueId> fromAll;                ///< segments whose edges are taken from those into all nodes
    std::map<std::pair<ValueId, ValueId>, at::Tensor> grouped;        ///< structure rows in the order of a segment's edges; undefined: will be
    std::map<std::pair<ValueId, ValueId>, int> rowDims;               ///< where they lie in it
    std::map<std::tuple<ValueId, ValueId, int>, at::Tensor> sources;  ///< an index into nodes of a type in that order, as int32; undefined: will be

    at::Tensor placesOf(const at::Tensor& nodes) const;
};

/// What batches of a function are given of the graph.
struct FunctionReads {
    std::vector<FunctionInput> inputs;  ///< of all that may be run of it
    bool isNumbered = false;            ///< nodes of a batch are numbered
};

/// What batches read when all that can be lies in the order of the edges.
struct Retained {
    std::set<ValueId> structure;  ///< values that are read as they are
    std::set<ValueId> edgeIds;    ///< segments whose edges are known by their ids
};

/// In which batches take the nodes of each type, each once; empty: the natural order.
struct NodeOrders {
    std::vector<std::vector<std::int64_t>> ofTypes;
    double bytes = 0;  ///< the most memory that finding them took at one time
};

/// A graph as the functions of a cut program go through it: what the prologue makes of it (structure), how many nodes there are, and for each
/// function nodes and edges in the order in which its batches take them.
class OrderedGraph {
public:
    /// Evaluates the prologue. Error if the graph does not fit the model; edges are grouped, and those that lead nowhere found, when that is asked
    /// for.
    OrderedGraph(const Analysis& analysis, const CutProgram& cut, const Constants& constants, const Bindings& inputs, Kernels kernels,
                 const Progress& progress);

    std::int64_t numNodes(int nodeType = 0) const { return m_numNodes[static_cast<std::size_t>(nodeType)]; }
    const std::vector<std::int64_t>& nodesOfTypes() const { return m_numNodes; }
    std::int64_t mostNodes() const { return *std::ranges::max_element(m_numNodes); }  ///< of a type
    std::int64_t mostEdgesPerNode() const;
    std::int64_t total(const std::vector<RowTotal>& rows) const;

    /// That a function's batches go through: of nodes, those that are computed, of the type of which there are most.
    std::int64_t rowsOf(const CutFunction& function) const;
    std::int64_t rowsOf(const CutFunction& function, ValueId saved) const;  ///< of a tensor that it saves
    std::int64_t nodesOf(const CutFunction& function) const { return numNodes(function.nodeType); }

    const at::Tensor& structure(ValueId value) const;                 ///< a tensor of the prologue or of the model
    const c10::IValue& known(ValueId value) const;                    ///< also a number
    const c10::IValue* computed(ValueId value) const;                 ///< of the prologue alone; null: it is not, or is not there any more
    /// Of what the prologue made, or of what of it is retained: without the graph's own arrays; views share their memory.
    double structureBytes(const Retained* retained = nullptr) const;
    double prologueBytes() const { return m_prologueBytes; }  ///< most memory that it took
    double prologueSeconds() const { return m_prologueSeconds; }
    std::map<std::string, std::int64_t> sizes() const;  ///< of structure, by symbol

    /// Sentences on rows of several edges that are written to one node: nothing says which of them stays.
    std::vector<std::string> overwrittenRows() const;

    /// Nodes of one type in the order in which batches take them, each once; empty: the natural order.
    void setOrder(const std::vector<std::int64_t>& order, int nodeType = 0);
    void setOrders(const std::vector<std::vector<std::int64_t>>& orders);  ///< of each type

    /// Nothing of what a function saves is wanted: it has no rows.
    void leaveOut(const CutFunction& function) { m_leftOut.insert(indexOf(function)); }
    bool isLeftOut(const CutFunction& function) const { return m_leftOut.contains(indexOf(function)); }

    /// Of a type's nodes, those that are marked come first in this function, and only they are computed. Error if an edge leads to no node.
    void computeOnly(const CutFunction& function, int type, const Marks& marked, const Progress& progress);

    /// Whether a function computes nodes, and reads no edges but those into them: what it needs is known before edges are grouped.
    bool readsOnlyInto(const CutFunction& function) const;

    const std::vector<Traversal>& traversals() const { return m_traversals; }
    const Traversal& of(const CutFunction& function) const { return of(function, function.nodeType); }
    const Traversal& of(const CutFunction& function, int type) const;
    bool goAlike(const CutFunction& a, const CutFunction& b) const { return m_traversalOf[indexOf(a)] == m_traversalOf[indexOf(b)]; }
    std::size_t indexOf(const CutFunction& function) const { return static_cast<std::size_t>(&function - m_cut.functions.data()); }

    /// Groups edges and puts structure into their order: all edges with their ids, or those and that which functions read. What is not in the order
    /// of edges then, but is read, is computed where it was put off.
    void groupAllEdges(const Progress& progress);
    void groupAllEdges(const CutFunction& function, const Progress& progress);
    Retained group(const std::vector<FunctionReads>& reads, const Progress& progress);
    void groupStructure(const CutFunction& function, const std::vector<FunctionInput>& inputs);
    void computeProducts(const std::set<ValueId>& values, const Progress& progress);  ///< that were put off
    void release(const Retained& retained);                                           ///< all else

    /// Structure that lies in the order of the edges into targets as a whole, and an index, likewise, as edge programs read it; null: it does not.
    const at::Tensor* groupedAt(const CutFunction& function, const StepOperand& operand) const;
    const at::Tensor* sourcesAt(const CutFunction& function, const StepOperand& index) const;

private:
    struct Columns;

    Traversal& changed(const CutFunction& function, int type);
    Traversal traversalOf(const std::vector<std::int64_t>& order, int nodeType) const;
    void takeNaturalOrder();
    std::set<ValueId> wantedOfPrologue();
    void groupEdges(Traversal& traversal, ValueId segment, std::span<const EdgeWords> columns, const Progress& progress) const;
    void groupEdges(const Retained& kept, const Progress& progress);
    void groupWithIds(Traversal& traversal, ValueId segment, const Progress& progress);
    void takeFromAll(Traversal& traversal);
    void dropUnread(Traversal& traversal);
    at::Tensor productOfSome(const Traversal& traversal, const std::pair<ValueId, ValueId>& key) const;
    std::set<ValueId> segmentsOf(const Traversal& traversal) const;
    std::set<ValueId> segmentsTakenFrom(const Traversal& traversal);
    Traversal& ofAllNodes(const Traversal& traversal) { return m_traversals[static_cast<std::size_t>(traversal.nodeType)]; }
    std::optional<Columns> columnsOf(Traversal& traversal, ValueId segment) const;
    template <class Visit>
    static void forEachOrdered(const CutFunction& function, const std::vector<FunctionInput>& inputs, Visit visit);
    void expectStructure(const CutFunction& function, const std::vector<FunctionInput>& inputs);
    Retained retained(const std::vector<FunctionReads>& reads) const;

    const Analysis& m_a;
    const CutProgram& m_cut;
    const Constants& m_constants;
    Kernels m_kernels;
    std::map<ValueId, c10::IValue> m_structure;
    std::map<ValueId, EdgeProduct> m_products;            // structure that is computed only if it is read otherwise than in the order of edges
    std::vector<std::int64_t> m_numNodes;                 // of each type
    double m_prologueBytes = 0;
    std::set<const void*> m_given;                        // memory of the inputs
    std::vector<Traversal> m_traversals;                  // the first are those of all nodes of each type
    std::vector<std::vector<std::size_t>> m_traversalOf;  // each function, by node type
    std::set<std::size_t> m_leftOut;                      // functions
    double m_prologueSeconds = 0;
};

/// The entries of an index, counted from the first of so many nodes, at these edges, in 32 bits; -1 for what names no node. It has one for each.
at::Tensor toSources(const at::Tensor& index, std::span<const std::int64_t> edges, std::int64_t nodes);

/// The targets of a batch are numbered as they follow each other: whether an operand is where they stand.
bool isTargetPlace(const CutFunction& function, const StepOperand& operand);

/// Whether nodes of a batch are numbered for a function that is run so.
bool needsNumbers(const CutFunction& function, const LoweredFunction& lowered);

}  // namespace cleave
