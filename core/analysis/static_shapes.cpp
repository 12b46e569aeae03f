#include "core/analysis/static_shapes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/message_passing.h"
#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

namespace {

// A parameter with a row for each node fixes their number, whatever dynamic_shapes says.
std::string parameterAdvice(const Program& program, const Dim& nodes)
{
    for (const Weight& weight : program.weights)
        if (weight.sizes.size() > 1 && isFloating(weight.dtype) && nodes.isConstant() && nodes.value > 1 && weight.sizes[0] == nodes.value)
            return "; or, if parameter '" + printable(weight.name) + "' has a row for each node, open it with --role " + printable(weight.name) +
                   "=node-features";
    return {};
}

bool isSquare(const Value& value)
{
    return isFloating(value.dtype) && value.sizes.size() == 2 && value.sizes[0] == value.sizes[1] && !value.sizes[0].isOne();
}

// Which values depend on inputs, or on edges.
std::vector<bool> ofInputs(const Program& program, bool edgesOnly)
{
    std::vector<bool> depends(program.values.size());
    for (const Input& input : program.inputs)
        depends[at(input.value.index)] = !edgesOnly || isEdgeIndex(program[input.value]);
    for (const Op& op : program.ops) {
        bool any = false;
        forEachOperand(op, [&](ValueId operand) { any = any || depends[at(operand.index)]; });
        for (const ValueId output : op.outputs)
            depends[at(output.index)] = any;
    }
    return depends;
}

// The first size that any graph may have, else the first: tables of a fixed size, with edges of their own, may stand beside the graph.
Dim freeFirst(const std::vector<Dim>& sizes)
{
    const auto free = std::ranges::find_if_not(sizes, &Dim::isConstant);
    return free != sizes.end() ? *free : sizes.empty() ? Dim{} : sizes.front();
}

// How many edges the inputs have, or how many nodes: a constant of 0 where they do not tell.
Dim edgesOf(const Program& program)
{
    std::vector<Dim> sizes;
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; isEdgeIndex(value))
            sizes.push_back(value.sizes[1]);
    return freeFirst(sizes);
}

// Of what edges read rows, or of a square matrix; else of features.
Dim nodesOf(const Program& program, const Dim& edges, bool hasEdges)
{
    const std::vector<bool> depends = ofInputs(program, false), ofEdges = ofInputs(program, true);
    const auto isOfFeatures = [&](const Dim& dim) {
        return std::ranges::any_of(program.inputs, [&](const Input& input) {
            return isFloating(program[input.value].dtype) && std::ranges::count(program[input.value].sizes, dim) > 0;
        });
    };
    std::vector<Dim> sizes;
    for (std::size_t i = 0; hasEdges && i < program.ops.size(); ++i)
        if (const auto gather = gatherForm(program, OpId{static_cast<int>(i)});
            gather && depends[at(gather->source.index)] && ofEdges[at(gather->index.index)]) {
            const std::vector<Dim>& source = program[gather->source].sizes;
            const auto dim = static_cast<std::size_t>(gather->sourceDim);
            if (dim < source.size() && isFloating(program[gather->source].dtype) && (!source[dim].isConstant() || isOfFeatures(source[dim])))
                sizes.push_back(source[dim]);
        }
    if (!sizes.empty())
        return freeFirst(sizes);
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; isSquare(value))
            return value.sizes[0];
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; isFloating(value.dtype) && !value.sizes.empty() && (!hasEdges || value.sizes[0] != edges))
            sizes.push_back(value.sizes[0]);
    return freeFirst(sizes);
}

// What to write for one input: which of its dimensions count edges or nodes, and which may have any size already.
std::string shapeOf(const Value& value, const Dim& nodes, const Dim& edges, bool hasEdges)
{
    std::vector<std::string> dims;
    bool isCounted = false;
    for (std::size_t d = 0; d < value.sizes.size(); ++d) {
        const auto write = [&](const char* text) { dims.push_back(std::to_string(d) + ": torch.export.Dim" + text); };
        const bool first = !std::exchange(isCounted, isCounted || value.sizes[d] == nodes || (hasEdges && value.sizes[d] == edges));
        if (hasEdges && (isEdgeIndex(value) ? d == 1 : first && value.sizes[d] == edges))
            write("(\"edges\")");
        else if (!isEdgeIndex(value) && value.sizes[d] == nodes && (first || isSquare(value)))
            write("(\"nodes\")");
        else if (!value.sizes[d].isConstant())
            write(".AUTO");
    }
    return dims.empty() ? "None" : "{" + join(dims, ", ") + "}";
}

}  // namespace

void refuseStatic(const Program& program)
{
    const bool hasEdges = std::ranges::any_of(program.inputs, [&](const Input& input) { return isEdgeIndex(program[input.value]); });
    const Dim edges = edgesOf(program), nodes = nodesOf(program, edges, hasEdges);
    const bool fixedNodes = nodes.isConstant() && nodes.value > 0, fixedEdges = hasEdges && edges.isConstant();
    if (!fixedNodes && !fixedEdges)
        return;
    std::vector<std::string> shapes;
    for (const Input& input : program.inputs) {
        const Value& value = program[input.value];
        shapes.push_back("\"" + printable(value.name) + "\": " + (value.kind == ValueKind::Tensor ? shapeOf(value, nodes, edges, hasEdges) : "None"));
    }
    throw Error("The model was exported for one graph only (" +
                std::string(fixedNodes && fixedEdges ? "the numbers of nodes and edges are"
                            : fixedNodes             ? "the number of nodes is"
                                                     : "the number of edges is") +
                " fixed): export it again with dynamic_shapes={" + join(shapes, ", ") + "}" + parameterAdvice(program, nodes) + ".");
}

}  // namespace cleave
