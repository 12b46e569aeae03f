#include "core/analysis/rows_first.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "core/analysis/adjacency.h"
#include "core/analysis/dims.h"
#include "core/analysis/message_passing.h"
#include "core/analysis/op_view.h"
#include "core/analysis/rewriter.h"
#include "core/model/size_term.h"

namespace cleave {

namespace {

// Of "s0", and of "Mul(3, s0)": nodes of three graphs side by side. Of several symbols that of an input's last dimension: all may count from graph
// to graph, and edges may name the nodes of one. Empty for other sizes.
std::string symbolOfMultiple(const Program& program, const std::string& size)
{
    const auto [name, parts] = sizeParts(size);
    if (parts.empty())
        return size;
    std::set<std::string> symbols;
    for (const std::string& part : parts)
        if (name != "Mul" || !sizeParts(part).second.empty())
            return {};
        else if (!sizeNumber(part))
            symbols.insert(part);
    for (const Input& input : program.inputs) {
        const std::vector<Dim>& sizes = program[input.value].sizes;
        std::map<std::size_t, std::string> among;  // by dimension as forward has it
        for (std::size_t d = 0; d < sizes.size(); ++d)
            if (symbols.contains(sizes[d].symbol))
                among.emplace(input.dimOfForward(d), sizes[d].symbol);
        if (!among.empty() && among.size() == symbols.size())
            return among.rbegin()->second;
    }
    return {};
}

// Sizes of inputs that count nodes or edges: of what is read or added up at an index, of indices, of matrices of the graph.
std::set<std::string> countedRows(const Program& program)
{
    std::set<std::string> sizes, counted;
    for (const Input& input : program.inputs)
        for (const Dim& dim : program[input.value].sizes)
            if (!dim.isConstant())
                sizes.insert(dim.symbol);
    const auto note = [&](const Value& value, int dim) {
        if (dim < 0 || dim >= static_cast<int>(value.sizes.size()))
            return;
        // Rows of several kinds after each other.
        const std::string& symbol = value.sizes[static_cast<std::size_t>(dim)].symbol;
        const auto [name, parts] = sizeParts(symbol);
        for (const std::string& part : name == "Add" ? parts : std::vector{symbol})
            if (const std::string one = symbolOfMultiple(program, part); sizes.contains(one))
                counted.insert(one);
    };
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const OpId op{static_cast<int>(i)};
        // Time steps, say, are read at constant numbers.
        const auto isOpen = [&](ValueId index) {
            return std::ranges::any_of(program[index].sizes, [](const Dim& dim) { return !dim.isConstant(); }) ||
                   program.isInput(viewRoot(program, index));
        };
        if (const auto gather = gatherForm(program, op); gather && isOpen(gather->index))
            note(program[gather->source], gather->sourceDim);
        else if (const auto scatter = scatterForm(program, op); scatter && isOpen(scatter->index))
            note(program[program[op].outputs.front()], scatter->rowDim);
    }
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; isEdgeIndex(value) || isSquareOfNodes(value))
            note(value, static_cast<int>(value.sizes.size()) - 1);
    return counted;
}

class RowsFirst {
public:
    explicit RowsFirst(Program& program) : m_p(program), m_counted(countedRows(program)) {}

    void run()
    {
        for (Input& input : m_p.inputs)
            if (const int row = rowDim(m_p[input.value]); row > 0)
                take(input, row);
        if (m_put.empty())
            return;
        std::vector<Op> ops;
        for (auto& [input, op] : m_put)
            ops.push_back(op);
        for (Op& op : m_p.ops) {
            readAsForwardHas(op);
            ops.push_back(std::move(op));
        }
        m_p.ops = std::move(ops);
        for (ValueId& output : m_p.outputs)
            if (const auto put = m_put.find(output); put != m_put.end())
                output = put->second.outputs.front();
        for (std::size_t i = 0; i < m_p.ops.size(); ++i)
            for (const ValueId output : m_p.ops[i].outputs)
                m_p[output].producer = OpId{static_cast<int>(i)};
    }

private:
    // 0 for what is as it should be, or has no rows.
    int rowDim(const Value& value) const
    {
        if (value.kind != ValueKind::Tensor || value.sizes.size() < (isFloating(value.dtype) ? 2U : 3U) || isSquareOfNodes(value))
            return 0;
        const auto isCounted = [&](const Dim& dim) { return m_counted.contains(dim.symbol); };
        const auto first = std::ranges::find_if(value.sizes, isCounted);
        // A table of nodes and other rows is a matrix, and not features that are as many as there are others.
        if (first == value.sizes.end() || (value.sizes.size() == 2 && !value.sizes[0].isConstant()))
            return 0;
        return static_cast<int>(first - value.sizes.begin());
    }

    void take(Input& input, int row)
    {
        const Value before = m_p[input.value];
        const int rank = static_cast<int>(before.sizes.size());
        std::vector<Argument> dims;
        for (int d = 0; d < rank; ++d)
            dims.push_back({std::int64_t{d == row ? 0 : d < row ? d + 1 : d}});
        input.rowDim = row;
        std::vector<Dim>& sizes = m_p[input.value].sizes;
        std::rotate(sizes.begin(), sizes.begin() + row, sizes.begin() + row + 1);
        Value put = before;
        put.name = freshName(before.name + "_as_given");
        Op op;
        op.name = put.name;
        op.target = "aten::permute";
        op.args = {{"self", {input.value}}, {"dims", {std::move(dims)}}};
        op.outputs = {ValueId{static_cast<int>(m_p.values.size())}};
        op.module = ModuleId{0};
        m_p.values.push_back(std::move(put));
        m_put.emplace(input.value, std::move(op));
    }

