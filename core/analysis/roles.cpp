#include <algorithm>
#include <set>

#include "core/analysis/adjacency.h"
#include "core/analysis/analysis.h"
#include "core/analysis/dims.h"
#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

namespace {

bool mentions(const std::string& name, std::string_view word)
{
    return name.find(word) != std::string::npos;
}

bool hasRows(const Value& value)
{
    return value.kind == ValueKind::Tensor && !value.sizes.empty() && !value.sizes[0].isConstant();
}

// A square that other rows of nodes stand beside, or that is called so, is an adjacency matrix; alone it may be features as wide as there are nodes.
bool isAdjacency(const Program& program, const Value& value)
{
    if (!isSquareOfNodes(value))
        return false;
    return mentions(value.name, "adj") || std::ranges::any_of(program.inputs, [&](const Input& input) {
               const Value& other = program[input.value];
               return !isSquareOfNodes(other) && hasRows(other) && isFloating(other.dtype) && other.sizes[0] == value.sizes.back();
           });
}

// A parameter whose first dimension becomes the number of nodes. Where the exporter wrote that number as a constant, a symbol takes its
// place: on the one graph that the parameter fits, the program is the same.
class Promotion {
public:
    Promotion(Program& program, ValueId value) : m_p(program), m_value(value), m_weight(program[value].weight)
    {
        const Weight& weight = program[m_weight];
        if (weight.sizes.empty() || weight.sizes[0] < 2 || !isFloating(weight.dtype))
            throw Error("Parameter '" + printable(weight.name) +
                        "' cannot hold node features: they are floating-point numbers with one row for each node.");
        m_rows = weight.sizes[0];
        m_nodes.symbol = "nodes";
        for (const Input& input : program.inputs)
            if (input.parameter.valid() && program[input.parameter].sizes[0] != m_rows)
                m_nodes.symbol = "nodes_" + std::to_string(m_rows);
    }

    void run()
    {
        m_p.inputs.push_back({m_value, Role::NodeFeatures, m_weight});
        Value& parameter = m_p[m_value];
        parameter.weight = {};
        parameter.name = m_p[m_weight].name;
        parameter.sizes[0] = m_nodes;
        for (Value& value : m_p.values)
            if (!value.weight.valid() && &value != &parameter) {
                for (Dim& dim : value.sizes)
                    generalise(dim);
                if (value.kind == ValueKind::Int)
                    generalise(value.number);
            }
        Op size;
        size.name = m_p[m_weight].name + "_rows";
        size.target = "aten::sym_size";
        size.overload = "int";
        size.args = {{"self", {m_value}}, {"dim", {std::int64_t{0}}}};
        Value count;
        count.name = size.name;
        count.kind = ValueKind::Int;
        count.number = m_nodes;
        m_count = ValueId{static_cast<int>(m_p.values.size())};
        m_p.values.push_back(count);
        size.outputs = {m_count};
        for (Op& op : m_p.ops)
            for (NamedArgument& argument : op.args)
                generalise(argument.value);
        m_p.ops.insert(m_p.ops.begin(), std::move(size));
        for (std::size_t i = 0; i < m_p.ops.size(); ++i)
            for (const ValueId output : m_p.ops[i].outputs)
                m_p[output].producer = OpId{static_cast<int>(i)};
    }

private:
    void generalise(Dim& dim) const
    {
        if (dim.isConstant() && dim.value == m_rows)
            dim = m_nodes;
        else
            dim = renameSymbols(dim, {{std::to_string(m_rows), m_nodes.symbol}});
    }

    void generalise(Argument& argument) const
    {
        if (const std::int64_t* number = argument.asInt(); number && *number == m_rows)
            argument.value = m_count;
        else if (auto* list = std::get_if<std::vector<Argument>>(&argument.value))
            for (Argument& item : *list)
                generalise(item);
    }

