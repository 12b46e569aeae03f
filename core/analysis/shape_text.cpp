#include "core/analysis/shape_text.h"

#include <map>
#include <utility>
#include <vector>

#include "core/analysis/dims.h"
#include "core/base/format.h"

namespace cleave {

std::string nodesText(const Analysis& analysis, int nodeType)
{
    if (const std::string& size = analysis.nodeTypes[static_cast<std::size_t>(nodeType)].size; !size.empty())
        return size;
    return "V" + (analysis.types() > 1 ? " " + analysis.nodeTypes[static_cast<std::size_t>(nodeType)].name : std::string());
}

bool countsEdges(const Analysis& analysis, int nodeType)
{
    const std::string& size = analysis.nodeTypes[static_cast<std::size_t>(nodeType)].size;
    return size == "M" || size.starts_with("M ");
}

namespace {

// Of the inputs that list edges.
std::map<std::string, std::string> edgeSymbols(const Analysis& analysis)
{
    const Program& program = analysis.program;
    std::map<std::string, std::string> inputOf;
    for (const Input& input : program.inputs)
        if (input.role == Role::GraphStructure || input.role == Role::EdgeFeatures)
            for (const Dim& dim : program[input.value].sizes)
                if (const int type = analysis.typeCountedBy(dim.symbol);
                    !dim.isConstant() && (type < 0 || !analysis.nodeTypes[static_cast<std::size_t>(type)].size.empty()))
                    inputOf.emplace(dim.symbol, program[input.value].name);
    if (inputOf.size() == 1)
        inputOf.begin()->second.clear();
    return inputOf;
}

class SizeWriter {
public:
    explicit SizeWriter(const Analysis& analysis) : m_analysis(analysis), m_edges(edgeSymbols(analysis)) {}

    std::string operator()(const std::string& size) const
    {
        if (const int type = m_analysis.typeCountedBy(size); type >= 0)
            return nodesText(m_analysis, type);
        if (const auto edges = m_edges.find(size); edges != m_edges.end())
            return edges->second.empty() ? "M" : "M " + edges->second;
        const auto [name, arguments] = sizeParts(size);
        if (name == "Add")
            return sum(arguments);
        if (name == "Mul")
            return product(arguments);
        if (name == "FloorDiv" && arguments.size() == 2)
            return "⌊" + factor(arguments[0]) + " / " + factor(arguments[1]) + "⌋";
        std::vector<std::string> texts;
        for (const std::string& argument : arguments)
            texts.push_back((*this)(argument));
        return arguments.empty() ? size : name + "(" + join(texts, ", ") + ")";
    }

private:
    // "M + V − 1"
    std::string sum(const std::vector<std::string>& terms) const
    {
        std::string text, constants;
        for (const std::string& term : terms) {
            const auto number = sizeNumber(term);
            if (!number)
                text += (text.empty() ? "" : " + ") + (*this)(term);
            else
                constants += *number < 0 ? " − " + std::to_string(0 - static_cast<std::uint64_t>(*number)) : " + " + std::to_string(*number);
        }
        return text + constants;
    }

    std::string product(const std::vector<std::string>& factors) const
    {
        std::vector<std::string> texts;
        for (const std::string& each : factors)
            texts.push_back(factor(each));
        return join(texts, "·");
    }

    std::string factor(const std::string& size) const
    {
        const std::string text = (*this)(size);
        const bool isSum = m_analysis.typeCountedBy(size) < 0
                               ? sizeParts(size).first == "Add"
                               : !text.starts_with("⌊") && (text.find(" + ") != std::string::npos || text.find(" − ") != std::string::npos);
        return isSum ? "(" + text + ")" : text;
    }

    const Analysis& m_analysis;
    std::map<std::string, std::string> m_edges;  // symbol -> name of the input, "" where there is only one
};

}  // namespace

std::string sizeText(const Analysis& analysis, const Dim& size)
{
    return size.isConstant() ? std::to_string(size.value) : SizeWriter(analysis)(size.symbol);
}

std::string sizesText(const Analysis& analysis, const std::vector<Dim>& sizes)
{
    std::vector<std::string> texts;
    for (const Dim& size : sizes)
        texts.push_back(sizeText(analysis, size));
    return "[" + join(texts, ", ") + "]";
}

std::string shapeText(const Analysis& analysis, ValueId value)
{
    const Value& v = analysis.program[value];
    if (v.kind != ValueKind::Tensor)
        return {};
    const ValueFacts& facts = analysis.values[value];
    const SizeWriter write(analysis);
    std::vector<std::string> sizes;
    for (std::size_t i = 0; i < v.sizes.size(); ++i) {
        const bool rows = facts.rowDim == static_cast<int>(i);
        const std::int64_t entries = rows ? facts.outer * facts.inner : 1;
        const std::string times = entries == 1 ? "" : std::to_string(entries) + "·";
        if (rows && facts.rows == Rows::Edges)
            sizes.push_back(times + "M");
        else if (rows && facts.rows == Rows::Nodes)
            sizes.push_back(times + nodesText(analysis, facts.nodeType));
        else
            sizes.push_back(v.sizes[i].isConstant() ? std::to_string(v.sizes[i].value) : write(v.sizes[i].symbol));
    }
    return "[" + join(sizes, ", ") + "]";
}

std::string structureText(const Analysis& analysis, ValueId value)
{
    const Program& program = analysis.program;
    const ValueId root = viewRoot(program, value);
    const Value& v = program[root];
    if (!v.producer.valid() || program[v.producer].target != "aten::select")
        return v.name;
    const Op& select = program[v.producer];
    const Argument* self = select.find("self");
    const Argument* index = select.find("index");
    if (self == nullptr || index == nullptr || self->asValue() == nullptr || index->asInt() == nullptr || !program.isInput(*self->asValue()))
        return v.name;
    return program[*self->asValue()].name + "[" + std::to_string(*index->asInt()) + "]";
}

double bytesPerRow(const Analysis& analysis, ValueId value)
{
    const Value& v = analysis.program[value];
    const ValueFacts& facts = analysis.values[value];
    double bytes = static_cast<double>(itemSize(v.dtype)) * static_cast<double>(facts.outer * facts.inner);
    for (std::size_t i = 0; i < v.sizes.size(); ++i)
        if (static_cast<int>(i) != facts.rowDim)
            bytes *= v.sizes[i].isConstant() ? static_cast<double>(v.sizes[i].value) : 0;
    return bytes;
}

}  // namespace cleave
