#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/run/running.h"

/// Private to core/run.
namespace cleave {

/// Reduces the edges into many targets before batches run on them: rows of the store that lie in files are read in order, once for as many targets as
/// there is memory for, instead of here and there for each batch.
class Gathering {
public:
    Gathering(const RunContext& run, const RowStore& store)
        : m_run(run), m_a(run.analysis), m_graph(run.graph), m_batches(run.batches), m_store(store)
    {
    }

    /// How many targets at once: 0 (the default): where rows come from files, as many as there is memory for; -1: never.
    void setTargetsAtOnce(std::int64_t targets, OwnRows ownRows)
    {
        m_targetsAtOnce = targets;
        m_ownRows = ownRows;
    }
    std::int64_t targetsAtOnce() const { return m_targetsAtOnce; }

    /// A function on the processor: in two parts where it reads rows that lie in files.
    FunctionParts partsOf(const CutFunction& function, const std::string& name) const;

    /// What multiplies matrices keeps memory from its first call on: that comes before memory is divided. Whether anything was called.
    bool callLibraries(const CutFunction& function, const FunctionParts& parts) const;

    /// Rows of sources are read once for each part, and those of the targets once more by batches, unless they are added up with the others: but that
    /// takes room for targets without edges too.
    void chooseWay(Running& running) const;

    /// For as many targets from this one on as there is memory for: the fewer, the more often rows are read.
    void gather(Running& running, std::int64_t first, const Progress& progress) const;

private:
    struct Part {
        std::int64_t end = 0;  // target behind it
        double bytes = 0;
    };

    std::set<ValueId> readFromFiles(const CutFunction& function) const;
    std::vector<ValueId> segmentsIntoTargets(const CutFunction& function) const;
    GatheringBytes bytesOf(const CutFunction& function, const LoweredFunction& gathering) const;
    GatheringBytes bytesOf(const OwnRowsFunction& function) const;
    Part partFrom(const Running& running, const GatheringBytes& each, std::int64_t first, double most) const;
    double parts(const Running& running, const GatheringBytes& each) const;
    at::Tensor liveTargets(const CutFunction& function, const LoweredFunction& gathering, std::int64_t first, std::int64_t last) const;
    std::vector<at::Tensor> gathered(Running& running, std::int64_t first) const;
    at::Tensor withOwnRows(const Running& running, std::int64_t first) const;
    bool canDivide(const Running& running) const;
    at::Tensor divisorsOf(const CutFunction& function, const OwnRowsFunction& way, std::int64_t first, std::int64_t last) const;

    RunContext m_run;
    const Analysis& m_a;
    const OrderedGraph& m_graph;
    const BatchMaker& m_batches;
    const RowStore& m_store;
    std::int64_t m_targetsAtOnce = 0;
    OwnRows m_ownRows = OwnRows::Auto;
};

}  // namespace cleave
