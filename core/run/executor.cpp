#include "core/run/executor.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

class Stopwatch {
public:
    double lap()
    {
        const auto now = std::chrono::steady_clock::now();
        const double seconds = std::chrono::duration<double>(now - m_last).count();
        m_last = now;
        return seconds;
    }

private:
    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now();
};

at::Tensor view(std::span<const std::int64_t> numbers)
{
    return at::from_blob(const_cast<std::int64_t*>(numbers.data()), {static_cast<std::int64_t>(numbers.size())}, at::kLong);
}

// The row dimension as three: outer, rows, inner.
at::Tensor entriesApart(const at::Tensor& tensor, const ValueFacts& facts)
{
    std::vector<std::int64_t> sizes = tensor.sizes().vec();
    const auto row = sizes.begin() + facts.rowDim;
    const std::int64_t rows = *row / (facts.outer * facts.inner);
    *row = facts.inner;
    sizes.insert(sizes.begin() + facts.rowDim, {facts.outer, rows});
    return tensor.reshape(sizes);
}

}  // namespace

// Rows of one batch: targets first … last - 1, and for each frame the row ids it stands for.
struct LayerWise::Batch {
    std::int64_t first = 0, last = 0;
    std::vector<at::Tensor> ids;  ///< [rows] int64; undefined for the targets, which are a range
    std::vector<at::Tensor> places;  ///< of parts: [rows] where each row is in the parent
    std::vector<std::int64_t> rows;
    at::Tensor others;  ///< nodes of the block besides the targets, ascending; undefined without a block frame
    std::int64_t edges = 0;
};

LayerWise::LayerWise(const Analysis& analysis, const CutProgram& cut, const Constants& constants, const Bindings& inputs, const Progress& progress)
    : m_a(analysis), m_cut(cut), m_constants(constants), m_runs(cut.functions.size())
{
    const Program& program = analysis.program;
    Stopwatch watch;
    progress.update(0, "Prologue");
    for (const Input& input : program.inputs)
        if (input.role == Role::NodeFeatures) {
            m_store[input.value] = inputs.at(input.value).toTensor();
            m_numNodes = m_store[input.value].size(0);
        }
    guarded("The prologue cannot be computed on this graph", [&] {
        const auto results = runProgram(program, constants, inputs, cut.prologue, "Prologue", progress);
        for (std::size_t i = 0; i < cut.prologue.size(); ++i)
            m_structure[cut.prologue[i]] = results[i];
    });
    for (const CutFunction& function : cut.functions)
        for (const ValueId segment : function.segments())
            if (!m_edges.contains(segment)) {
                progress.check();
                const at::Tensor targets = structure(segment).reshape({-1}).to(at::kLong).contiguous();
                m_edges[segment] = groupBySegment({targets.data_ptr<std::int64_t>(), static_cast<std::size_t>(targets.numel())}, m_numNodes);
            }
    m_prologueSeconds = watch.lap();
}

const at::Tensor& LayerWise::structure(ValueId value) const
{
    const auto known = m_structure.find(value);
    return known != m_structure.end() ? known->second.toTensor() : m_constants[value].toTensor();
}

std::int64_t LayerWise::mostEdgesPerNode() const
{
    std::int64_t most = 0;
    for (const auto& [segment, edges] : m_edges)
        most = std::max(most, static_cast<std::int64_t>(edges.edges.size()) / std::max<std::int64_t>(m_numNodes, 1) + 1);
    return most;
}

std::vector<at::Tensor> LayerWise::run(std::int64_t batchSize, const Progress& progress)
{
    for (std::size_t f = 0; f < m_cut.functions.size(); ++f) {
        guarded("Running function " + std::to_string(f) + " failed", [&] { runFunction(f, batchSize, progress); });
        if (!m_keepAll)
            freeAfter(f);
    }
    std::vector<at::Tensor> outputs;
    for (const ValueId id : m_a.program.outputs) {
        if (m_store.contains(id))
            outputs.push_back(m_store.at(id));
        else if (m_a.program[id].kind == ValueKind::Tensor)
            outputs.push_back(structure(id));
        else
            outputs.push_back(at::scalar_tensor(m_structure.at(id).toScalar()));
    }
    return outputs;
}

void LayerWise::freeAfter(std::size_t function)
{
    std::erase_if(m_store, [&](const auto& entry) {
        const bool output = std::ranges::count(m_a.program.outputs, entry.first) > 0;
        return !output && std::all_of(m_cut.functions.begin() + static_cast<std::ptrdiff_t>(function) + 1, m_cut.functions.end(),
                                      [&](const CutFunction& f) { return std::ranges::count(f.reads, entry.first) == 0; });
    });
}

std::int64_t LayerWise::total(const std::vector<RowTotal>& rows) const
{
    std::int64_t sum = 0;
    for (const RowTotal& term : rows)
        sum += term.value.valid() ? structure(term.value).size(term.dim) : m_numNodes;
    return sum;
}

