#include <algorithm>
#include <map>
#include <set>

#include "core/analysis/analysis.h"
#include "core/analysis/evaluator.h"
#include "core/analysis/message_passing.h"
#include "core/analysis/op_kinds.h"
#include "core/analysis/op_view.h"
#include "core/analysis/promotion.h"
#include "core/analysis/views.h"
#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

namespace {

// Whether an op hands out rows of its operand that lie one below another, at numbers that are fixed.
bool dividesRows(const Program& program, const Op& op)
{
    const OpView view(program, op);
    const auto isFixed = [&](ValueId part) { return !program[part].sizes.empty() && program[part].sizes[0].isConstant(); };
    const bool isSlice = op.target == "aten::slice" && view.integerOr("step", 1) == 1 && (view.integer("start") || !view.given("start"));
    const bool isPart = isSlice || (op.target == "aten::narrow" && view.integer("start"));
    return (isPart || isOneOf(op.target, {"aten::split", "aten::split_with_sizes", "aten::chunk"})) &&
           (!view.given("dim") || view.dim("dim", view.rank("self")) == 0) && std::ranges::all_of(op.outputs, isFixed);
}

}  // namespace

void divideTables(Program& program)
{
    std::set<ValueId> whole(program.outputs.begin(), program.outputs.end()), divided;
    for (const Op& op : program.ops)
        if (dividesRows(program, op))
            divided.insert(OpView(program, op).value("self"));
        else
            forEachOperand(op, [&](ValueId operand) { whole.insert(operand); });
    std::set<ValueId> read;
    for (std::size_t i = 0; i < program.ops.size(); ++i)
        if (const auto gather = gatherForm(program, OpId{static_cast<int>(i)}); gather && gather->sourceDim == 0)
            if (const OpId maker = program[gather->source].producer; maker.valid() && dividesRows(program, program[maker]))
                read.insert(OpView(program, program[maker]).value("self"));
    const auto isDivided = [&](ValueId value) {
        return isTable(program, value) && !program[program[value].weight].sizes.empty() && !whole.contains(value) && divided.contains(value) &&
               read.contains(value);
    };
    std::vector<Op> others;
    for (Op& op : program.ops) {
        const OpView view(program, op);
        const ValueId table = view.value("self");
        if (!dividesRows(program, op) || !isDivided(table)) {
            others.push_back(std::move(op));
            continue;
        }
        const std::int64_t rows = program[program[table].weight].sizes[0];
        std::int64_t first = view.integerOr("start", 0);
        first = std::clamp<std::int64_t>(first < 0 ? first + rows : first, 0, rows);
        for (const ValueId output : op.outputs) {
            Weight part = program[program[table].weight];
            const std::int64_t count = std::clamp<std::int64_t>(program[output].sizes[0].value, 0, rows - first);
            if (part.rowsOf.empty())
                part.rowsOf = {part.name};
            part.name += "[" + std::to_string(first) + ":" + std::to_string(first + count) + "]";
            part.offset += first * part.strides[0];
            part.isPart = true;
            part.firstRow += first;
            part.sizes[0] = count;
            first += count;
            program[output].weight = WeightId{static_cast<int>(program.weights.size())};
            program[output].producer = {};
            program.weights.push_back(std::move(part));
        }
    }
    program.ops = std::move(others);
    numberProducers(program);
}

