#include "core/analysis/promotion.h"

#include <algorithm>
#include <cstring>
#include <ranges>
#include <set>

#include "core/analysis/dims.h"
#include "core/analysis/op_view.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/model/size_term.h"

namespace cleave {

bool isTable(const Program& program, ValueId value)
{
    return value.valid() && program[value].weight.valid() && !program[value].sizes.empty() && isFloating(program[value].dtype);
}

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
        return !weight.isInline && !weight.isPart && weight.dtype == first.dtype && bytes <= static_cast<double>(weight.storage->size()) &&
               !weight.sizes.empty() && weight.sizes.size() == view.output().sizes.size() &&
               std::ranges::equal(weight.sizes | std::views::drop(1), first.sizes | std::views::drop(1));
    };
    return std::ranges::all_of(parts, fits) ? parts : std::vector<ValueId>{};
}

void numberProducers(Program& program)
{
    for (std::size_t i = 0; i < program.ops.size(); ++i)
        for (const ValueId output : program.ops[i].outputs)
            program[output].producer = OpId{static_cast<int>(i)};
}

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
    return readsParameters && isFloating(rows.dtype) && std::ranges::all_of(rows.sizes, &Dim::isConstant) &&
           producerOf(program, value)->outputs.size() == 1;
}

namespace {

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

class Promotion {
public:
    Promotion(Program& program, ValueId value, bool isMatrix) : m_p(program), m_value(value), m_isMatrix(isMatrix)
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
        m_p.inputs.push_back({m_value, m_isMatrix ? Role::GraphStructure : Role::NodeFeatures, m_weight});
        Value& parameter = m_p[m_value];
        parameter.weight = {};
        parameter.name = m_p[m_weight].name;
        parameter.sizes[0] = m_nodes;
        if (m_isMatrix)
            parameter.sizes[1] = m_nodes;
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
    bool m_isMatrix;
    std::int64_t m_rows = 0;
    Dim m_nodes;
};

}  // namespace

bool computeParameter(Program& program, ValueId rows, const Evaluator& evaluator)
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

void promote(Program& program, ValueId parameter, bool isMatrix)
{
    Promotion(program, parameter, isMatrix).run();
}

}  // namespace cleave
