#include "core/analysis/masked_updates.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/analysis/op_view.h"
#include "core/analysis/passes.h"
#include "core/analysis/rewriter.h"
#include "core/analysis/row_rules.h"

namespace cleave {

namespace {

bool isConstant(const Dim& dim)
{
    return dim.isConstant();
}

// The mask whose true entries are at these places: where(mask)[0], mask.nonzero().view(-1). Invalid for any others.
ValueId maskOfPlaces(const Program& program, ValueId places)
{
    constexpr int mostViews = 4;
    for (int i = 0; i < mostViews && program[places].producer.valid(); ++i) {
        const Op& op = program[program[places].producer];
        const OpView view(program, op);
        const bool lists = op.target == "aten::nonzero_numpy" || op.target == "aten::nonzero" ||
                           (op.target == "aten::where" && !op.find("self") && !op.find("other"));
        if (lists) {
            const ValueId mask = view.value(op.target == "aten::where" ? "condition" : "self");
            return mask.valid() && program[mask].dtype == DType::Bool && program[mask].sizes.size() == 1 ? mask : ValueId{};
        }
        const bool isColumn = op.target == "aten::select" && view.rank("self") == 2 && view.dim("dim", 2) == 1;
        places = isColumn || isView(op, {ViewKind::Whole, ViewKind::Reshape}) ? view.value("self") : ValueId{};
        if (!places.valid())
            return {};
    }
    return {};
}

// The mask of x[mask] and of x[mask] = y, or of the places that are read and written instead; invalid where something else is read.
ValueId maskOf(const Program& program, const Op& op)
{
    const OpView view(program, op);
    if (op.target == "aten::index_select" || op.target == "aten::index_copy") {
        const ValueId index = view.dim("dim", view.rank("self")) == 0 ? view.value("index") : ValueId{};
        return index.valid() && program[index].sizes.size() == 1 ? maskOfPlaces(program, index) : ValueId{};
    }
    const std::vector<ValueId> indices = view.values("indices");
    if (indices.size() != 1 || !indices.front().valid())
        return {};
    const Value& index = program[indices.front()];
    return index.dtype == DType::Bool ? indices.front() : index.sizes.size() == 1 ? maskOfPlaces(program, indices.front()) : ValueId{};
}

bool writesRows(const Op& op)
{
    return op.target == "aten::index_put" || op.target == "aten::index_copy";
}

// The same computation of the same values, to some depth: a mask that is computed once to read and once more to write.
bool isEqual(const Program& program, ValueId a, ValueId b, int depth = 4)
{
    if (a == b)
        return true;
    const OpId one = program[a].producer, other = program[b].producer;
    if (depth == 0 || !one.valid() || !other.valid() || program[one].target != program[other].target || !hasRowRule(program[one].target))
        return false;
    const std::vector<NamedArgument>&left = program[one].args, &right = program[other].args;
    return std::ranges::equal(left, right, [&](const NamedArgument& x, const NamedArgument& y) {
        const ValueId *u = x.value.asValue(), *v = y.value.asValue();
        return x.name == y.name && (u && v ? isEqual(program, *u, *v, depth - 1) : x.value == y.value);
    });
}

// f(x[mask]) for all rows of x.
class WholeRows {
public:
    WholeRows(const Program& program, Rewriter& rewriter, const Op& origin, ValueId mask)
        : m_program(program), m_rewriter(rewriter), m_origin(origin), m_mask(mask)
    {
    }

    // Whether such a value follows from rows at the mask alone, entry by entry.
    bool canBe(ValueId value, int depth = 32) { return isRows(value) || (depth > 0 && isComputed(value, depth)); }

    ValueId make(ValueId value)
    {
        if (const auto known = m_made.find(value); known != m_made.end())
            return known->second;
        const Op op = m_program[m_program[value].producer];  // new ops move the program's, and its values
        if (isRows(value))
            return m_made[value] = OpView(m_program, op).value("self");
        Value like = m_program[value];
        like.sizes.erase(like.sizes.begin());
        const std::vector<Dim>& rows = m_program[m_mask].sizes;
        like.sizes.insert(like.sizes.begin(), rows.begin(), rows.end());
        std::vector<NamedArgument> args = op.args;
        for (NamedArgument& argument : args)
            changeValues(argument.value, [&](ValueId& operand) {
                if (isOfRows(operand))
                    operand = make(operand);
            });
        return m_made[value] = m_rewriter.emitNew(m_origin, op.target, op.overload, std::move(args), like);
    }

private:
    bool startsWithRows(ValueId value) const
    {
        const std::vector<Dim>&sizes = m_program[value].sizes, &rows = m_program[m_mask].sizes;
        return sizes.size() >= rows.size() && std::equal(rows.begin(), rows.end(), sizes.begin());
    }

    bool isRows(ValueId value) const
    {
        const OpId id = m_program[value].producer;
        if (!id.valid() || !isOneOf(m_program[id].target, {"aten::index", "aten::index_select"}))
            return false;
        const ValueId mask = maskOf(m_program, m_program[id]), from = OpView(m_program, m_program[id]).value("self");
        return mask.valid() && from.valid() && isEqual(m_program, mask, m_mask) && startsWithRows(from);
    }

