#include "core/model/pt2_checks.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

namespace {

std::string place(const Program& program, const Op& op)
{
    Program one;
    one.modules = program.modules;
    one.ops = {op};
    return describe(one, OpId{0});
}

bool isTrue(const Op& op, std::string_view argument)
{
    const Argument* found = op.find(argument);
    return found && found->asBool() && *found->asBool();
}

bool dropsNothing(const Op& op)
{
    const Argument* p = op.find("p");
    const double* probability = p ? std::get_if<double>(&p->value) : nullptr;
    return (probability && *probability == 0) || (p && p->asInt() && *p->asInt() == 0);
}

// A parameter with a row for each node fixes their number, whatever dynamic_shapes says.
std::string parameterAdvice(const Program& program, const Dim& nodes)
{
    for (const Weight& weight : program.weights)
        if (weight.sizes.size() > 1 && isFloating(weight.dtype) && nodes.isConstant() && nodes.value > 1 && weight.sizes[0] == nodes.value)
            return "; or, if parameter '" + printable(weight.name) + "' has a row for each node, open it with --role " + printable(weight.name) +
                   "=node-features";
    return {};
}

}  // namespace

void refuseForeign(const Program& program, const Op& op)
{
    for (const std::string_view known : {"aten::", "operator::", "math::", "sym::"})
        if (op.target.starts_with(known))
            return;
    if (op.target.starts_with("higher_order::"))
        throw Error("The model uses the higher-order op " + printable(op.target) + " (" + place(program, op) +
                    "), which Cleave cannot cut: write the branch or loop out in forward.");
    throw Error("The model uses the custom op " + printable(op.target) + " (" + place(program, op) +
                "), which Cleave cannot run: write it with PyTorch's own operators.");
}

void refuseTraining(const Program& program, OpId id)
{
    const Op& op = program[id];
    const bool dropout = op.target.find("dropout") != std::string::npos && isTrue(op, "train") && !dropsNothing(op);
    const bool statistics = op.target.find("batch_norm") != std::string::npos && (isTrue(op, "training") || isTrue(op, "train")) &&
                            op.find("running_mean") && !op.find("running_mean")->isNone();
    if (dropout || statistics)
        throw Error("The model was exported in training mode: " + describe(program, id) + "; call model.eval() before torch.export.export.");
}

void refuseStatic(const Program& program)
{
    Dim nodes, edges;
    bool anyIndex = false;
    for (const Input& input : program.inputs) {
        const Value& value = program[input.value];
        if (isEdgeIndex(value) && !std::exchange(anyIndex, true))
            edges = value.sizes[1];
    }
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; isFloating(value.dtype) && !value.sizes.empty() && (!anyIndex || value.sizes[0] != edges)) {
            nodes = value.sizes[0];
            if (anyIndex && !edges.isConstant() && value.sizes.size() > 2 && nodes.isConstant() && !value.sizes[1].isConstant())
                throw Error("Input '" + printable(value.name) + "' has its dynamic size in dimension 1: Cleave takes rows of nodes along dimension 0. Let forward take them so, and change the dimensions inside it.");
            break;
        }
    const bool fixedNodes = nodes.isConstant() && nodes.value > 0, fixedEdges = anyIndex && edges.isConstant();
    if (!fixedNodes && !fixedEdges)
        return;
    std::vector<std::string> shapes;
    for (const Input& input : program.inputs) {
        const Value& value = program[input.value];
        std::string shape = "None";
        if (value.kind == ValueKind::Tensor && !value.sizes.empty()) {
            if (isEdgeIndex(value))
                shape = "{1: torch.export.Dim(\"edges\")}";
            else if (anyIndex && value.sizes[0] == edges)
                shape = "{0: torch.export.Dim(\"edges\")}";
            else if (value.sizes[0] == nodes)
                shape = "{0: torch.export.Dim(\"nodes\")}";
        }
        shapes.push_back("\"" + printable(value.name) + "\": " + shape);
    }
    throw Error("The model was exported for one graph only (" +
                std::string(fixedNodes && fixedEdges ? "the numbers of nodes and edges are"
                            : fixedNodes             ? "the number of nodes is"
                                                     : "the number of edges is") +
                " fixed): export it again with dynamic_shapes={" + join(shapes, ", ") + "}" + parameterAdvice(program, nodes) + ".");
}

}  // namespace cleave
