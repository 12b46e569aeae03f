#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "core/graph/blocks.h"
#include "core/plan/counts.h"
#include "core/plan/rates.h"
#include "core/run/device.h"
#include "core/run/device_store.h"
#include "core/run/edge_product.h"
#include "core/run/lowering.h"
#include "core/run/run.h"

namespace cleave {

class Numbering;
class StoreFolder;

using Numberings = std::vector<Numbering>;  ///< of nodes of each type

using Tensors = std::map<ValueId, at::Tensor>;
using AfterFunction = std::function<void(std::size_t function, const Tensors& store)>;

constexpr std::int64_t exactEdges = 1'000'000;  ///< below, rows are counted, above from some batches
constexpr int sampleBlocks = 16;                ///< that ops are measured on

/// Runs a cut program on one graph: prologue once, then function by function, batch by batch.
class LayerWise {
public:
    /// Evaluates the prologue. Error if the graph does not fit the model; edges are grouped, and those that lead nowhere found, by what runs or counts.
    LayerWise(const Analysis& analysis, const CutProgram& cut, const Constants& constants, const Bindings& inputs, Kernels kernels,
              const Progress& progress);
    ~LayerWise();

    /// Nodes of one type in the order in which batches take them, each once; empty: the natural order. Set before run.
    void setOrder(const std::vector<std::int64_t>& order, int nodeType = 0);
    void setOrders(const std::vector<std::vector<std::int64_t>>& orders);  ///< of each type

    /// Only these nodes are asked for: each function computes the rows that they need, and outputs have a row for each of them, as they come.
    /// Set after the order, before run. Error for a node that is not there, or outputs that have no node rows or those of several types.
    void setTargets(const std::vector<std::int64_t>& nodes, const Progress& progress = {});

    /// Batches that run at once, each on one thread; 1: one after the other, on all threads; 0 (the default) chooses. Set before run.
    void setBatchesAtOnce(int batches) { m_batchesAtOnce = batches; }

    /// Targets whose edges are reduced before batches run on them: 0 (the default): where rows come from files, for as many as there is memory for;
    /// -1: never. Set before run.
    void setGatherAtOnce(std::int64_t targets, OwnRows ownRows = OwnRows::Auto)
    {
        m_gatherAtOnce = targets;
        m_ownRows = ownRows;
    }

    /// Functions run there if they can: for the others there is a notice, or Error if strict. functions: which of the program are to, empty: all. Set
    /// before run.
    void setDevice(std::shared_ptr<Device> device, bool strict, const std::vector<bool>& functions = {});
    void gatherThere() { m_gathersThere = true; }  ///< rows of the store that do not fit, by the device where it can read them. Set before run
    void chooseBatchesThere()
    {
        m_choosesThere = true;
    }  ///< their sizes by the memory of the device, whatever those on the processor are. Set before run
    const std::vector<std::string>& notices() const { return m_notices; }

    /// Structure that is not read any more is freed before the first function: run is called once, and nothing else after it but countBlocks.
    void runOnce() { m_runsOnce = true; }

    /// Save points of float32 are kept as bfloat16, but not what the caller gets. Set before run.
    void narrowStore();

    /// Save points become files of this folder, and functions that are done there are not run again. Set before run; the folder must live as long.
    void keepIn(StoreFolder& folder) { m_folder = &folder; }

    /// batchSize >= 1 rows per batch. Returns the program's outputs in order.
    std::vector<at::Tensor> run(std::int64_t batchSize, const Progress& progress);

    /// Rows of all functions in batches of this size: exact, or where there are more edges than mostEdges from some batches, between which
    /// the number of edges decides. Runs nothing.
    GraphCounts count(std::int64_t batchSize, std::int64_t mostEdges, const Progress& progress);

    /// Times of each op on some batches, rows of earlier functions made up. What the store holds afterwards is of no use.
    Profile profile(std::int64_t batchSize, int samples, const Progress& progress);

    const std::vector<FunctionRun>& functions() const { return m_runs; }
    /// Fills in the blocks' nodes of functions that did not number them: exact, or estimated where there are more edges than mostEdges. What it
    /// counted, without bytes of structure.
    GraphCounts countBlocks(std::int64_t batchSize, std::int64_t mostEdges, const Progress& progress);

