#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/evaluator.h"
#include "core/analysis/rows_first.h"
#include "core/base/progress.h"
#include "core/model/program.h"

namespace cleave {

/// What a value depends on. Structure values depend on the graph (indices, edge weights, sizes) but on no node feature.
enum class Reach : std::uint8_t { Constant, Structure, Feature };

/// What a feature tensor's row dimension counts. Graph: the tensor has no rows that a batch could take; it is there once for the whole
/// graph, such as a mean over all nodes.
enum class Rows : std::uint8_t { None, Nodes, Edges, Graph };

struct ValueFacts {
    Reach reach = Reach::Constant;
    Rows rows = Rows::None;  ///< of feature tensors
    int rowDim = -1;         ///< the dimension that holds the rows
    int nodeType = -1;       ///< of node rows: into Analysis::nodeTypes
    int level = -1;          ///< of feature values: the function of the plan at message degree that computes them (Analysis::levelOf)
    std::int64_t outer = 1;  ///< entry (o * rows + i) * inner + j of rowDim belongs to row i, for o < outer and j < inner: attention
    std::int64_t inner = 1;  ///< over heads views [rows, heads, F] as [rows * heads, F]. Also of structure beside it, such as masks
};

enum class OpKind : std::uint8_t {
    Constant,  ///< depends on weights only: computed once when the model is opened
    Prologue,  ///< depends on the graph only: computed once on the whole graph
    RowWise,   ///< output row i depends on row i of its operands
    Gather,    ///< reads rows at an index
    Scatter,   ///< reduces rows into node rows at the segment index
    Concat,    ///< puts rows of its operands after each other: the rows of a new edge set
    Global,    ///< needs all nodes at once: runs over stored tensors, between functions
};

struct OpFacts {
    OpKind kind = OpKind::Constant;
    std::vector<int> operandRowDims;  ///< of ops on features, and on structure with several entries for a row, in forEachOperand order: the operand's
                                      ///< row dimension, -1 for read whole
    ValueId index;                    ///< gathers and scatters: the structure value behind the views of the index argument
    bool expands = false;             ///< gathers: needs rows of nodes other than the target
    bool probed = false;              ///< found to be row-wise by running it, not by the table
};

/// How often a clean-up pass applied.
struct PassCount {
    std::string pass;  ///< "dropout in eval", "equal structure ops"
    int count = 0;

    bool operator==(const PassCount&) const = default;
};

/// Nodes that are counted together: of a graph of one kind, or the papers, or the authors. Rows of several types after each other are rows of
/// a type of their own; so are other rows that edges are reduced into, such as edges themselves, or that a global op runs over.
struct NodeType {
    std::string symbol;  ///< the size that counts them: "s0", or "Add(s0, s1)"
    std::string name;    ///< "nodes", or from the names of their features: "paper", "paper + author"; "edges"
    std::string size;    ///< how sizes write it where it is not V and the name: "M", "V + 1"

    bool operator==(const NodeType&) const = default;
};

/// A program that can be cut, in functional form and cleaned up, and what is known about it.
struct Analysis {
    Program program;
    std::vector<PassCount> passes;
    std::vector<PassCount> rewrites;  ///< of rewrites.h, that were applied
    IdMap<ValueId, ValueFacts> values;
    IdMap<OpId, OpFacts> ops;
    std::vector<NodeType> nodeTypes;  ///< at least one
    int levels = 0;                   ///< the highest level
    int storedEdges = 0;              ///< of the node types, those of edges that would be computed again and again otherwise
    int matrices = 0;                 ///< adjacency matrices among the inputs, whose place edges take
    int ownMatrices = 0;              ///< and of those that the program makes itself
    int inPlace = 0;                  ///< ops that changed a tensor of the model as it was read
    int restated = 0;  ///< updates at masks that are computed for all rows, pairs that are put back, and rows that are read at tables and indices instead
    bool repeatsEdges = false;        ///< rows of edges are computed again and again that could be stored
    std::vector<FreeSize> freeSizes;  ///< sizes of inputs that are numbers of this program, but not of the model

