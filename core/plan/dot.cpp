#include "core/plan/dot.h"

#include <algorithm>
#include <array>
#include <map>

namespace cleave {

namespace {

// Cividis, light enough for black text: readable with any colour vision.
constexpr std::array fills{"#fee838", "#d5c164", "#b4a76f", "#96907a", "#c2d1ec", "#8fb0e0", "#e5e5e5"};

std::string quoted(const std::string& text)
{
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return result + "\"";
}

std::string line(const std::string& from, const std::string& to, const std::string& attributes)
{
    return "  " + quoted(from) + " -> " + quoted(to) + (attributes.empty() ? "" : " [" + attributes + "]") + ";\n";
}

}  // namespace

std::string toDot(const Analysis& analysis, const CutProgram& cut)
{
    const Program& p = analysis.program;
    std::string text = "digraph " + quoted(p.name) + " {\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n";
    std::string arrows;
    std::map<ValueId, std::string> home;  // node or input that a save point comes from
    for (const Input& input : p.inputs)
        if (input.role == Role::NodeFeatures) {
            home[input.value] = p[input.value].name;
            text += "  " + quoted(p[input.value].name) + " [fillcolor=white, color=\"#0072B2\"];\n";
        }
    for (std::size_t f = 0; f < cut.functions.size(); ++f) {
        const CutFunction& function = cut.functions[f];
        std::map<std::tuple<ValueId, int>, std::string> here;
        text += "  subgraph cluster_" + std::to_string(f) + " {\n    label=" +
                quoted(functionName(function) + (function.isGlobal ? "" : ", message degree " + std::to_string(analysis.degreeOf(function.level))) +
                       (analysis.types() > 1 && !function.isGlobal ? ", " + analysis.nodeTypes[static_cast<std::size_t>(function.nodeType)].name : "")) + ";\n";
        for (std::size_t s = 0; s < function.steps.size(); ++s) {
            const Step& step = function.steps[s];
            const Op& op = p[step.op];
            if (analysis.values[op.outputs.front()].reach != Reach::Feature)
                continue;
            const std::string node = op.name + "@" + std::to_string(f) + (step.frame ? "." + std::to_string(step.frame) : "");
            const Rows rows = analysis.values[op.outputs.front()].rows;
            const bool nodes = rows == Rows::Nodes;
            text += "    " + quoted(node) + " [label=" + quoted(op.name + (nodes ? "  V" : rows == Rows::Edges ? "  M" : "")) + ", fillcolor=\"" +
                    fills[static_cast<std::size_t>(analysis.degreeOf(function.level)) % fills.size()] + "\", color=\"" + (nodes ? "#0072B2" : "#555555") + "\"];\n";
            for (const ValueId output : op.outputs) {
                here[{output, step.frame}] = node;
                if (step.frame == 0)
                    home[output] = node;
            }
            for (const StepOperand& operand : step.operands) {
                if (operand.kind == OperandKind::Step) {
                    if (const auto from = here.find({operand.value, operand.frame}); from != here.end())
                        arrows += line(from->second, node, "");
                } else if (operand.kind == OperandKind::Stored || operand.kind == OperandKind::StoredWhole || operand.kind == OperandKind::OfGraph) {
                    if (const auto from = home.find(operand.value); from != home.end())
                        arrows += line(from->second, node, "style=bold, label=" + quoted(p[operand.value].name));
                }
            }
        }
        text += "  }\n";
    }
    return text + arrows + "}\n";
}

}  // namespace cleave
