#include "core/analysis/flat_pairs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/dims.h"
#include "core/analysis/op_view.h"
#include "core/analysis/passes.h"
#include "core/analysis/rewriter.h"

namespace cleave {

namespace {

bool isSquare(const Dim& dim, const Dim& nodes)
{
    return !nodes.isConstant() && (dim.symbol == "Pow(" + nodes.symbol + ", 2)" || dim.symbol == "Mul(" + nodes.symbol + ", " + nodes.symbol + ")");
}

bool isEntryByEntry(const Op& op)
{
    static const std::set<std::string_view> targets{"aten::add",  "aten::sub",     "aten::mul",  "aten::div",  "aten::neg",     "aten::leaky_relu",
                                                    "aten::relu", "aten::elu",     "aten::gelu", "aten::tanh", "aten::sigmoid", "aten::exp",
                                                    "aten::silu", "aten::dropout", "aten::abs",  "aten::pow",  "aten::clone",   "aten::contiguous"};
    return targets.contains(op.target);
}

class FlatPairs {
public:
    explicit FlatPairs(Program& program) : m_p(program), m_rewriter(program) {}

    int run()
    {
        int count = 0;
        for (Op& op : m_rewriter.takeOps()) {
            m_rewriter.resolveOperands(op);
            const Op old = op;
            m_rewriter.emit(std::move(op));
            if (old.outputs.size() != 1 || m_p[old.outputs.front()].kind != ValueKind::Tensor)
                continue;
            if (const std::optional<ValueId> pairs = pairsOf(old))
                m_pairs[old.outputs.front()] = *pairs;
            else
                count += comesBack(old);
        }
        m_rewriter.finish();
        return count;
    }

private:
    // [V, V, …] of a value [V * V, …]; nothing for others.
    std::optional<ValueId> pairsOf(const Op& op)
    {
        const OpView view(m_p, op);
        const std::vector<Dim>& to = m_p[op.outputs.front()].sizes;
        const ValueId self = view.value(isOneOf(op.target, {"aten::linear", "aten::dropout"}) ? "input" : "self");
        const auto known = m_pairs.find(self);
        if (isOneOf(op.target, {"aten::cat", "aten::concat"}))
            return joined(op);
        if (op.target == "aten::addmm")
            return m_pairs.contains(view.value("mat1")) ? added(op) : std::nullopt;
        if (!self.valid() || to.empty())
            return {};
        const std::vector<Dim>& from = m_p[self].sizes;
        if (known == m_pairs.end()) {
            if (from.empty() || !isSquare(to.front(), from.front()))
                return {};
            const bool isRepeat = op.target == "aten::repeat" && std::equal(from.begin() + 1, from.end(), to.begin() + 1, to.end());
            const bool isEach = op.target == "aten::repeat_interleave" && op.overload == "self_int" && view.dim("dim", view.rank("self")) == 0;
            if (isRepeat || isEach)
                return expanded(op, self, isEach ? 1 : 0);
            if (isReshape(op) && to.size() == 2 && from.size() == 2)
                return repeatedColumns(op, self);
            // [V, V, F] that is flattened.
            return isReshape(op) && from.size() > 1 && from[1] == from[0] && std::equal(from.begin() + 2, from.end(), to.begin() + 1, to.end())
                       ? std::optional(self)
                       : std::nullopt;
        }
        if (isOneOf(op.target, {"aten::linear", "aten::mm", "aten::matmul"}))
            return multiplied(op, known->second);
        if (op.target == "aten::squeeze")
            return squeezed(op, known->second);
        return isEntryByEntry(op) ? entrywise(op) : std::nullopt;
    }

    // The value [V * V, …] is seen as [V, V, …].
    int comesBack(const Op& op)
    {
        const OpView view(m_p, op);
        const ValueId output = op.outputs.front();
        const auto pairs = isReshape(op) ? m_pairs.find(view.value("self")) : m_pairs.end();
        if (pairs == m_pairs.end())
            return 0;
        const std::vector<Dim>&sizes = m_p[output].sizes, &known = m_p[pairs->second].sizes;
        if (sizes.size() < 2 || sizes[0] != known[0] || sizes[1] != known[1])
            return 0;
        m_rewriter.replace(output, sizes == known ? pairs->second : again(op, "self", pairs->second, {}));
        return 1;
    }

    Dim nodesOf(ValueId pairs) const { return m_p[pairs].sizes.front(); }

    // The op on pairs, with other arguments in place of some.
    ValueId again(const Op& op, const char* name, ValueId pairs, const std::vector<NamedArgument>& others)
    {
        std::vector<NamedArgument> args = op.args;
        for (NamedArgument& argument : args) {
            if (argument.name == name)
                argument.value = {pairs};
            for (const NamedArgument& other : others)
                if (argument.name == other.name)
                    argument.value = other.value;
        }
        return m_rewriter.emitNew(op, op.target, op.overload, std::move(args), asPairs(op, nodesOf(pairs)));
    }

    // What the op gives, of pairs.
    Value asPairs(const Op& op, const Dim& nodes) const
    {
        Value made = m_p[op.outputs.front()];
        if (isSquare(made.sizes.front(), nodes)) {
            made.sizes.front() = nodes;
            made.sizes.insert(made.sizes.begin(), nodes);
        }
        return made;
    }

