#include "core/plan/work.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/analysis/einsum.h"
#include "core/analysis/op_view.h"

namespace cleave {

namespace {

double known(const Dim& dim)
{
    return dim.isConstant() ? static_cast<double>(dim.value) : 1;
}

double elements(const Value& value)
{
    double count = value.kind == ValueKind::Tensor ? 1 : 0;
    for (const Dim& dim : value.sizes)
        count *= known(dim);
    return count;
}

double elementsPerRow(const Value& value, int rowDim)
{
    const double rows = rowDim >= 0 && rowDim < static_cast<int>(value.sizes.size()) ? known(value.sizes[static_cast<std::size_t>(rowDim)]) : 1;
    return rows > 0 ? elements(value) / rows : 0;
}

double lastSize(const OpView& view, std::string_view argument)
{
    const Value* value = view.tensor(argument);
    return value && !value->sizes.empty() ? known(value->sizes.back()) : 0;
}

// One multiplication and addition for each entry of the space that the labels span.
double einsumFlops(const Program& program, const Op& op, int rowDim)
{
    const std::optional<Einsum> equation = einsumOf(program, op);
    if (!equation)
        return 0;
    const std::vector<ValueId> tensors = OpView(program, op).values("tensors");
    std::map<char, double> sizes;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        for (std::size_t d = 0; d < equation->operands[i].size(); ++d) {
            double& size = sizes[equation->operands[i][d]];
            size = std::max(size, known(program[tensors[i]].sizes[d]));
        }
    if (static_cast<std::size_t>(rowDim) < equation->result.size())
        sizes.erase(equation->result[static_cast<std::size_t>(rowDim)]);
    double flops = 2;
    for (const auto& [label, size] : sizes)
        flops *= size;
    return flops;
}

// Length of the sum behind each entry of the result; 0 for ops that are no products.
double contracted(const Program& program, const Op& op)
{
    const OpView view(program, op);
    if (op.target == "aten::linear")
        return lastSize(view, "input");
    if (op.target == "aten::addmm")
        return lastSize(view, "mat1");
    if (op.target == "aten::baddbmm")
        return lastSize(view, "batch1");
    if (op.target == "aten::mm" || op.target == "aten::bmm" || op.target == "aten::matmul" || op.target == "aten::mv")
        return lastSize(view, "self");
    if (op.target == "aten::bilinear")
        return lastSize(view, "input1") * lastSize(view, "input2");
    if (op.target == "aten::scaled_dot_product_attention") {
        const Value* key = view.tensor("key");
        return key && key->sizes.size() > 1 ? 2 * known(key->sizes[key->sizes.size() - 2]) : 0;
    }
    return 0;
}

// Attention to as many keys as there are rows: products with keys and values, and the exponential, which takes as long as some 40 flops of them.
double attentionPerPair(const Program& program, const Op& op, int rowDim)
{
    constexpr double exponential = 40;
    const OpView view(program, op);
    const Value *query = view.tensor("query"), *key = view.tensor("key"), *value = view.tensor("value");
    if (op.target != "aten::scaled_dot_product_attention" || !query || !key || !value || key->sizes.size() < 2 ||
        key->sizes[key->sizes.size() - 2].isConstant())
        return 0;
    const double width = known(query->sizes.back()), valueWidth = known(value->sizes.back());
    const double heads = elementsPerRow(program[op.outputs.front()], rowDim) / std::max(valueWidth, 1.0);
    return heads * (2 * (width + valueWidth) + exponential);
}

bool isRecurrent(std::string_view target)
{
    static const std::set<std::string_view> recurrent{"aten::lstm", "aten::gru", "aten::rnn_tanh", "aten::rnn_relu", "aten::lstm_cell",
                                                      "aten::gru_cell", "aten::rnn_tanh_cell", "aten::rnn_relu_cell"};
    return recurrent.contains(target);
}

}  // namespace

Work workOf(const Program& program, OpId id, int rowDim)
{
    const Op& op = program[id];
    Work work;
    double weights = 0, gates = 0;
    forEachOperand(op, [&](ValueId value) {
        if (program[value].weight.valid()) {
            weights += elements(program[value]);
            // Each layer and direction has a matrix for its input and one for its state, as high as it has gates.
            gates += program[value].sizes.size() == 2 ? known(program[value].sizes[0]) / 2 : 0;
            work.weightBytes += elements(program[value]) * static_cast<double>(itemSize(program[value].dtype));
        }
    });
    const Value& output = program[op.outputs.front()];
    const double outputs = elementsPerRow(output, rowDim);
    if (isView(op, {ViewKind::Reshape, ViewKind::Repeat, ViewKind::Turn, ViewKind::Part})) {
        work.kind = WorkKind::View;
    } else if (const double perPair = attentionPerPair(program, op, rowDim); perPair > 0) {
        work.kind = WorkKind::Product;
        work.flopsPerPair = perPair;
    } else if (const double length = contracted(program, op); length > 0) {
        work.kind = WorkKind::Product;
        work.flops = 2 * length * outputs;
    } else if (op.target == "aten::einsum") {
        work.kind = WorkKind::Product;
        work.flops = einsumFlops(program, op, rowDim);
    } else if (isRecurrent(op.target)) {
        // Every weight once for each step; a sequence has as many steps as its rows have vectors.
        const Value* input = OpView(program, op).tensor("input");
        const double steps = input && !op.target.ends_with("_cell") && !input->sizes.empty()
                                 ? elementsPerRow(*input, rowDim) / std::max(known(input->sizes.back()), 1.0)
                                 : 1;
        work.kind = WorkKind::Product;
        work.flops = 2 * weights * std::max(steps, 1.0);
        // Gates of the input for all steps at once, beside which those of the state are few, but where there is one step.
        work.scratchBytes =
            (steps > 1 ? gates * steps : 2 * gates + (op.target.ends_with("_cell") ? outputs : 0)) * static_cast<double>(itemSize(output.dtype));
    } else {
        double most = outputs;
        forEachOperand(op, [&](ValueId value) {
            if (!program[value].weight.valid())
                most = std::max(most, elements(program[value]));
        });
        work.flops = most;
    }
    return work;
}

int timedFrame(const Analysis& analysis, const Step& step)
{
    if (analysis.ops[step.op].kind != OpKind::Scatter)
        return step.frame;
    int frame = -1;
    for (const StepOperand& operand : step.operands)
        if (operand.rowDim >= 0 && operand.frame != step.frame && analysis.values[operand.value].reach == Reach::Feature)
            frame = operand.frame;
    return frame;
}

double rowBytes(const Analysis& analysis, ValueId id, int rowDim)
{
    const Value& value = analysis.program[id];
    if (value.kind != ValueKind::Tensor || rowDim < 0)
        return 0;
    double bytes = static_cast<double>(itemSize(value.dtype));
    for (std::size_t d = 0; d < value.sizes.size(); ++d)
        if (static_cast<int>(d) != rowDim)
            bytes *= value.sizes[d].isConstant() ? static_cast<double>(value.sizes[d].value) : 0;
    const ValueFacts& facts = analysis.values[id];
    return bytes * static_cast<double>(facts.outer * facts.inner);
}

}  // namespace cleave
