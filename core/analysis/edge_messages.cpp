#include "core/analysis/edge_messages.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include "core/analysis/message_passing.h"
#include "core/analysis/op_kinds.h"
#include "core/analysis/rewriter.h"
#include "core/analysis/row_rules.h"

namespace cleave {

EdgeMessages::EdgeMessages(const Program& program, const IdMap<ValueId, Reach>& reach, const std::set<std::string>& types, const std::string& symbol)
    : m_p(program), m_reach(reach), m_types(types), m_symbol(symbol)
{
    for (std::size_t i = 0; i < m_p.ops.size(); ++i)
        findStored(OpId{static_cast<int>(i)});
    for (const ValueId output : m_p.outputs)
        if (has(output))
            m_stored.insert(output);
    addSources();
    for (std::size_t v = 0; v < m_p.values.size(); ++v)
        if (const ValueId value{static_cast<int>(v)}; has(value) && !m_stored.contains(value))
            m_messages.insert(value);
}

bool EdgeMessages::has(ValueId value) const
{
    const std::vector<Dim>& sizes = m_p[value].sizes;
    return m_reach[value] == Reach::Feature && std::ranges::find(sizes, Dim{0, m_symbol}) != sizes.end();
}

bool EdgeMessages::isRowWise(OpId id, ValueId made) const
{
    const std::vector<Dim>& sizes = m_p[made].sizes;
    for (std::size_t row = 0; row < sizes.size(); ++row)
        if (sizes[row] == Dim{0, m_symbol} && rowMapping(m_p, id, static_cast<int>(row)))
            return true;
    return isReshape(m_p[id]);
}

bool EdgeMessages::isReducedIntoNodes(OpId id, ValueId operand) const
{
    const auto scatter = scatterForm(m_p, id);
    if (!scatter || operand != scatter->source || !scatter->sourceHasRows || m_reach[scatter->index] == Reach::Feature)
        return false;
    const ValueId output = m_p[id].outputs.front();
    const std::vector<Dim>& sizes = m_p[output].sizes;
    return !has(output) && static_cast<std::size_t>(scatter->rowDim) < sizes.size() &&
           m_types.contains(sizes[static_cast<std::size_t>(scatter->rowDim)].symbol);
}

// Whatever is read otherwise than row by row, or comes of it.
void EdgeMessages::findStored(OpId id)
{
    const auto gather = gatherForm(m_p, id);
    const auto scatter = scatterForm(m_p, id);
    std::vector<ValueId> made, read;
    std::ranges::copy_if(m_p[id].outputs, std::back_inserter(made), [&](ValueId output) { return has(output); });
    forEachOperand(m_p[id], [&](ValueId operand) {
        if (has(operand))
            read.push_back(operand);
    });
    if (gather) {
        if (m_reach[gather->source] != Reach::Feature)
            m_stored.insert(made.begin(), made.end());
        else if (has(gather->source))
            m_stored.insert(gather->source);  // edges read it
        return;
    }
    if (scatter && made.empty()) {
        std::ranges::copy_if(read, std::inserter(m_stored, m_stored.end()), [&](ValueId operand) { return !isReducedIntoNodes(id, operand); });
        return;
    }
    if (!made.empty() && !scatter && !read.empty() && isRowWise(id, made.front()))
        return;
    m_stored.insert(made.begin(), made.end());
    m_stored.insert(read.begin(), read.end());
}

// What stored rows are made of, backwards.
void EdgeMessages::addSources()
{
    for (std::size_t i = m_p.ops.size(); i-- > 0;) {
        const Op& op = m_p.ops[i];
        if (std::ranges::none_of(op.outputs, [&](ValueId output) { return m_stored.contains(output); }))
            continue;
        for (const ValueId output : op.outputs)
            if (has(output))
                m_stored.insert(output);
        forEachOperand(op, [&](ValueId operand) {
            if (has(operand))
                m_stored.insert(operand);
        });
    }
}

namespace {

class StoredRows {
public:
    StoredRows(Program& program, const std::set<std::string>& types, const std::string& symbol) : m_p(program), m_symbol(symbol)
    {
        const IdMap<ValueId, Reach> reach = findReach(program);
        const EdgeMessages messages(program, reach, types, symbol);
        for (std::size_t i = 0; i < program.ops.size(); ++i) {
            const OpId id{static_cast<int>(i)};
            const bool makes =
                !gatherForm(program, id) && std::ranges::any_of(program[id].outputs, [&](ValueId output) { return messages.all().contains(output); });
            forEachOperand(program[id], [&](ValueId operand) {
                if (!messages.areStored(operand))
                    return;
                const OpId maker = program[operand].producer;
                const auto gather = maker.valid() ? gatherForm(program, maker) : std::nullopt;
                const bool isGathered = gather && reach[gather->source] == Reach::Feature && program[maker].outputs.size() == 1;
                if (isGathered && (makes || messages.isReducedIntoNodes(id, operand)))
                    m_reads[i].insert({operand, program[maker]});
                else if (makes)
                    m_reads[i].insert({operand, std::nullopt});
            });
        }
    }

    void run()
    {
        if (m_reads.empty())
            return;
        Rewriter rewriter(m_p);
        std::vector<Op> ops = rewriter.takeOps();
        for (std::size_t i = 0; i < ops.size(); ++i) {
            rewriter.resolveOperands(ops[i]);
            if (const auto reads = m_reads.find(i); reads != m_reads.end())
                for (const auto& [value, gather] : reads->second) {
                    const ValueId by = readOnceMore(rewriter, ops[i], value, gather);
                    if (!by.valid())
                        continue;
                    for (NamedArgument& argument : ops[i].args)
                        changeValues(argument.value, [&, stored = value](ValueId& operand) { operand = operand == stored ? by : operand; });
                }
            rewriter.emit(std::move(ops[i]));
        }
        rewriter.finish();
    }

private:
    // By the gather that made it, or at an index of each edge's own number; nothing where that cannot be told.
    ValueId readOnceMore(Rewriter& rewriter, const Op& reader, ValueId value, const std::optional<Op>& gather)
    {
        if (const auto known = m_made.find(value); known != m_made.end())
            return known->second;
        const Value like = m_p[value];
        ValueId made;
        if (gather) {
            made = rewriter.emitNew(*gather, gather->target, gather->overload, gather->args, like);
        } else {
            if (!m_numbers.valid()) {
                const Argument rows = rewriter.sizeArgument(Dim{0, m_symbol}, reader);
                if (rows.isNone())
                    return {};
                Value numbers;
                numbers.dtype = DType::Int64;
                numbers.sizes = {Dim{0, m_symbol}};
                m_numbers = rewriter.emitNew(reader, "aten::arange", "", {{"end", rows}, {"dtype", {DType::Int64}}}, numbers);
            }
            const auto row = std::ranges::find(like.sizes, Dim{0, m_symbol}) - like.sizes.begin();
            made = rewriter.emitNew(reader, "aten::index_select", "",
                                    {{"self", {value}}, {"dim", {static_cast<std::int64_t>(row)}}, {"index", {m_numbers}}}, like);
        }
        m_made.emplace(value, made);
        return made;
    }

    Program& m_p;
    const std::string& m_symbol;
    std::map<std::size_t, std::map<ValueId, std::optional<Op>>> m_reads;  // by ops: what they read once more, and what gathered it
    std::map<ValueId, ValueId> m_made;
    ValueId m_numbers;
};

}  // namespace

void readStoredRows(Program& program, const std::set<std::string>& types, const std::string& symbol)
{
    StoredRows(program, types, symbol).run();
}

}  // namespace cleave