namespace {

// A table that is put below others stands for the rows of all of them.
ValueId withOthers(const Program& program, ValueId table)
{
    ValueId all = table;
    for (const Op& op : program.ops)
        if (const std::vector<ValueId> parts = tablesBelow(program, op); std::ranges::find(parts, table) != parts.end())
            all = op.outputs.front();
    return all;
}

ValueId findParameter(const Program& program, const std::string& name)
{
    for (std::size_t v = 0; v < program.values.size(); ++v)
        if (const Value& value = program.values[v]; value.weight.valid() && (value.name == name || program[value.weight].name == name))
            return withOthers(program, ValueId{static_cast<int>(v)});
    return {};
}

bool isInputName(const Program& program, const std::string& name)
{
    return std::ranges::any_of(program.inputs, [&](const Input& input) {
        return program[input.value].name == name || (input.parameter.valid() && std::ranges::count(program[input.parameter].rowsOf, name) > 0);
    });
}

// Of a table, or of what is computed from one by ops whose first operand has the same rows.
ValueId tableBehind(const Program& program, ValueId rows)
{
    const std::vector<Dim> sizes = program[rows].sizes;
    ValueId last;
    while (rows.valid() && !program[rows].sizes.empty() && program[rows].sizes[0] == sizes[0]) {
        if (isTable(program, rows))
            return rows;
        const OpId maker = program[rows].producer;
        if (!maker.valid())
            return {};
        if (!tablesBelow(program, program[maker]).empty())
            return rows;
        last = rows;
        const Argument* first = program[maker].args.empty() ? nullptr : &program[maker].args.front().value;
        const ValueId* operand = first == nullptr ? nullptr : first->asValue();
        rows = operand == nullptr ? ValueId{} : *operand;
    }
    // Or of several things below one another, of which some are computed: a table once that has been done.
    return last.valid() && isComputedFromParameters(program, last) ? last : ValueId{};
}

// A list among the inputs that an index is; nothing if it is another thing.
const Value* listBehind(const Program& program, ValueId index)
{
    if (!index.valid())
        return nullptr;
    const ValueId root = viewRoot(program, index);
    const Value& list = program[root];
    const bool isList = program.isInput(root) && isInteger(list.dtype) && list.sizes.size() == 1 && !list.sizes[0].isConstant();
    return isList ? &list : nullptr;
}

bool isPromoted(const Program& program, const Dim& rows)
{
    return std::ranges::any_of(program.inputs, [&](const Input& input) { return input.parameter.valid() && program[input.value].sizes[0] == rows; });
}

// Tables with all rows of which an op works, as ops do with those of nodes. Layers have tables, too: what rows are multiplied by.
std::vector<ValueId> tablesWorkedOn(const Program& program)
{
    std::vector<ValueId> tables;
    std::set<ValueId> seen;
    for (const Op& op : program.ops) {
        const ValueId self = OpView(program, op).value("self");
        const bool isOfLayers = isOneOf(
            op.target, {"aten::t", "aten::transpose", "aten::permute", "aten::embedding", "aten::index", "aten::index_select", "aten::gather"});
        if (self.valid() && !isOfLayers && isTable(program, self) && seen.insert(self).second)
            tables.push_back(self);
    }
    return tables;
}

// Entries of an edge index, perhaps with loops behind them, or a matrix of edges.
bool comesOfEdges(const Program& program, ValueId value)
{
    std::vector<ValueId> open{value};
    std::set<ValueId> seen;
    while (!open.empty()) {
        const ValueId next = open.back();
        open.pop_back();
        if (!next.valid() || !seen.insert(next).second)
            continue;
        const Value& here = program[next];
        if (program.isInput(next)) {
            const bool isSquare = isFloating(here.dtype) && here.sizes.size() == 2 && here.sizes[0] == here.sizes[1];
            if (isEdgeIndex(here) || isSquare)
                return true;
        } else if (here.producer.valid() && !program[here.producer].args.empty()) {
            const Argument& first = program[here.producer].args.front().value;
            if (const ValueId* operand = first.asValue())
                open.push_back(*operand);
            else if (const auto* list = first.asList())
                for (const Argument& item : *list)
                    open.push_back(item.asValue() == nullptr ? ValueId{} : *item.asValue());
        }
    }
    return false;
}

// The sizes of what edges read rows of: lists as long say something of nodes.
std::set<std::string> sizesOfNodes(const Program& program)
{
    std::set<std::string> sizes;
    for (std::size_t i = 0; i < program.ops.size(); ++i)
        if (const auto gather = gatherForm(program, OpId{static_cast<int>(i)}); gather && gather->sourceDim == 0 && gather->source.valid())
            if (const std::vector<Dim>& rows = program[gather->source].sizes;
                !rows.empty() && !rows[0].isConstant() && comesOfEdges(program, gather->index))
                sizes.insert(rows[0].symbol);
    return sizes;
}

using RowsOfEnds = std::map<std::string, std::set<std::string>>;

// By the size of lists of edges' ends: how many rows they name, where rows of parameters are read at some and rows are summed at some into as many
// rows as a parameter has. What edges have beside their ends (relations) are lists as long, at which other tables are read, but into whose rows
// nothing is summed; the kinds of nodes are lists as long as there are nodes.
RowsOfEnds rowsOfEnds(const Program& program)
{
    const std::set<std::string> nodes = sizesOfNodes(program);
    std::set<std::string> tables, everSummed;
    for (const ValueId table : tablesWorkedOn(program))
        tables.insert(toString(program[table].sizes[0]));
    RowsOfEnds read, summed;
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const OpId id{static_cast<int>(i)};
        if (const auto gather = gatherForm(program, id); gather && gather->sourceDim == 0 && gather->source.valid()) {
            const Value* list = listBehind(program, gather->index);
            const std::vector<Dim>& sizes = program[gather->source].sizes;
            if (list && !nodes.contains(list->sizes[0].symbol) && !sizes.empty() &&
                (tableBehind(program, gather->source).valid() || isPromoted(program, sizes[0])))
                read[list->sizes[0].symbol].insert(toString(sizes[0]));
        } else if (const auto scatter = scatterForm(program, id); scatter && scatter->rowDim == 0 && !program[scatter->self].sizes.empty()) {
            if (const Value* list = listBehind(program, scatter->index); list && !nodes.contains(list->sizes[0].symbol))
                summed[list->sizes[0].symbol].insert(toString(program[scatter->self].sizes[0]));
            everSummed.insert(toString(program[scatter->self].sizes[0]));
        }
    }
    RowsOfEnds ends;
    for (const auto& [size, into] : summed) {
        const std::set<std::string>& from = read[size];
        const auto isEnd = [&](const std::string& rows) { return from.contains(rows) || tables.contains(rows); };
        if (from.empty() || std::ranges::none_of(into, isEnd))
            continue;
        std::ranges::copy_if(into, std::inserter(ends[size], ends[size].end()), isEnd);
        std::ranges::set_intersection(from, everSummed, std::inserter(ends[size], ends[size].end()));
    }
    return ends;
}

