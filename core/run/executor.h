#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/peak_memory.h"
#include "core/plan/counts.h"
#include "core/plan/rates.h"
#include "core/run/device_functions.h"
#include "core/run/gathering.h"
#include "core/run/ordered_graph.h"
#include "core/run/row_store.h"
#include "core/run/run.h"
#include "core/run/targets.h"

namespace cleave {

class StoreFolder;

using AfterFunction = std::function<void(std::size_t function, const Tensors& store)>;

constexpr std::int64_t exactEdges = 1'000'000;  ///< below, rows are counted, above from some batches
constexpr int sampleBlocks = 16;                ///< that ops are measured on

/// Runs a cut program on one graph: prologue once, then function by function, batch by batch.
class LayerWise {
public:
    /// Evaluates the prologue. Error if the graph does not fit the model; edges are grouped, and those that lead nowhere found, by what runs or counts.
    LayerWise(const Analysis& analysis, const CutProgram& cut, const Constants& constants, const Bindings& inputs, Kernels kernels,
              const Progress& progress);
    LayerWise(const LayerWise&) = delete;  // its parts know each other
    LayerWise& operator=(const LayerWise&) = delete;

    const OrderedGraph& graph() const { return m_graph; }
    double prologueSeconds() const { return m_graph.prologueSeconds(); }

    /// Set before run. What finding the orders took counts as preparation.
    void setOrders(const NodeOrders& orders);

    /// Only these nodes are asked for, at least one: each function computes the rows that they need, those that nothing of them needs are left out, and
    /// outputs have a row for each of the nodes, as they come. Set after the order, before run. Error for a node that is not there.
    void setTargets(Targets targets, const Progress& progress = {});

    /// Batches that run at once, each on one thread; 1: one after the other, on all threads; 0 (the default) chooses. Set before run.
    void setBatchesAtOnce(int batches) { m_batchesAtOnce = batches; }

    /// As Gathering::setTargetsAtOnce. Set before run.
    void setGatherAtOnce(std::int64_t targets, OwnRows ownRows = OwnRows::Auto) { m_gathering.setTargetsAtOnce(targets, ownRows); }

    /// Functions run there if they can: for the others there is a notice, or Error if strict. functions: which of the program are to, empty: all.
    /// gathersThere: rows of the store that do not fit, by the device where it can read them. choosesThere: sizes of batches by the memory of the
    /// device, whatever those on the processor are. Set before run.
    void setDevice(std::shared_ptr<Device> device, bool strict, const std::vector<bool>& functions = {}, bool gathersThere = false,
                   bool choosesThere = false);
    std::vector<std::string> notices() const;

    /// Structure that is not read any more is freed before the first function: run is called once, and nothing else after it but countBlocks.
    void runOnce() { m_runsOnce = true; }

    /// Save points of float32 are kept as bfloat16, but not what the caller gets. Set before run.
    void narrowStore() { m_store.narrow(); }

    /// Save points become files of this folder, and functions that are done there are not run again. Set before run; the folder must live as long.
    void keepIn(StoreFolder& folder) { m_store.keepIn(folder); }

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

    /// Counts the memory of runs by function from now on; began before this object was made, and outlives it.
    void countMemory(PeakMemory& peak) { m_peak = &peak; }
    double preparationBytes() const { return m_preparationBytes; }  ///< most memory before the first function of the last run

    /// Called after each function, with what the store holds then: what it reads, and what it saves. Set before run.
    void observe(AfterFunction after) { m_after = std::move(after); }

    /// Save points are kept to the end instead of being freed after their last reader. Set before run.
    void keepAll();
    const Tensors& store() const { return m_store.tensors(); }

private:
    Retained group(const std::vector<FunctionReads>& reads, const Progress& progress);
    double indexBytes(const Retained* retained = nullptr) const;
    GraphCounts rowsOfAll(std::int64_t batchSize, std::int64_t mostEdges, const Progress& progress);
    FunctionRows countRows(const CutFunction& function, std::int64_t batchSize, std::int64_t mostEdges, double& error, const Progress& progress);
    FunctionParts partsOf(const CutFunction& function);
    std::int64_t batchSizeOf(const CutFunction& function, std::int64_t batchSize) const;
    int atOnce(std::int64_t batches) const;
    double tensorBytes(const Value& value) const;
    void requireMemoryAtOnce(const CutFunction& function) const;
    void runFunction(std::size_t index, FunctionParts parts, std::int64_t batchSize, const Progress& progress);
    void runBatches(Running& running, std::int64_t first, std::int64_t batchSize, const Progress& progress);
    void runRows(Running& running, std::int64_t first, std::int64_t last, Numberings& numbers);
    void runBatch(Running& running, std::int64_t first, std::int64_t last, Numberings& numbers);
    double savedBytes(const CutFunction& function) const;
    at::Tensor noRows(ValueId output) const;
    void freeAfter(std::size_t function);

    const Analysis& m_a;
    const CutProgram& m_cut;
    const Constants& m_constants;
    Kernels m_kernels;
    OrderedGraph m_graph;
    RowStore m_store;
    BatchMaker m_batches;
    Gathering m_gathering;
    std::optional<DeviceFunctions> m_there;  // nothing: all run on the processor
    Numberings m_numbers;                    // of whoever runs batches one by one
    Targets m_targets;
    std::vector<FunctionRun> m_runs;
    std::vector<std::string> m_notices;
    AfterFunction m_after;
    PeakMemory* m_peak = nullptr;
    double m_preparationBytes = 0;
    StructureBytes m_bytes;
    int m_batchesAtOnce = 0;
    bool m_choosesThere = false, m_keepAll = false, m_runsOnce = false;
};

/// Runs the whole program, uncut; wanted are read out.
std::vector<c10::IValue> runWhole(const Analysis& analysis, const Constants& constants, const Bindings& inputs, const std::vector<ValueId>& wanted,
                                  const Progress& progress = {});

}  // namespace cleave
