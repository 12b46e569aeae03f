#include <algorithm>
#include <set>

#include "core/analysis/adjacency.h"
#include "core/analysis/analysis.h"
#include "core/analysis/message_passing.h"
#include "core/analysis/op_view.h"
#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

namespace {

bool mentions(const std::string& name, std::string_view word)
{
    return name.find(word) != std::string::npos;
}

// The input that a value is a view or a part of; invalid if it is computed.
ValueId rootOf(const Program& program, ValueId value)
{
    while (value.valid() && !program.isInput(value)) {
        const Op* op = producerOf(program, value);
        const bool isPart = op != nullptr && (viewKind(*op) != ViewKind::None || op->target == "aten::to");
        value = isPart ? OpView(program, *op).value("self") : ValueId{};
    }
    return value;
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

// A table, or what is computed of weights alone.
bool isLookedUp(const Program& program, ValueId value, int depth = 8)
{
    const OpId maker = program[value].producer;
    if (program[value].weight.valid() || !maker.valid() || depth == 0)
        return program[value].weight.valid();
    bool all = true;
    forEachOperand(program[maker], [&](ValueId operand) { all = all && isLookedUp(program, operand, depth - 1); });
    return all;
}

// An index of rows is no feature: a list of nodes, edges as rows of pairs.
bool isReadAt(const Program& program, ValueId input)
{
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const auto gather = gatherForm(program, OpId{static_cast<int>(i)});
        const auto scatter = scatterForm(program, OpId{static_cast<int>(i)});
        if ((scatter && rootOf(program, scatter->index) == input) ||
            (gather && !isLookedUp(program, gather->source) && rootOf(program, gather->index) == input))
            return true;
    }
    return false;
}

// Inputs of which ops ask for the sizes, and for nothing else.
std::set<ValueId> readForTheirSize(const Program& program)
{
    std::set<ValueId> sized, read(program.outputs.begin(), program.outputs.end());
    for (const Op& op : program.ops)
        forEachOperand(op, [&](ValueId operand) {
            const bool isSize = isOneOf(op.target, {"aten::sym_size", "aten::size", "aten::sym_numel", "aten::numel", "aten::len"});
            (isSize ? sized : read).insert(operand);
        });
    std::erase_if(sized, [&](ValueId value) { return read.contains(value); });
    return sized;
}

// Where it is not zero lie edges: matrices of graphs side by side, say.
bool tellsEdges(const Program& program, ValueId input)
{
    static const std::set<std::string_view> compared{"aten::ne", "aten::gt", "aten::ge", "aten::lt", "aten::le", "aten::abs"};
    for (const Op& op : program.ops) {
        if (op.target != "aten::nonzero" && op.target != "aten::nonzero_numpy" && op.target != "aten::argwhere")
            continue;
        ValueId self = OpView(program, op).value("self");
        while (self.valid() && program[self].producer.valid() && compared.contains(program[program[self].producer].target))
            self = OpView(program, program[program[self].producer]).value("self");
        if (self.valid() && rootOf(program, self) == input)
            return true;
    }
    return false;
}

std::set<std::string> sizesNamedByEdges(const Program& program)
{
    std::set<std::string> named;
    for (const Input& input : program.inputs)
        if (input.role == Role::GraphStructure && isEdgeIndex(program[input.value]))
            for (const std::set<std::string>& sizes : sizesNamedBy(program, input.value, true))
                named.insert(sizes.begin(), sizes.end());
    return named;
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
        const bool isPairs = value.sizes.size() == 2 && value.sizes[1] == Dim{2, {}};
        if (isIndex && (isPairs || value.sizes.size() == 1) && !mentions(value.name, "batch") && !mentions(value.name, "ptr"))
            listed.insert(value.sizes[0].symbol);
    }
    const auto isOfNodes = [&](const Input& input) {
        return input.role == Role::NodeFeatures && named.contains(program[input.value].sizes[0].symbol);
    };
    // Kinds of nodes, whose rows are those of a table.
    const auto numbersNodes = [&](const Input& input) {
        const Value& value = program[input.value];
        return input.role == Role::Other && hasRows(value) && isInteger(value.dtype) && named.contains(value.sizes[0].symbol) &&
               !listed.contains(value.sizes[0].symbol) && !isReadAt(program, input.value);
    };
    if (std::ranges::none_of(program.inputs, isOfNodes) && std::ranges::none_of(program.inputs, numbersNodes))
        return;
    for (Input& input : program.inputs)
        if (input.role == Role::NodeFeatures && !isOfNodes(input) && !input.parameter.valid() &&
            listed.contains(program[input.value].sizes[0].symbol))
            input.role = Role::EdgeFeatures;
}