    double prologueSeconds() const { return m_prologueSeconds; }
    std::int64_t numNodes(int nodeType = 0) const { return m_numNodes[static_cast<std::size_t>(nodeType)]; }
    const std::vector<std::int64_t>& nodesOfTypes() const { return m_numNodes; }
    std::int64_t mostNodes() const { return *std::ranges::max_element(m_numNodes); }  ///< of a type
    std::int64_t mostEdgesPerNode() const;

    /// Called after each function, with what the store holds then: what it reads, and what it saves. Set before run.
    void observe(AfterFunction after) { m_after = std::move(after); }

    /// Save points that are kept to the end instead of being freed after their last reader; set before run.
    void keepAll() { m_keepAll = true; }
    const Tensors& store() const { return m_store; }

private:
    struct Range {
        std::int64_t first = 0, last = 0;
    };

    struct Batch;
    struct Gathered;
    struct Running;

    // Bytes that gathering takes: what is reduced, and what is read edge by edge.
    struct GatheringBytes {
        std::int64_t target = 0, edge = 0;
        bool isOfAll = false;  // targets without edges take as much as the others
    };
    struct Part {
        std::int64_t end = 0;  // target behind it
        double bytes = 0;
    };

    // A function as it is run: at once, or in two parts.
    struct Parts {
        LoweredFunction whole;  // or the rest, where `gathering` is there
        std::optional<LoweredFunction> gathering;
        std::vector<GatheringFunction::Output> gathered;
        std::optional<OwnRowsFunction> withOwnRows;  // another way, or the one that is taken
        bool takesOwnRows = false;
        bool isOnDevice = false;

        std::vector<FunctionInput> inputs() const;  // of all that may be run
    };

    // The nodes in the order in which a function's batches take them, and the edges into them in that order.
    struct Traversal {
        int nodeType = 0;
        at::Tensor order, place;  // [V] int64 each: the nodes in order, and where each is; undefined for the natural order
        std::int64_t count = 0;   // how many of them are computed, from the first
        std::set<ValueId> segments;  // that edges are grouped by, at the latest before functions run
        std::map<ValueId, EdgesBySegment> edges;
        std::map<std::pair<ValueId, ValueId>, at::Tensor> grouped;        // structure rows in the order of a segment's edges; undefined: will be
        std::map<std::pair<ValueId, ValueId>, int> rowDims;               // where they lie in it
        std::map<std::tuple<ValueId, ValueId, int>, at::Tensor> sources;  // an index into nodes of a type in that order, as int32; undefined: will be

        at::Tensor placesOf(const at::Tensor& nodes) const;
    };
    struct Retained {
        std::set<ValueId> structure, edgeIds;
    };
    struct Columns;

