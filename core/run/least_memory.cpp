#include "core/run/least_memory.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <vector>

#include "core/analysis/dims.h"
#include "core/analysis/op_view.h"
#include "core/run/bind.h"
#include "core/run/run_program.h"

namespace cleave {

namespace {

constexpr std::size_t mega = 1 << 20;

// Of the tensors of the program that are there at once, with the inputs and the edges in the order of their ends; but for rows of edges where kernels
// reduce these as they come.
double bytesAtOnce(const Analysis& analysis, const Bindings& inputs, Kernels kernels)
{
    const Program& program = analysis.program;
    std::map<std::string, double> sizes;
    double largest = 1;
    for (const Input& input : program.inputs)
        if (const auto bound = inputs.find(input.value); bound != inputs.end() && bound->second.isTensor()) {
            const at::Tensor& tensor = bound->second.toTensor();
            const std::vector<Dim>& dims = program[input.value].sizes;
            for (std::size_t d = 0; d < dims.size() && static_cast<std::int64_t>(d) < tensor.dim(); ++d) {
                const auto size = static_cast<double>(tensor.size(static_cast<std::int64_t>(d)));
                largest = std::max(largest, size);
                if (!dims[d].isConstant())
                    sizes[dims[d].symbol] = size;
            }
        }
    // A size that only data tells is taken for the largest of the inputs.
    const auto valueOf = [&](const std::string& symbol) {
        const auto known = sizes.find(symbol);
        return known == sizes.end() ? largest : known->second;
    };
    const auto bytesOf = [&](const Value& value) {
        double bytes = value.kind == ValueKind::Tensor ? static_cast<double>(itemSize(value.dtype)) : 0;
        for (const Dim& dim : value.sizes)
            bytes *= dim.isConstant() ? static_cast<double>(dim.value) : sizeValue(dim.symbol, valueOf);
        return bytes;
    };
    double lasting = 0;
    for (const Input& input : program.inputs) {
        constexpr double inOrder = 2;  // copies of what names nodes: grouped, and by their numbers
        lasting += (input.role == Role::GraphStructure ? 1 + inOrder : 1) * bytesOf(program[input.value]);
    }
    // What comes of the graph alone is made first. Views are there as long as what they show.
    std::vector<const Op*> order;
    for (const bool ofFeatures : {false, true})
        for (const Op& op : program.ops)
            if (!op.outputs.empty() && (analysis.values[op.outputs.front()].reach == Reach::Feature) == ofFeatures)
                order.push_back(&op);
    std::map<ValueId, ValueId> shown;
    std::map<ValueId, std::size_t> lastRead;
    const auto shownBy = [&](ValueId value) {
        const auto known = shown.find(value);
        return known == shown.end() ? value : known->second;
    };
    for (std::size_t i = 0; i < order.size(); ++i)
        forEachOperand(*order[i], [&](ValueId operand) {
            lastRead[shownBy(operand)] = i;
            if (isView(*order[i], {ViewKind::Reshape, ViewKind::Repeat, ViewKind::Turn, ViewKind::Part}))
                shown.try_emplace(order[i]->outputs.front(), shownBy(operand));
        });
    for (const ValueId output : program.outputs)
        lastRead[shownBy(output)] = order.size();
    double now = 0, most = 0;
    std::vector<double> freed(order.size() + 1);
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (const ValueId output : order[i]->outputs) {
            const ValueFacts& facts = analysis.values[output];
            const bool isReduced = kernels == Kernels::All && facts.rows == Rows::Edges && facts.reach == Reach::Feature;
            const double bytes = isReduced || shown.contains(output) ? 0 : bytesOf(program[output]);
            now += bytes;
            const auto read = lastRead.find(output);
            freed[read == lastRead.end() ? i : read->second] += bytes;
        }
        most = std::max(most, now);
        now -= freed[i];
    }
    return lasting + most;
}

}  // namespace

std::size_t leastMemory(const RunOptions& options)
{
    // What libraries and batches take for each thread, and what is touched between two looks.
    constexpr std::size_t forEachThread = 48 * mega, forAll = 128 * mega, forEdgeTensors = 128 * mega;
    return forAll + (options.kernels == Kernels::All ? 0 : forEdgeTensors) + forEachThread * static_cast<std::size_t>(options.threadsUsed());
}

std::size_t leastMemory(const RunOptions& options, double bytes)
{
    // What libraries take where there is little to compute.
    constexpr double forEachThread = 4 * mega, forAll = 40 * mega;
    const auto most = static_cast<double>(leastMemory(options));
    return static_cast<std::size_t>(std::min(most, forAll + forEachThread * options.threadsUsed() + bytes));
}

std::size_t leastMemory(const Model& model, const Bindings& inputs, const RunOptions& options)
{
    return leastMemory(options, bytesAtOnce(*model.analysis, inputs, options.kernels));
}

std::size_t leastMemory(const Model& model, const DataGraph& graph, const RunOptions& options)
{
    const std::size_t bytes = graph.bytes(), most = leastMemory(options);
    if (leastMemory(options, static_cast<double>(bytes)) < most)
        return leastMemory(model, bindInputs(model, graph, options), options);
    return std::max(leastMemory(options, 0), most - std::min(most, bytes));
}

void requireLeastMemory(const MemoryBound& bound, std::size_t least, const RunOptions& options)
{
    bound.require(least, "Running this model on this graph", options.threadsUsed() > 1 ? "; fewer threads need less" : "");
}

}  // namespace cleave