LayerWise::Batch LayerWise::block(const CutFunction& function, std::int64_t first, std::int64_t last) const
{
    Batch batch;
    batch.first = first;
    batch.last = last;
    for (const Frame& frame : function.frames) {
        at::Tensor ids, places;
        const auto parent = static_cast<std::size_t>(std::max(frame.parent, 0));
        if (frame.kind == FrameKind::Edges) {
            ids = view(m_edges.at(frame.index).of(first, last));
            batch.edges += ids.numel();
        } else if (frame.kind == FrameKind::Renumbered || frame.kind == FrameKind::Part) {
            ids = batch.ids[parent].defined() ? batch.ids[parent] : at::arange(first, last, at::kLong);
            if (frame.kind == FrameKind::Renumbered) {
                ids = structure(frame.index).to(at::kLong).index_select(0, ids);
            } else {
                const std::int64_t start = total(frame.before), end = start + total(frame.own);
                places = ids.ge(start).logical_and(ids.lt(end)).nonzero().view({-1});
                ids = ids.index_select(0, places).sub(start);
            }
        }
        batch.rows.push_back(ids.defined() ? ids.numel() : last - first);
        batch.ids.push_back(std::move(ids));
        batch.places.push_back(std::move(places));
    }
    for (std::size_t i = 0; i < function.frames.size(); ++i)
        if (function.frames[i].kind == FrameKind::Block)
            addBlockNodes(function, i, batch);
    return batch;
}

// The nodes that gathers read from what is computed for the block. Other frames are known; none depends on this one.
void LayerWise::addBlockNodes(const CutFunction& function, std::size_t frame, Batch& batch) const
{
    std::vector<at::Tensor> read{at::empty({0}, at::kLong)};
    for (const Step& step : function.steps)
        for (const StepOperand& operand : step.operands)
            if (operand.kind == OperandKind::BlockIndex)
                read.push_back(nodesAt(operand, batch).reshape({-1}));
    const at::Tensor nodes = std::get<0>(at::_unique(at::cat(read)));
    batch.others = nodes.index_select(0, nodes.lt(batch.first).logical_or(nodes.ge(batch.last)).nonzero().view({-1}));
    batch.ids[frame] = at::cat({at::arange(batch.first, batch.last, at::kLong), batch.others});
    batch.rows[frame] = batch.ids[frame].numel();
}

// The entries of an index in a frame, counted from the first node.
at::Tensor LayerWise::nodesAt(const StepOperand& operand, const Batch& batch) const
{
    const at::Tensor nodes = sliced(structure(operand.value), operand.rowDim, operand.frame, batch).to(at::kLong);
    return at::where(nodes.lt(0), nodes.add(m_numNodes), nodes);
}

void LayerWise::runFunction(std::size_t index, std::int64_t batchSize, const Progress& progress)
{
    const CutFunction& function = m_cut.functions[index];
    const std::string name = "function " + std::to_string(index);
    const LoweredFunction lowered = lowerFunction(m_a, function, m_constants, "function_" + std::to_string(index));
    FunctionRun& stats = m_runs[index];
    stats = {};
    const std::int64_t total = this->total(function.total);
    for (std::int64_t first = 0; first < total || (total == 0 && first == 0); first += batchSize) {
        progress.update(total ? static_cast<double>(first) / static_cast<double>(total) : 1, "Running " + name);
        Stopwatch watch;
        const Batch batch = block(function, first, std::min(total, first + batchSize));
        stats.edges += batch.edges;
        stats.blockNodes += countBlockNodes(index, batch);
        std::vector<c10::IValue> arguments = inputs(lowered, batch);
        stats.prepareSeconds += watch.lap();
        const std::vector<c10::IValue> results = lowered.code.run(std::move(arguments));
        stats.computeSeconds += watch.lap();
        for (std::size_t i = 0; i < function.saves.size(); ++i)
            save(function.saves[i], results[i].toTensor(), batch.first, total);
        stats.writeSeconds += watch.lap();
        ++stats.batches;
        stats.rows += batch.last - batch.first;
    }
    for (const ValueId id : function.saves)
        stats.savedBytes += static_cast<double>(m_store.at(id).nbytes());
}

std::vector<c10::IValue> LayerWise::inputs(const LoweredFunction& lowered, const Batch& batch)
{
    std::vector<c10::IValue> values;
    values.reserve(lowered.inputs.size());
    for (const FunctionInput& in : lowered.inputs) {
        if (in.operand) {
            values.push_back(input(*in.operand, batch));
        } else if (in.countOf >= 0) {
            values.emplace_back(batch.rows[static_cast<std::size_t>(in.countOf)]);
        } else {
            std::vector<at::Tensor> places;
            for (const int part : in.orderOf)
                places.push_back(batch.places[static_cast<std::size_t>(part)]);
            const at::Tensor from = at::cat(places);
            values.emplace_back(at::empty_like(from).index_copy_(0, from, at::arange(from.numel(), at::kLong)));
        }
    }
    return values;
}