    GraphCounts rowsOfAll(std::int64_t batchSize, std::int64_t mostEdges, const Progress& progress);
    FunctionRows countRows(const CutFunction& function, std::int64_t batchSize, std::int64_t mostEdges, double& error, const Progress& progress);
    void groupEdges(Traversal& traversal, ValueId segment, std::span<const EdgeWords> columns, const Progress& progress) const;
    void groupEdges(Traversal& traversal, const std::set<ValueId>& segments, const Progress& progress) const;
    void groupEdges(const Retained& kept, const Progress& progress);
    std::optional<Columns> columnsOf(Traversal& traversal, ValueId segment) const;
    std::set<ValueId> wantedOfPrologue();
    void computeProducts(const std::set<ValueId>& values, const Progress& progress);
    void groupAllEdges(const Progress& progress);
    template <class Visit>
    static void forEachOrdered(const CutFunction& function, const std::vector<FunctionInput>& inputs, Visit visit);
    void expectStructure(const CutFunction& function, const std::vector<FunctionInput>& inputs);
    Traversal traversalOf(const std::vector<std::int64_t>& order, int nodeType) const;
    const Traversal& of(const CutFunction& function) const { return of(function, function.nodeType); }
    Traversal& of(const CutFunction& function) { return of(function, function.nodeType); }
    const Traversal& of(const CutFunction& function, int type) const;
    Traversal& of(const CutFunction& function, int type);
    void computeOnly(std::size_t f, int type, const std::map<ValueId, std::vector<bool>>& needed, const Progress& progress);
    void addReads(const CutFunction& function, std::int64_t count, std::map<ValueId, std::vector<bool>>& needed) const;
    std::int64_t rowsOf(const CutFunction& function) const;
    std::int64_t nodesOf(const CutFunction& function) const { return numNodes(function.nodeType); }
    std::int64_t rowsOf(ValueId value, const Running& running) const;
    int targetType() const;
    Batch block(const CutFunction& function, std::int64_t first, std::int64_t last, Numberings* numbers, const at::Tensor& live = {}) const;
    bool isWhole(const CutFunction& function, std::int64_t targets) const;
    Range targets(const CutFunction& function, Range batch, int type) const;
    void addRows(const CutFunction& function, int hops, Batch& batch) const;
    void addNeighbours(const CutFunction& function, int hops, Batch& batch) const;
    at::Tensor fromFirst(const Frame& frame, const at::Tensor& numbers) const;
    static at::Tensor edgesInto(const EdgesBySegment& edges, const at::Tensor& places);
    at::Tensor nodesAt(const StepOperand& operand, const Batch& batch) const;
    at::Tensor numbersInBatch(const at::Tensor& nodes, int type, const Batch& batch) const;
    void number(const at::Tensor& nodes, int type, Batch& batch) const;
    std::int64_t total(const std::vector<RowTotal>& rows) const;
    Parts partsOf(std::size_t function);
    Parts partsOnCpu(std::size_t function) const;
    Parts partsOn(c10::Device place, const CutFunction& function) const;
    std::string whyNotOnDevice(const CutFunction& function, const LoweredFunction* lowered = nullptr) const;
    void notOnDevice(const CutFunction& function, const std::string& reason);
    bool staysOnDevice(Running& running);
    void runOnDevice(Running& running, std::int64_t batchSize, const Progress& progress);
    void checkSourcesOf(const LoweredFunction& lowered, const std::vector<c10::IValue>& inputs, const Batch& batch) const;
    std::map<std::size_t, double> bytesAnywhere(const LoweredFunction& lowered) const;
    bool mayLieOnDevice(ValueId value) const;
    bool isReadOnDevice(ValueId value, std::size_t after) const;
    bool isReadOnHost(ValueId value, std::size_t after) const;
    const at::Tensor* onDevice(const FunctionInput& in) const;
    std::vector<bool> makeRoomOnDevice(const Running& running);
    bool readsMost(const CutFunction& function) const;
    bool bringToDevice(Running& running, std::vector<ValueId>& brought);
    std::map<std::size_t, const at::Tensor*> bringStructure(Running& running);
    void bringToHost(ValueId value);
    const at::Tensor& stored(ValueId value) const;
    std::size_t indexOf(const CutFunction& function) const { return static_cast<std::size_t>(&function - m_cut.functions.data()); }
    std::set<ValueId> readFromFiles(const CutFunction& function) const;
    Retained retained(const std::vector<Parts>& lowered) const;
    void release(const Retained& retained);
    double structureBytes(const Retained* retained) const;
    double tensorBytes(const Value& value) const;
    void requireMemoryAtOnce(const CutFunction& function) const;
    void runFunction(std::size_t index, Parts parts, std::int64_t batchSize, const Progress& progress);
    GatheringBytes bytesOf(const CutFunction& function, const LoweredFunction& gathering) const;
    std::vector<ValueId> segmentsIntoTargets(const CutFunction& function) const;
    void gather(Running& running, std::int64_t first, const Progress& progress);
    std::vector<at::Tensor> gathered(Running& running, std::int64_t first) const;
    at::Tensor withOwnRows(const Running& running, std::int64_t first) const;
    bool callLibraries(const CutFunction& function, const Parts& parts) const;
    void chooseWay(Running& running) const;
    bool canDivide(const Running& running) const;
    at::Tensor divisorsOf(const CutFunction& function, const OwnRowsFunction& way, std::int64_t first, std::int64_t last) const;
    GatheringBytes bytesOf(const OwnRowsFunction& function) const;
    void runBatches(Running& running, std::int64_t first, std::int64_t batchSize, const Progress& progress);
    Part partFrom(const Running& running, const GatheringBytes& each, std::int64_t first, double most) const;
    double parts(const Running& running, const GatheringBytes& each) const;
    at::Tensor liveTargets(const CutFunction& function, const LoweredFunction& gathering, std::int64_t first, std::int64_t last) const;
    at::Tensor gatheredRows(int output, const Batch& batch) const;
    at::Tensor newStore(ValueId value, const std::vector<std::int64_t>& sizes, const at::Tensor& rows, const CutFunction& function) const;
    at::Tensor asRead(ValueId value, const at::Tensor& rows) const;
    bool takeFinished(std::size_t index);
    void runRows(Running& running, std::int64_t first, std::int64_t last, Numberings& numbers);
    void runBatch(Running& running, std::int64_t first, std::int64_t last, Numberings& numbers);
    void groupStructure(const CutFunction& function, const std::vector<FunctionInput>& inputs);
    void takeNaturalOrder();
    std::int64_t batchSizeOf(const CutFunction& function, std::int64_t batchSize) const;
    int atOnce(std::int64_t batches) const;
    bool isTargetPlace(const CutFunction& function, const StepOperand& operand) const;
    static at::Tensor toSources(const at::Tensor& index, std::span<const std::int64_t> edges, std::int64_t nodes);
    bool needsNumbers(const CutFunction& function, const LoweredFunction& lowered) const;
    std::vector<c10::IValue> inputs(const LoweredFunction& lowered, const Batch& batch) const;
    c10::IValue inputOf(const FunctionInput& in, const Batch& batch) const;
    static at::Tensor orderOf(const std::vector<int>& parts, const Batch& batch);
    at::Tensor beginOf(int frame, const Batch& batch) const;
    at::Tensor sourcesOf(const StepOperand& operand, const Batch& batch) const;
    Range edgesIn(int frame, const Batch& batch) const;
    at::Tensor edgesOf(const at::Tensor& grouped, int rowDim, int frame, const Batch& batch) const;
    const at::Tensor* groupedAt(const CutFunction& function, const StepOperand& operand) const;
    const at::Tensor* sourcesAt(const CutFunction& function, const StepOperand& index) const;
    c10::IValue input(const StepOperand& operand, const Batch& batch) const;
    void noteOverwrites();
    const at::Tensor& structure(ValueId value) const;
    at::Tensor storedRows(const StepOperand& operand, const Batch& batch) const;
    at::Tensor sliced(const at::Tensor& whole, int rowDim, int frame, const Batch& batch) const;
    void save(ValueId value, const at::Tensor& rows, const Batch& batch, const Running& running);
    void freeAfter(std::size_t function);