    int types() const { return static_cast<int>(nodeTypes.size()); }
    bool isGiven(int nodeType) const;  ///< nodes that have features of their own, not rows that the program makes of others
    int onlyGiven() const;             ///< the type that alone is given; -1 if there are several
    int typeCountedBy(const std::string& symbol) const;  ///< -1 if the size does not count nodes

    /// Functions follow each other by message degree (number of expanding hops, and of global ops, from the input features), and each is over
    /// nodes of one type. Of a graph of one node type the level is the message degree.
    int levelOf(int degree, int nodeType) const { return degree * types() + nodeType; }
    int degreeOf(int level) const { return level / types(); }
    int typeOf(int level) const { return level % types(); }
};

struct AnalysisOptions {
    std::map<std::string, Role> roles;  ///< by name of an input or parameter, instead of the guess
    bool takesOwnMatrices = true;       ///< edges may take the place of matrices that the program makes itself
    KnownInputSizes sizes = {};         ///< what is known of FreeSize: from a graph's arrays, or a plan
};

/// Rows of parameters that forward reads in parts only, and at indices, such as those of users and those of items, become parameters of their own.
void divideTables(Program& program);

/// A parameter that is given the role node features, alone or with those that it is concatenated with, becomes an input, and its number of rows the
/// number of nodes wherever it stands. Error if it cannot have the role.
void promoteParameters(Program& program, const std::map<std::string, Role>& chosen);

/// Sizes of lists of integers among the inputs that are ends of edges between rows of parameters: rows of one are read at such a list, and sums of as
/// many rows are made at one as long.
std::set<std::string> sizesOfEnds(const Program& program);

/// The same as promoteParameters() for parameters whose rows edges read, by their index or as a matrix: where forward takes no node features, they
/// are these. So are rows that forward computes from parameters alone, by the evaluator. Leaves a note.
void promoteReadByEdges(Program& program, const Evaluator& evaluator);

/// Sets the role of each input from its name, type and symbolic shape, then applies the user's. Error for a name that is no input's.
void assignRoles(Program& program, const std::map<std::string, Role>& chosen);

/// Functional form, clean-up passes, roles, structure values, row domains and message degree (design: section 5).
/// Error naming op, module and source line for the first op that cannot be shown to be cut exactly.
Analysis analyse(Program program, const AnalysisOptions& options, const Evaluator& evaluator, const Progress& progress = {});

/// The same for a program in functional form and cleaned up whose inputs have roles. storesEdges: rows of edges that several functions would compute
/// again, at more than it costs to store them, are counted as those of nodes.
Analysis analyseClean(Program program, const Evaluator& evaluator, const Progress& progress = {}, bool storesEdges = false);

/// What counts the rows that an input's entries name, by its position along the first dimension (an edge index [2, M] has two, a list one): sizes of
/// what is read at them, or reduced into, some several times. Empty where the program does not tell, since it computes the index.
std::vector<std::vector<Dim>> rowsNamedBy(const Program& program, ValueId input);

/// The symbols among them. inParts: also of what is read at a part of an edge index, at it with loops behind, or the other way round.
std::vector<std::set<std::string>> sizesNamedBy(const Program& program, ValueId input, bool inParts = false);

/// How many rows an input divides, if its entries are where those of each of something begin, and where the last ones end (ptr, rowptr).
std::optional<Dim> rowsDividedBy(const Program& program, ValueId input);

/// How many rows an input's entries add up to, if they say how many each of something has (counts of nodes for repeat_interleave). The size may be
/// one that only running the program tells.
std::optional<Dim> rowsRepeatedBy(const Program& program, ValueId input);

/// The node types that these sizes count. Where the program does not tell, the only one that has features; empty if there are several.
std::vector<std::set<int>> typesNamedBy(const Analysis& analysis, ValueId input);

/// Whether the op reads rows of nodes: a global op that does must wait for all of them.
bool readsNodes(const Analysis& analysis, OpId op);

/// The value behind views that repeat whole rows: what a gather's or scatter's index argument really is.
ValueId viewRoot(const Program& program, ValueId value);

}  // namespace cleave