    std::string freshName(std::string name) const
    {
        while (std::ranges::any_of(m_p.values, [&](const Value& value) { return value.name == name; }))
            name += "_";
        return name;
    }

    void readAsForwardHas(Op& op)
    {
        for (NamedArgument& argument : op.args)
            changeValues(argument.value, [&](ValueId& value) {
                if (const auto put = m_put.find(value); put != m_put.end())
                    value = put->second.outputs.front();
            });
    }

    Program& m_p;
    std::set<std::string> m_counted;
    std::map<ValueId, Op> m_put;  // what takes the input's place
};

void writeNumbers(Argument& argument, const Program& program, const std::set<ValueId>& numbers)
{
    if (const ValueId* value = argument.asValue(); value && numbers.contains(*value))
        argument.value = program[*value].number.value;
    else if (auto* list = std::get_if<std::vector<Argument>>(&argument.value))
        for (Argument& item : *list)
            writeNumbers(item, program, numbers);
}

bool isSymbol(const Dim& dim)
{
    return !dim.isConstant() && sizeParts(dim.symbol).second.empty();
}

// Sizes of lists of edges, by what is read at them and by what is reduced at them.
std::set<std::string> listedEdges(const Program& program)
{
    std::set<std::string> edges;
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; isEdgeIndex(value))
            edges.insert(value.sizes.back().symbol);
    for (std::size_t i = 0; i < program.ops.size(); ++i)
        if (const auto scatter = scatterForm(program, OpId{static_cast<int>(i)}))
            if (const auto& sizes = program[scatter->index].sizes; static_cast<std::size_t>(scatter->indexRowDim) < sizes.size())
                edges.insert(sizes[static_cast<std::size_t>(scatter->indexRowDim)].symbol);
    return edges;
}

}  // namespace

std::set<std::string> sizesOfQueries(const Program& program)
{
    std::set<std::string> rows = countedRows(program), edges = listedEdges(program), others, queries;
    for (const Input& input : program.inputs)
        for (const Dim& dim : program[input.value].sizes)
            if (isSymbol(dim) && !rows.contains(dim.symbol) && !edges.contains(dim.symbol))
                others.insert(dim.symbol);
    rows.merge(edges);
    for (const Op& op : program.ops)
        for (const ValueId output : op.outputs) {
            const std::vector<Dim>& sizes = program[output].sizes;
            // Scores of each that is asked for beside each of others that are: a row for each of the first.
            if (std::ranges::count_if(sizes, [&](const Dim& dim) { return others.contains(dim.symbol); }) > 1)
                for (auto dim = std::ranges::find_if(sizes, [&](const Dim& d) { return others.contains(d.symbol); }) + 1; dim != sizes.end(); ++dim)
                    if (others.contains(dim->symbol))
                        queries.insert(dim->symbol);
            if (std::ranges::any_of(sizes, [&](const Dim& dim) { return rows.contains(dim.symbol); }))
                for (const Dim& dim : sizes)
                    if (others.contains(dim.symbol))
                        queries.insert(dim.symbol);
        }
    return queries;
}

void putRowsFirst(Program& program)
{
    RowsFirst(program).run();
}

std::vector<FreeSize> fixFreeSizes(Program& program, const KnownInputSizes& known, const std::set<std::string>& queries)
{
    const std::set<std::string> counted = countedRows(program);
    std::map<std::string, std::int64_t> sizes;
    std::vector<FreeSize> fixed;
    for (const Input& input : program.inputs) {
        const Value& value = program[input.value];
        const bool hasRows = input.role == Role::NodeFeatures || (input.role == Role::EdgeFeatures && input.rowDim > 0);
        const auto ofInput = known.find(value.name);
        for (std::size_t d = 0; d < value.sizes.size(); ++d) {
            const std::string& symbol = value.sizes[d].symbol;
            const bool isFree = hasRows && value.sizes.size() >= 3 && d > 0 && symbol != value.sizes[0].symbol && !counted.contains(symbol);
            if (symbol.empty() || sizes.contains(symbol) || (!isFree && !queries.contains(symbol)))
                continue;
            const int dim = static_cast<int>(input.dimOfForward(d));
            const bool isKnown = ofInput != known.end() && ofInput->second.contains(dim) && ofInput->second.at(dim) > 0;
            sizes[symbol] = isKnown ? ofInput->second.at(dim) : assumedSize;
            fixed.push_back({value.name, dim, sizes[symbol], !isKnown});
        }
    }
    if (sizes.empty() && std::ranges::none_of(program.inputs, [](const Input& input) { return input.rowDim > 0; }))
        return fixed;
    std::set<ValueId> numbers;
    for (std::size_t v = 0; v < program.values.size(); ++v) {
        Value& value = program.values[v];
        for (Dim& dim : value.sizes)
            dim = withSizes(dim, sizes);
        value.number = withSizes(value.number, sizes);
        if (value.kind == ValueKind::Int && value.number.isConstant() && value.producer.valid() && program[value.producer].target == "aten::sym_size")
            numbers.insert(ValueId{static_cast<int>(v)});
    }
    changeSizesOfGuards(program, [&](Dim& size) { size = withSizes(size, sizes); });
    // Nothing needs to compute them any more.
    for (Op& op : program.ops)
        for (NamedArgument& argument : op.args)
            writeNumbers(argument.value, program, numbers);
    // What has a row for each graph, say, and none for nodes.
    for (Input& input : program.inputs)
        if (input.role == Role::NodeFeatures && !program[input.value].sizes.empty() && program[input.value].sizes[0].isConstant())
            input.role = Role::Other;
    return fixed;
}

}  // namespace cleave
