#include <algorithm>
#include <cstring>
#include <map>
#include <ranges>
#include <set>

#include "core/analysis/analysis.h"
#include "core/analysis/dims.h"
#include "core/analysis/evaluator.h"
#include "core/analysis/message_passing.h"
#include "core/analysis/op_kinds.h"
#include "core/analysis/op_view.h"
#include "core/analysis/views.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/model/size_term.h"

namespace cleave {

namespace {

bool isTable(const Program& program, ValueId value)
{
    return value.valid() && program[value].weight.valid() && !program[value].sizes.empty() && isFloating(program[value].dtype);
}

// The tables whose rows a cat puts below one another; empty for other ops.
std::vector<ValueId> tablesBelow(const Program& program, const Op& op)
{
    if (op.target != "aten::cat")
        return {};
    const OpView view(program, op);
    const std::vector<ValueId> parts = view.values("tensors");
    if (parts.size() < 2 || !isTable(program, parts.front()) || op.outputs.size() != 1 ||
        (view.given("dim") && view.dim("dim", view.outputRank()) != 0))
        return {};
    const Weight& first = program[program[parts.front()].weight];
    const auto fits = [&](ValueId part) {
        if (!isTable(program, part))
            return false;
        const Weight& weight = program[program[part].weight];
        double bytes = static_cast<double>(itemSize(weight.dtype));
        for (const std::int64_t size : weight.sizes)
            bytes *= static_cast<double>(size);
        return !weight.isInline && !weight.isPart && weight.dtype == first.dtype && bytes <= static_cast<double>(weight.storage->size()) && !weight.sizes.empty() &&
               weight.sizes.size() == view.output().sizes.size() &&
               std::ranges::equal(weight.sizes | std::views::drop(1), first.sizes | std::views::drop(1));
    };
    return std::ranges::all_of(parts, fits) ? parts : std::vector<ValueId>{};
}

// One below another, contiguous.
std::vector<std::byte> rowsOf(const Weight& weight)
{
    const std::size_t item = itemSize(weight.dtype), rank = weight.sizes.size();
    std::size_t count = 1;
    for (const std::int64_t size : weight.sizes)
        count *= at(size);
    std::vector<std::byte> bytes(count * item);
    std::vector<std::int64_t> index(rank);
    std::int64_t from = weight.offset;
    for (std::size_t to = 0; to < count; ++to) {
        std::memcpy(bytes.data() + to * item, weight.storage->data() + at(from) * item, item);
        for (std::size_t d = rank; d-- > 0;) {
            from += weight.strides[d];
            if (++index[d] < weight.sizes[d])
                break;
            from -= weight.strides[d] * weight.sizes[d];
            index[d] = 0;
        }
    }
    return bytes;
}

// Alone in its storage, without gaps.
void store(Weight& weight, std::vector<std::byte> bytes)
{
    weight.offset = 0;
    weight.strides.resize(weight.sizes.size());
    std::int64_t step = 1;
    for (std::size_t d = weight.sizes.size(); d-- > 0; step *= weight.sizes[d])
        weight.strides[d] = step;
    weight.storage = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

void numberProducers(Program& program)
{
    for (std::size_t i = 0; i < program.ops.size(); ++i)
        for (const ValueId output : program.ops[i].outputs)
            program[output].producer = OpId{static_cast<int>(i)};
}

// A weight of the rows of several.
WeightId joined(Program& program, const std::vector<ValueId>& tables)
{
    std::vector<std::byte> bytes;
    Weight all = program[program[tables.front()].weight];
    all.sizes[0] = 0;
    for (const ValueId table : tables) {
        const Weight& part = program[program[table].weight];
        const std::vector<std::byte> rows = rowsOf(part);
        bytes.insert(bytes.end(), rows.begin(), rows.end());
        all.sizes[0] += part.sizes[0];
        all.rowsOf.push_back(part.name);
    }
    all.name = join(all.rowsOf, "+");
    store(all, std::move(bytes));
    program.weights.push_back(std::move(all));
    return {static_cast<int>(program.weights.size()) - 1};
}

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

// A parameter, or several whose rows stand below one another, whose first dimension becomes the number of nodes. Where the exporter wrote that number
// as a constant, a symbol takes its place: on the one graph that the parameter fits, the program is the same.
class Promotion {
public:
    Promotion(Program& program, ValueId value) : m_p(program), m_value(value)
    {
        if (const OpId cat = program[value].producer; cat.valid()) {
            m_weight = joined(program, tablesBelow(program, program[cat]));
            program.ops.erase(program.ops.begin() + cat.index);
            program[value].producer = {};
        } else {
            m_weight = program[value].weight;
        }
        const Weight& weight = program[m_weight];
        if (weight.sizes.empty() || weight.sizes.size() != program[value].sizes.size() || weight.sizes[0] < 2 || !isFloating(weight.dtype))
            throw Error("Parameter '" + printable(weight.name) +
                        "' cannot hold node features: they are floating-point numbers with one row for each node.");
        m_rows = weight.sizes[0];
        m_nodes.symbol = "nodes";
        for (const Input& input : program.inputs)
            if (input.parameter.valid() && program[input.parameter].sizes[0] == m_rows) {
                m_nodes = program[input.value].sizes[0];
                break;
            } else if (input.parameter.valid()) {
                m_nodes.symbol = "nodes_" + std::to_string(m_rows);
            }
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
        changeSizesOfGuards(m_p, [this](Dim& size) { generalise(size); });
        m_count = addNumber("rows", "aten::sym_size", "int", {{"self", {m_value}}, {"dim", {std::int64_t{0}}}}, m_nodes);
        for (Op& op : m_p.ops) {
            if (op.target == "aten::split_with_sizes")
                generaliseParts(op);
            for (NamedArgument& argument : op.args)
                generalise(argument.value);
        }
        m_p.ops.insert(m_p.ops.begin(), m_made.begin(), m_made.end());
        numberProducers(m_p);
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

    // Rows divided at fixed places: at the same shares of any number of rows, as small graphs have them that a cut is checked on.
    void generaliseParts(Op& op)
    {
        const auto argument = std::ranges::find(op.args, "split_sizes", &NamedArgument::name);
        auto* parts = argument == op.args.end() ? nullptr : std::get_if<std::vector<Argument>>(&argument->value.value);
        std::int64_t sum = 0;
        const auto isFixed = [&](const Argument& part) {
            sum += part.asInt() == nullptr ? 0 : *part.asInt();
            return part.asInt() != nullptr;
        };
        if (parts == nullptr || parts->size() < 2 || !std::ranges::all_of(*parts, isFixed) || sum != m_rows)
            return;
        ValueId rest = m_count;
        for (Argument& part : *parts) {
            const std::int64_t rows = *part.asInt();
            if (&part == &parts->back()) {
                part.value = rest;
                break;
            }
            const ValueId times = addNumber("times", "operator::mul", "", {{"a", {m_count}}, {"b", {rows}}}, {});
            part.value = addNumber("part", "operator::floordiv", "", {{"a", {times}}, {"b", {m_rows}}}, {rows, {}});
            rest = addNumber("rest", "operator::sub", "", {{"a", {rest}}, {"b", {std::get<ValueId>(part.value)}}}, {});
        }
    }

    ValueId addNumber(const std::string& name, std::string target, std::string overload, std::vector<NamedArgument> arguments, const Dim& number)
    {
        Value made;
        made.name = m_p[m_weight].name + "_" + name + (m_made.empty() ? "" : "_" + std::to_string(m_made.size()));
        made.kind = ValueKind::Int;
        made.number = number;
        Op op;
        op.name = made.name;
        op.target = std::move(target);
        op.overload = std::move(overload);
        op.args = std::move(arguments);
        op.outputs = {ValueId{static_cast<int>(m_p.values.size())}};
        m_p.values.push_back(std::move(made));
        m_made.push_back(std::move(op));
        return m_made.back().outputs.front();
    }

    Program& m_p;
    std::vector<Op> m_made;  // which count
    ValueId m_value, m_count;
    WeightId m_weight;
    std::int64_t m_rows = 0;
    Dim m_nodes;
};

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

// Rows of numbers that ops make of parameters, and of nothing that a graph gives.
bool isComputedFromParameters(const Program& program, ValueId value)
{
    bool readsParameters = false;
    std::vector<ValueId> open{value};
    std::set<ValueId> seen;
    while (!open.empty()) {
        const ValueId next = open.back();
        open.pop_back();
        if (!seen.insert(next).second)
            continue;
        if (program.isInput(next))
            return false;
        if (program[next].weight.valid())
            readsParameters = true;
        else if (const Op* maker = producerOf(program, next))
            forEachOperand(*maker, [&](ValueId operand) { open.push_back(operand); });
    }
    const Value& rows = program[value];
    return readsParameters && isFloating(rows.dtype) && std::ranges::all_of(rows.sizes, &Dim::isConstant) && producerOf(program, value)->outputs.size() == 1;
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

using RowsOfEnds = std::map<std::string, std::set<std::string>>;

// By the size of lists of edges' ends: how many rows they name, where rows of parameters are read at some and rows are summed at some into as many rows
// as a parameter has. What edges have beside their ends (relations) are lists as long, at which other tables are read, but into whose rows nothing is summed.
RowsOfEnds rowsOfEnds(const Program& program)
{
    std::set<std::string> tables, everSummed;
    for (const ValueId table : tablesWorkedOn(program))
        tables.insert(toString(program[table].sizes[0]));
    RowsOfEnds read, summed;
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const OpId id{static_cast<int>(i)};
        if (const auto gather = gatherForm(program, id); gather && gather->sourceDim == 0 && gather->source.valid()) {
            const Value* list = listBehind(program, gather->index);
            const std::vector<Dim>& sizes = program[gather->source].sizes;
            if (list && !sizes.empty() && (tableBehind(program, gather->source).valid() || isPromoted(program, sizes[0])))
                read[list->sizes[0].symbol].insert(toString(sizes[0]));
        } else if (const auto scatter = scatterForm(program, id); scatter && scatter->rowDim == 0 && !program[scatter->self].sizes.empty()) {
            if (const Value* list = listBehind(program, scatter->index))
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

// Entries of an edge index, perhaps with loops behind them, of a list of ends of rows like these, or a matrix of edges.
bool isOfEdges(const Program& program, ValueId value, const Dim& rows, const RowsOfEnds& ends)
{
    if (const Value* list = listBehind(program, value))
        if (const auto named = ends.find(list->sizes[0].symbol); named != ends.end() && named->second.contains(toString(rows)))
            return true;
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
            Promotion(program, parameter).run();
    }
}

std::set<std::string> sizesOfEnds(const Program& program)
{
    std::set<std::string> sizes;
    for (const auto& [size, rows] : rowsOfEnds(program))
        sizes.insert(size);
    return sizes;
}

namespace {

// Rows that are computed from parameters become one. Whether they could be computed.
bool compute(Program& program, ValueId rows, const Evaluator& evaluator)
{
    std::optional<Array> array = evaluator.evaluate(program, rows);
    if (!array || array->dtype != program[rows].dtype || array->shape.size() != program[rows].sizes.size())
        return false;
    Weight weight;
    weight.name = program[rows].name;
    weight.dtype = array->dtype;
    weight.sizes = array->shape;
    store(weight, {array->data.get(), array->data.get() + array->bytes()});
    weight.isInline = true;
    program.ops.erase(program.ops.begin() + program[rows].producer.index);
    program[rows].producer = {};
    program[rows].weight = WeightId{static_cast<int>(program.weights.size())};
    program.weights.push_back(std::move(weight));
    numberProducers(program);
    return true;
}

}  // namespace

void promoteReadByEdges(Program& program, const Evaluator& evaluator)
{
    std::vector<ValueId> tables = tablesReadByEdges(program);
    // Those below one another first: alone, each of them is a table no more when its rows have become an input.
    std::ranges::stable_partition(tables, [&](ValueId table) { return program[table].producer.valid(); });
    for (const ValueId table : tables) {
        const Op* maker = producerOf(program, table);
        const bool isComputed = maker != nullptr && tablesBelow(program, *maker).empty();
        if (isComputed && (!isComputedFromParameters(program, table) || !compute(program, table, evaluator)))
            continue;
        Promotion(program, table).run();
        if (isComputed)
            program.notes.push_back("Rows of " + printable(program[table].name) +
                                    " are computed from parameters alone: they are computed once, and are the node features.");
        else
            program.notes.push_back("Parameter " + printable(program[table].name) + " holds the node features: each of its rows is of a node.");
    }
}

}  // namespace cleave