    // Rows [V, …] for each pair: those of its first node (dim 1), or of its second.
    std::optional<ValueId> expanded(const Op& op, ValueId rows, int dim)
    {
        m_rewriter.noteSize(rows);
        Value one = m_p[rows], all = one;
        const Dim nodes = one.sizes.front();
        one.sizes.insert(one.sizes.begin() + dim, Dim{1, {}});
        all.sizes.insert(all.sizes.begin(), nodes);
        std::vector<Argument> sizes;
        for (const Dim& size : all.sizes) {
            sizes.push_back(m_rewriter.sizeArgument(size, op));
            if (sizes.back().isNone())
                return {};
        }
        const ValueId between = m_rewriter.emitNew(op, "aten::unsqueeze", "", {{"self", {rows}}, {"dim", whole(dim)}}, one);
        return m_rewriter.emitNew(op, "aten::expand", "", {{"self", {between}}, {"size", {sizes}}}, all);
    }

    // h.repeat(1, V).view(V * V, F): each row V times.
    std::optional<ValueId> repeatedColumns(const Op& op, ValueId wide)
    {
        const OpId maker = m_p[wide].producer;
        if (!maker.valid() || m_p[maker].target != "aten::repeat")
            return {};
        const ValueId rows = OpView(m_p, m_p[maker]).value("self");
        const std::vector<Dim>&from = m_p[rows].sizes, &to = m_p[op.outputs.front()].sizes;
        if (from.size() != 2 || from[0] != m_p[wide].sizes[0] || from[1] != to[1] || !isSquare(to[0], from[0]))
            return {};
        return expanded(op, rows, 1);
    }

    std::optional<ValueId> joined(const Op& op)
    {
        const OpView view(m_p, op);
        const int dim = view.dim("dim", view.outputRank()).value_or(0);
        std::vector<Argument> parts;
        for (const ValueId part : view.values("tensors")) {
            const auto pairs = m_pairs.find(part);
            if (pairs == m_pairs.end() || dim == 0)
                return {};
            parts.push_back({pairs->second});
        }
        if (parts.empty())
            return {};
        return m_rewriter.emitNew(op, op.target, op.overload, {{"tensors", {parts}}, {"dim", whole(dim + 1)}},
                                  asPairs(op, nodesOf(*parts.front().asValue())));
    }

    std::optional<ValueId> squeezed(const Op& op, ValueId pairs)
    {
        const OpView view(m_p, op);
        const auto dims = view.dims("dim", view.rank("self"));
        if (!dims || std::ranges::count(*dims, 0) > 0)
            return {};
        std::vector<Argument> places;
        for (const int dim : *dims)
            places.push_back(whole(dim + 1));
        const Argument place = op.overload == "dims" ? Argument{places} : places.front();
        return places.size() == 1 || op.overload == "dims" ? std::optional(again(op, "self", pairs, {{"dim", place}})) : std::nullopt;
    }

    std::optional<ValueId> multiplied(const Op& op, ValueId pairs)
    {
        if (op.target == "aten::linear")
            return again(op, "input", pairs, {});
        const OpView view(m_p, op);
        const ValueId matrix = view.value(op.target == "aten::mm" ? "mat2" : "other");
        if (!matrix.valid() || !std::ranges::all_of(m_p[matrix].sizes, &Dim::isConstant))
            return {};
        return m_rewriter.emitNew(op, "aten::matmul", "", {{"self", {pairs}}, {"other", {matrix}}}, asPairs(op, nodesOf(pairs)));
    }

    // addmm(bias, pairs, matrix)
    std::optional<ValueId> added(const Op& op)
    {
        const OpView view(m_p, op);
        const ValueId pairs = m_pairs.at(view.value("mat1")), matrix = view.value("mat2"), bias = view.value("self");
        if (view.number("beta").value_or(1) != 1 || view.number("alpha").value_or(1) != 1 || !matrix.valid() || !bias.valid() ||
            m_p[bias].sizes.size() != 1 || !std::ranges::all_of(m_p[matrix].sizes, &Dim::isConstant))
            return {};
        const Value made = asPairs(op, nodesOf(pairs));
        const ValueId product = m_rewriter.emitNew(op, "aten::matmul", "", {{"self", {pairs}}, {"other", {matrix}}}, made);
        return m_rewriter.emitNew(op, "aten::add", "Tensor", {{"self", {product}}, {"other", {bias}}}, made);
    }

    // Of pairs, and of what is the same for all.
    std::optional<ValueId> entrywise(const Op& op)
    {
        std::vector<NamedArgument> args = op.args;
        std::optional<ValueId> any;
        for (NamedArgument& argument : args) {
            const ValueId* value = argument.value.asValue();
            if (value == nullptr || m_p[*value].kind != ValueKind::Tensor)
                continue;
            if (const auto pairs = m_pairs.find(*value); pairs != m_pairs.end()) {
                any = pairs->second;
                argument.value = {pairs->second};
            } else if (!std::ranges::all_of(m_p[*value].sizes, &Dim::isConstant) || m_p[*value].sizes.size() > 1) {
                return {};
            }
        }
        if (!any)
            return {};
        return m_rewriter.emitNew(op, op.target, op.overload, std::move(args), asPairs(op, nodesOf(*any)));
    }

    Program& m_p;
    Rewriter m_rewriter;
    std::map<ValueId, ValueId> m_pairs;  // [V, V, …] by the value [V * V, …]
};

}  // namespace

int unflattenPairs(Program& program)
{
    // V * V / V columns, as an exporter counts them.
    for (Value& value : program.values)
        for (Dim& dim : value.sizes)
            if (dim.symbol.find("FloorDiv(Pow(") != std::string::npos)
                dim = withSizes(dim, {});
    const auto isSquared = [](const Value& value) {
        return !value.sizes.empty() && (value.sizes.front().symbol.starts_with("Pow(") || value.sizes.front().symbol.starts_with("Mul("));
    };
    if (std::ranges::none_of(program.values, isSquared))
        return 0;
    const Program before = program;
    const int count = FlatPairs(program).run();
    if (count == 0)
        program = before;
    else
        dropDeadOps(program);
    return count;
}

}  // namespace cleave