// Models that make features of the graph itself, degrees or ones, are given something else for each node: the graph that it belongs to, masks.
// What somebody says is other than features is not taken for that.
void countNodes(Program& program, const std::map<std::string, Role>& chosen)
{
    const std::set<std::string> named = sizesNamedByEdges(program);
    const bool hasFeatures = std::ranges::any_of(program.inputs, [](const Input& input) { return input.role == Role::NodeFeatures; });
    for (Input& input : program.inputs) {
        const Value& value = program[input.value];
        const bool isOther = input.role == Role::Other && !chosen.contains(value.name);
        input.countsNodes = !hasFeatures && isOther && hasRows(value) && named.contains(value.sizes[0].symbol);
    }
}

}  // namespace

void assignRoles(Program& program, const std::map<std::string, Role>& chosen)
{
    std::set<std::string> edgeSymbols;
    for (const Input& input : program.inputs)
        if (isEdgeIndex(program[input.value]) && !program[input.value].sizes[1].isConstant())
            edgeSymbols.insert(program[input.value].sizes[1].symbol);

    for (Input& input : program.inputs) {
        const Value& value = program[input.value];
        input.role = Role::Other;
        if (input.parameter.valid())
            input.role = isSquareOfNodes(value) ? Role::GraphStructure : Role::NodeFeatures;
        else if (isEdgeIndex(value) || isAdjacency(program, value))
            input.role = Role::GraphStructure;
        else if (hasRows(value) &&
                 (edgeSymbols.contains(value.sizes[0].symbol) || (mentions(value.name, "edge") && !mentions(value.name, "hyperedge"))))
            input.role = Role::EdgeFeatures;
        else if (hasRows(value) && isFloating(value.dtype))
            input.role = Role::NodeFeatures;
    }
    // What is read for its size alone, the number of graphs say, has rows of nothing where others have features.
    const std::set<ValueId> sized = readForTheirSize(program);
    const auto isRead = [&](const Input& input) { return input.role == Role::NodeFeatures && !sized.contains(input.value); };
    if (std::ranges::any_of(program.inputs, isRead))
        for (Input& input : program.inputs)
            if (input.role == Role::NodeFeatures && sized.contains(input.value))
                input.role = Role::Other;
    // Beside lists of ends of edges between rows of a parameter, as long as these: of edges.
    const std::set<std::string> ends = sizesOfEnds(program);
    for (Input& input : program.inputs)
        if (input.role == Role::NodeFeatures && !input.parameter.valid() && ends.contains(program[input.value].sizes[0].symbol))
            input.role = Role::EdgeFeatures;
    const auto isFeatures = [](const Input& input) { return input.role == Role::NodeFeatures; };
    if (std::ranges::count_if(program.inputs, isFeatures) > 1)
        for (Input& input : program.inputs)
            if (isFeatures(input) && !input.parameter.valid() && program[input.value].sizes.size() > 1 && tellsEdges(program, input.value))
                input.role = Role::GraphStructure;
    rolesByLists(program);
    // Integers for each node are features (types to embed) only where nothing else is, or what is has no rows that edges name, as targets of graphs
    // have none; batch vectors never are.
    const bool anyFloatFeatures = std::ranges::any_of(program.inputs, isFeatures);
    const std::set<std::string> named = sizesNamedByEdges(program);
    const auto isNamed = [&](const Input& input) { return named.contains(program[input.value].sizes[0].symbol); };
    if (!anyFloatFeatures || std::ranges::none_of(program.inputs, [&](const Input& input) { return isFeatures(input) && isNamed(input); }))
        for (Input& input : program.inputs) {
            const Value& value = program[input.value];
            if (anyFloatFeatures && !(hasRows(value) && isNamed(input)))
                continue;
            const bool names = value.sizes.size() == 1 && (mentions(value.name, "batch") || mentions(value.name, "ptr"));
            if (input.role == Role::Other && hasRows(value) && isInteger(value.dtype) && !names && !isReadAt(program, input.value))
                input.role = Role::NodeFeatures;
        }

    for (const auto& [name, role] : chosen) {
        const auto input = std::ranges::find_if(program.inputs, [&program, &wanted = name](const Input& i) {
            return program[i.value].name == wanted || (i.parameter.valid() && (program[i.parameter].name == wanted || std::ranges::count(program[i.parameter].rowsOf, wanted) > 0));
        });
        if (input == program.inputs.end()) {
            std::vector<std::string> names;
            for (const Input& i : program.inputs)
                names.push_back(program[i.value].name);
            throw Error("The model has no input or parameter '" + printable(name) + "'; its inputs are " + join(names, ", ") + ".");
        }
        input->role = role;
    }
    countNodes(program, chosen);
}

}  // namespace cleave