    Program& m_p;
    ValueId m_value, m_count;
    WeightId m_weight;
    std::int64_t m_rows = 0;
    Dim m_nodes;
};

ValueId findParameter(const Program& program, const std::string& name)
{
    for (std::size_t v = 0; v < program.values.size(); ++v)
        if (const Value& value = program.values[v]; value.weight.valid() && (value.name == name || program[value.weight].name == name))
            return ValueId{static_cast<int>(v)};
    return {};
}

bool isInputName(const Program& program, const std::string& name)
{
    return std::ranges::any_of(program.inputs, [&](const Input& input) { return program[input.value].name == name; });
}

// What has a row for each entry of a list of rows, and is named by no index itself, is of edges: angles between the edges that two lists name.
void rolesByLists(Program& program)
{
    std::set<std::string> listed, named;
    for (const Input& input : program.inputs) {
        const Value& value = program[input.value];
        if (value.kind != ValueKind::Tensor || !isInteger(value.dtype))
            continue;
        bool isIndex = false;
        for (const std::set<std::string>& sizes : sizesNamedBy(program, input.value)) {
            named.insert(sizes.begin(), sizes.end());
            isIndex = isIndex || !sizes.empty();
        }
        if (isIndex && value.sizes.size() == 1 && !mentions(value.name, "batch") && !mentions(value.name, "ptr"))
            listed.insert(value.sizes[0].symbol);
    }
    const auto isOfNodes = [&](const Input& input) {
        return input.role == Role::NodeFeatures && named.contains(program[input.value].sizes[0].symbol);
    };
    if (std::ranges::none_of(program.inputs, isOfNodes))
        return;
    for (Input& input : program.inputs)
        if (input.role == Role::NodeFeatures && !isOfNodes(input) && !input.parameter.valid() &&
            listed.contains(program[input.value].sizes[0].symbol))
            input.role = Role::EdgeFeatures;
}

}  // namespace

void promoteParameters(Program& program, const std::map<std::string, Role>& chosen)
{
    for (const auto& [name, role] : chosen) {
        const ValueId parameter = isInputName(program, name) ? ValueId{} : findParameter(program, name);
        if (parameter.valid() && role != Role::NodeFeatures)
            throw Error("'" + printable(name) + "' is a parameter: the only role that it can have is node-features.");
        if (parameter.valid())
            Promotion(program, parameter).run();
    }
}

void assignRoles(Program& program, const std::map<std::string, Role>& chosen)
{
    std::set<std::string> edgeSymbols;
    for (const Input& input : program.inputs)
        if (isEdgeIndex(program[input.value]) && !program[input.value].sizes[1].isConstant())
            edgeSymbols.insert(program[input.value].sizes[1].symbol);

    bool anyFloatFeatures = false;
    for (Input& input : program.inputs) {
        const Value& value = program[input.value];
        input.role = Role::Other;
        if (isEdgeIndex(value) || isAdjacency(program, value))
            input.role = Role::GraphStructure;
        else if (hasRows(value) &&
                 (edgeSymbols.contains(value.sizes[0].symbol) || (mentions(value.name, "edge") && !mentions(value.name, "hyperedge"))))
            input.role = Role::EdgeFeatures;
        else if (hasRows(value) && isFloating(value.dtype))
            input.role = Role::NodeFeatures;
        anyFloatFeatures = anyFloatFeatures || input.role == Role::NodeFeatures;
    }
    rolesByLists(program);
    // Integers for each node are features (types to embed) only where nothing else is; batch vectors never are.
    if (!anyFloatFeatures)
        for (Input& input : program.inputs) {
            const Value& value = program[input.value];
            const bool names = mentions(value.name, "batch") || mentions(value.name, "ptr");
            if (input.role == Role::Other && hasRows(value) && isInteger(value.dtype) && !names)
                input.role = Role::NodeFeatures;
        }

    for (const auto& [name, role] : chosen) {
        const auto input = std::ranges::find_if(program.inputs, [&program, &wanted = name](const Input& i) {
            return program[i.value].name == wanted || (i.parameter.valid() && program[i.parameter].name == wanted);
        });
        if (input == program.inputs.end()) {
            std::vector<std::string> names;
            for (const Input& i : program.inputs)
                names.push_back(program[i.value].name);
            throw Error("The model has no input or parameter '" + printable(name) + "'; its inputs are " + join(names, ", ") + ".");
        }
        input->role = role;
    }
}

}  // namespace cleave