at::Tensor LayerWise::sliced(const at::Tensor& whole, int rowDim, int frame, const Batch& batch) const
{
    const at::Tensor& ids = batch.ids[static_cast<std::size_t>(frame)];
    return ids.defined() ? whole.index_select(rowDim, ids) : whole.narrow(rowDim, batch.first, batch.last - batch.first);
}

// Rows of a stored value, of which each may have several entries.
at::Tensor LayerWise::storedRows(const StepOperand& operand, const Batch& batch) const
{
    const at::Tensor& whole = m_store.at(operand.value);
    const ValueFacts& facts = m_a.values[operand.value];
    if (facts.outer * facts.inner == 1)
        return sliced(whole, operand.rowDim, operand.frame, batch);
    return sliced(entriesApart(whole, facts), facts.rowDim + 1, operand.frame, batch).flatten(facts.rowDim, facts.rowDim + 2);
}

c10::IValue LayerWise::input(const StepOperand& operand, const Batch& batch)
{
    const auto rows = [&](const at::Tensor& whole) { return sliced(whole, operand.rowDim, operand.frame, batch); };
    switch (operand.kind) {
    case OperandKind::StoredWhole:
        return m_store.at(operand.value);
    case OperandKind::Stored:
        return storedRows(operand, batch);
    case OperandKind::Slice:
        return rows(structure(operand.value));
    case OperandKind::TargetIndex:
        return rows(structure(operand.value)).sub(batch.first);
    case OperandKind::BlockIndex: {
        const at::Tensor nodes = nodesAt(operand, batch);
        const at::Tensor behind = at::searchsorted(batch.others, nodes).add(batch.last - batch.first);
        return at::where(nodes.ge(batch.first).logical_and(nodes.lt(batch.last)), nodes.sub(batch.first), behind);
    }
    default: {
        const auto known = m_structure.find(operand.value);
        return known != m_structure.end() ? known->second : m_constants[operand.value];
    }
    }
}

void LayerWise::save(ValueId value, const at::Tensor& rows, std::int64_t first, std::int64_t total)
{
    const ValueFacts& facts = m_a.values[value];
    const std::int64_t entries = facts.outer * facts.inner;
    if (rows.size(facts.rowDim) == total * entries) {
        m_store[value] = rows;
        return;
    }
    at::Tensor& store = m_store[value];
    if (first == 0) {
        std::vector<std::int64_t> sizes = rows.sizes().vec();
        sizes[static_cast<std::size_t>(facts.rowDim)] = total * entries;
        store = at::empty(sizes, rows.options());
    }
    entriesApart(store, facts).narrow(facts.rowDim + 1, first, rows.size(facts.rowDim) / entries).copy_(entriesApart(rows, facts));
}

// E of one block: its targets and the other nodes that its gathers read, each once.
std::int64_t LayerWise::countBlockNodes(std::size_t functionIndex, const Batch& batch)
{
    const CutFunction& function = m_cut.functions[functionIndex];
    if (m_stamp.empty())
        m_stamp.assign(static_cast<std::size_t>(m_numNodes), 0);
    ++m_block;
    std::int64_t count = 0;
    const auto visit = [&](std::int64_t node) {
        if (node >= 0 && node < m_numNodes && std::exchange(m_stamp[static_cast<std::size_t>(node)], m_block) != m_block)
            ++count;
    };
    if (!function.rowsOf.valid())
        for (std::int64_t node = batch.first; node < batch.last; ++node)
            visit(node);
    const auto visitAll = [&](const at::Tensor& ids) {
        const at::Tensor nodes = ids.to(at::kLong).contiguous();
        const auto* data = nodes.data_ptr<std::int64_t>();
        std::for_each(data, data + nodes.numel(), visit);
    };
    if (batch.others.defined())
        visitAll(batch.others);
    std::set<std::pair<ValueId, int>> counted;
    for (const Step& step : function.steps)
        for (const StepOperand& operand : step.operands) {
            const ValueId index = m_a.ops[step.op].index;
            if (operand.kind == OperandKind::StoredWhole && m_structure.contains(index) && counted.insert({index, step.frame}).second) {
                const auto& sizes = m_a.program[index].sizes;
                const auto rowDim = std::ranges::find_if(sizes, [](const Dim& d) { return !d.isConstant(); }) - sizes.begin();
                visitAll(sliced(structure(index), static_cast<int>(rowDim), step.frame, batch));
            }
            // Node rows of renumbered rows are read at these numbers.
            const at::Tensor& ids = batch.ids[static_cast<std::size_t>(operand.frame)];
            if (operand.kind == OperandKind::Stored && ids.defined() && counted.insert({ValueId{}, operand.frame}).second)
                visitAll(ids);
        }
    return count;
}

std::vector<c10::IValue> runWhole(const Analysis& analysis, const Constants& constants, const Bindings& inputs, const std::vector<ValueId>& wanted,
                                  const Progress& progress)
{
    std::vector<c10::IValue> results;
    guarded("Running the whole model on this graph failed", [&] {
        results = runProgram(analysis.program, constants, inputs, wanted, "Running the whole model", progress);
    });
    return results;
}

}  // namespace cleave