    const Analysis& m_a;
    const CutProgram& m_cut;
    const Constants& m_constants;
    std::map<ValueId, c10::IValue> m_structure;
    std::map<ValueId, EdgeProduct> m_products;  // structure that is computed only if it is read otherwise than in the order of edges
    std::vector<Traversal> m_traversals;      // the first are those of all nodes of each type
    std::vector<std::vector<std::size_t>> m_traversalOf;  // each function, by node type
    at::Tensor m_targets;                     // [n] int64: the nodes that are asked for; undefined: all
    Tensors m_store;
    StoreFolder* m_folder = nullptr;
    std::set<ValueId> m_narrow;               // save points that are kept as bfloat16
    std::vector<FunctionRun> m_runs;
    std::unique_ptr<Numberings> m_numbers;  // of whoever runs batches one by one
    std::vector<std::int64_t> m_numNodes;  // of each type
    Kernels m_kernels;
    std::shared_ptr<Device> m_device;      // null: the processor
    bool m_strictDevice = false, m_choosesThere = false, m_gathersThere = false;
    std::vector<bool> m_wished, m_isOnDevice;  // by function: is to run there; does, as far as is known
    std::optional<DeviceStore> m_there;
    std::vector<std::string> m_notices;
    int m_batchesAtOnce = 0;
    std::int64_t m_gatherAtOnce = 0;
    OwnRows m_ownRows = OwnRows::Auto;
    double m_prologueSeconds = 0;
    AfterFunction m_after;
    bool m_keepAll = false, m_runsOnce = false;
};

/// The rows of some nodes, as they come.
at::Tensor targetRows(const at::Tensor& tensor, const ValueFacts& facts, const at::Tensor& nodes);

/// Of an output's rows those of the nodes that are asked for; what has no row for each node comes as it is.
at::Tensor askedRows(const Analysis& analysis, ValueId output, const at::Tensor& tensor, const at::Tensor& nodes);

/// Runs the whole program, uncut; wanted are read out.
std::vector<c10::IValue> runWhole(const Analysis& analysis, const Constants& constants, const Bindings& inputs, const std::vector<ValueId>& wanted,
                                  const Progress& progress = {});

}  // namespace cleave
