#include "core/plan/dot.h"

#include <map>

#include "core/plan/dot_text.h"
#include "core/plan/level_colors.h"

namespace cleave {

std::string toDot(const Analysis& analysis, const CutProgram& cut)
{
    const Program& p = analysis.program;
    std::string text = dotHead(p.name);
    std::string arrows;
    std::map<ValueId, std::string> home;  // node or input that a save point comes from
    for (const Input& input : p.inputs)
        if (input.role == Role::NodeFeatures) {
            home[input.value] = p[input.value].name;
            text += "  " + dotQuoted(p[input.value].name) + " [fillcolor=white, color=\"" + dotColor(nodeRowsColor) + "\"];\n";
        }
    for (std::size_t f = 0; f < cut.functions.size(); ++f) {
        const CutFunction& function = cut.functions[f];
        std::map<std::tuple<ValueId, int>, std::string> here;
        text += "  subgraph cluster_" + std::to_string(f) + " {\n    label=" +
                dotQuoted(
                    functionName(function) + (function.isGlobal ? "" : ", message degree " + std::to_string(analysis.degreeOf(function.level))) +
                    (analysis.types() > 1 && !function.isGlobal ? ", " + analysis.nodeTypes[static_cast<std::size_t>(function.nodeType)].name : "")) +
                ";\n";
        for (std::size_t s = 0; s < function.steps.size(); ++s) {
            const Step& step = function.steps[s];
            const Op& op = p[step.op];
            if (analysis.values[op.outputs.front()].reach != Reach::Feature)
                continue;
            const std::string node = op.name + "@" + std::to_string(f) + (step.frame ? "." + std::to_string(step.frame) : "");
            const Rows rows = analysis.values[op.outputs.front()].rows;
            const bool nodes = rows == Rows::Nodes;
            text += "    " + dotQuoted(node) + " [label=" +
                    dotQuoted(op.name + (nodes                 ? "  V"
                                         : rows == Rows::Edges ? "  M"
                                                               : "")) +
                    ", fillcolor=\"" + dotFill(analysis.degreeOf(function.level), analysis.degreeOf(analysis.levels)) + "\", color=\"" +
                    (nodes                 ? dotColor(nodeRowsColor)
                     : rows == Rows::Edges ? dotColor(edgeRowsColor) + "\", style=\"filled,dotted"
                                           : "#555555") +
                    "\"];\n";
            for (const ValueId output : op.outputs) {
                here[{output, step.frame}] = node;
                if (step.frame == 0)
                    home[output] = node;
            }
            for (const StepOperand& operand : step.operands) {
                if (operand.kind == OperandKind::Step) {
                    if (const auto from = here.find({operand.value, operand.frame}); from != here.end())
                        arrows += dotArrow(from->second, node, "");
                } else if (operand.kind == OperandKind::Stored || operand.kind == OperandKind::StoredWhole || operand.kind == OperandKind::OfGraph) {
                    if (const auto from = home.find(operand.value); from != home.end())
                        arrows += dotArrow(from->second, node, "style=bold, label=" + dotQuoted(p[operand.value].name));
                }
            }
        }
        text += "  }\n";
    }
    return text + arrows + "}\n";
}

}  // namespace cleave