// Entries of an edge index or of a list of ends of rows like these, or a matrix of edges.
bool isOfEdges(const Program& program, ValueId value, const Dim& rows, const RowsOfEnds& ends)
{
    if (const Value* list = listBehind(program, value))
        if (const auto named = ends.find(list->sizes[0].symbol); named != ends.end() && named->second.contains(toString(rows)))
            return true;
    return comesOfEdges(program, value);
}

// What edges read rows of, or a matrix of edges is multiplied by.
std::vector<ValueId> tablesReadByEdges(const Program& program)
{
    std::vector<ValueId> tables;
    const RowsOfEnds ends = rowsOfEnds(program);
    const auto note = [&](ValueId index, ValueId rows) {
        if (const ValueId table = rows.valid() && !program[rows].sizes.empty() && isOfEdges(program, index, program[rows].sizes[0], ends)
                                      ? tableBehind(program, rows)
                                      : ValueId{};
            table.valid() && std::ranges::find(tables, table) == tables.end())
            tables.push_back(table);
    };
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const Op& op = program.ops[i];
        if (const auto gather = gatherForm(program, OpId{static_cast<int>(i)}); gather && gather->sourceDim == 0)
            note(gather->index, gather->source);
        else if (op.target == "aten::mm" || op.target == "aten::matmul" || op.target == "aten::_sparse_mm")
            note(OpView(program, op).value(op.target == "aten::_sparse_mm" ? "sparse" : "self"), OpView(program, op)
                                                                                                     .value(op.target == "aten::mm"       ? "mat2"
                                                                                                            : op.target == "aten::matmul" ? "other"
                                                                                                                                          : "dense"));
    }
    // What is summed into other rows than those that are read.
    std::set<std::string> named;
    for (const auto& [size, rows] : ends)
        named.insert(rows.begin(), rows.end());
    for (const ValueId table : tables)
        named.erase(toString(program[table].sizes[0]));
    for (const ValueId table : tablesWorkedOn(program))
        if (named.contains(toString(program[table].sizes[0])))
            tables.push_back(table);
    return tables;
}

}  // namespace

void promoteParameters(Program& program, const std::map<std::string, Role>& chosen)
{
    for (const auto& [name, role] : chosen) {
        const ValueId parameter = isInputName(program, name) ? ValueId{} : findParameter(program, name);
        if (parameter.valid() && role != Role::NodeFeatures)
            throw Error("'" + printable(name) + "' is a parameter: the only role that it can have is node-features.");
        if (parameter.valid())
            promote(program, parameter);
    }
}

std::set<std::string> sizesOfEnds(const Program& program)
{
    std::set<std::string> sizes;
    for (const auto& [size, rows] : rowsOfEnds(program))
        sizes.insert(size);
    return sizes;
}

void promoteReadByEdges(Program& program, const Evaluator& evaluator)
{
    std::vector<ValueId> tables = tablesReadByEdges(program);
    // Those below one another first: alone, each of them is a table no more when its rows have become an input.
    std::ranges::stable_partition(tables, [&](ValueId table) { return program[table].producer.valid(); });
    for (const ValueId table : tables) {
        const Op* maker = producerOf(program, table);
        const bool isComputed = maker != nullptr && tablesBelow(program, *maker).empty();
        if (isComputed && (!isComputedFromParameters(program, table) || !computeParameter(program, table, evaluator)))
            continue;
        promote(program, table);
        if (isComputed)
            program.notes.push_back("Rows of " + printable(program[table].name) +
                                    " are computed from parameters alone: they are computed once, and are the node features.");
        else
            program.notes.push_back("Parameter " + printable(program[table].name) + " holds the node features: each of its rows is of a node.");
    }
}

}  // namespace cleave