    // How many rows there are, nobody else knows.
    bool isOfRows(ValueId value) const { return !std::ranges::all_of(m_program[value].sizes, isConstant); }

    bool isComputed(ValueId value, int depth)
    {
        const OpId id = m_program[value].producer;
        const std::vector<Dim>& sizes = m_program[value].sizes;
        if (id.valid() && m_program[id].target == "aten::unsqueeze") {
            const OpView view(m_program, m_program[id]);
            const bool isBehind = view.dim("dim", static_cast<int>(sizes.size())).value_or(0) > 0;
            return isBehind && m_program[m_mask].sizes.size() == 1 && isOfRows(view.value("self")) && canBe(view.value("self"), depth - 1);
        }
        if (!id.valid() || !isElementwise(m_program[id].target) || m_program[id].outputs.size() != 1 || sizes.empty() || isConstant(sizes.front()) ||
            !std::all_of(sizes.begin() + 1, sizes.end(), isConstant))
            return false;
        bool all = true;
        forEachOperand(m_program[id], [&](ValueId operand) {
            const Value& read = m_program[operand];
            if (read.kind != ValueKind::Tensor)
                all = false;
            else if (isOfRows(operand))
                all = all && read.sizes.size() == sizes.size() && canBe(operand, depth - 1);  // each list of rows may be counted by itself
            else if (read.sizes.size() == sizes.size())  // beside each row, also where rows lie along several dimensions
                all = all && m_program[m_mask].sizes.size() == 1;
        });
        return all;
    }

    const Program& m_program;
    Rewriter& m_rewriter;
    const Op& m_origin;
    ValueId m_mask;
    std::map<ValueId, ValueId> m_made;
};

class Updates {
public:
    explicit Updates(Program& program) : m_program(program), m_reach(findReach(program)), m_rewriter(program) {}

    int run()
    {
        int count = 0;
        for (Op& op : m_rewriter.takeOps()) {
            m_rewriter.resolveOperands(op);
            if (const std::optional<ValueId> chosen = whole(op)) {
                m_rewriter.replace(op.outputs.front(), *chosen);
                ++count;
                continue;
            }
            m_rewriter.emit(std::move(op));
        }
        m_rewriter.finish();
        return count;
    }

private:
    std::optional<ValueId> whole(const Op& op)
    {
        const OpView view(m_program, op);
        if (!writesRows(op) || op.outputs.size() != 1)
            return {};
        const ValueId mask = maskOf(m_program, op), self = view.value("self"),
                      values = view.value(op.target == "aten::index_put" ? "values" : "source");
        if (!mask.valid() || !self.valid() || !values.valid() || m_program[values].dtype != m_program[self].dtype)
            return {};
        const std::vector<Dim>&rows = m_program[mask].sizes, &sizes = m_program[self].sizes, &given = m_program[values].sizes;
        // Rows at a mask that comes from the graph can be listed, entries cannot.
        if (rows.empty() || (reach(mask) != Reach::Feature && (rows.size() < 2 || reach(self) != Reach::Feature)) || sizes.size() < rows.size() ||
            !std::equal(rows.begin(), rows.end(), sizes.begin()))
            return {};
        const std::size_t behind = sizes.size() - rows.size();
        const bool isSameForAll = given.size() <= behind && std::ranges::all_of(given, isConstant);
        WholeRows all(m_program, m_rewriter, op, mask);
        if (!isSameForAll && (given.size() != behind + 1 || !all.canBe(values)))
            return {};
        const Value like = m_program[self];
        std::size_t rank = rows.size();  // new ops move the program's values
        ValueId made = isSameForAll ? values : all.make(values);
        if (view.flag("accumulate", false))
            made = m_rewriter.emitNew(op, "aten::add", "Tensor", {{"self", {self}}, {"other", {made}}}, like);
        ValueId chosen = mask;
        for (; rank < like.sizes.size(); ++rank) {
            Value wider = m_program[chosen];
            wider.sizes.push_back(Dim{1, {}});
            chosen = m_rewriter.emitNew(op, "aten::unsqueeze", "", {{"self", {chosen}}, {"dim", {static_cast<std::int64_t>(rank)}}}, wider);
        }
        return m_rewriter.emitNew(op, "aten::where", "self", {{"condition", {chosen}}, {"self", {made}}, {"other", {self}}}, like);
    }

    // Of a value that was there before; what a mask became reads features as it did.
    Reach reach(ValueId value) const { return value.index < static_cast<int>(m_reach.size()) ? m_reach[value] : Reach::Feature; }

    Program& m_program;
    IdMap<ValueId, Reach> m_reach;
    Rewriter m_rewriter;
};

}  // namespace

int computeMaskedUpdatesWhole(Program& program)
{
    const bool isNeeded = std::ranges::any_of(program.ops, [&](const Op& op) { return writesRows(op) && maskOf(program, op).valid(); });
    return isNeeded ? Updates(program).run() : 0;
}

}  // namespace cleave
