#include "core/analysis/pair_rows.h"

#include <algorithm>
#include <set>

#include "core/analysis/dims.h"
#include "core/analysis/op_view.h"

namespace cleave {

namespace {

// Of what is scored and softened, entry by entry.
bool isEntrywise(const Op& op)
{
    static const std::set<std::string_view> targets{"aten::add",        "aten::sub",  "aten::rsub", "aten::mul",   "aten::div",      "aten::neg",
                                                    "aten::leaky_relu", "aten::relu", "aten::elu",  "aten::gelu",  "aten::tanh",     "aten::sigmoid",
                                                    "aten::exp",        "aten::silu", "aten::abs",  "aten::clamp", "aten::hardtanh", "aten::pow",
                                                    "aten::softplus",   "aten::sin",  "aten::cos"};
    return targets.contains(op.target);
}

// Dimensions of 1 entry come and go in front.
bool onlyPads(const Program& program, const Op& op)
{
    if (!isView(op, {ViewKind::Reshape, ViewKind::Repeat}))
        return false;
    const auto behind = [&](ValueId value) {
        std::vector<Dim> sizes = program[value].sizes;
        sizes.erase(sizes.begin(), std::ranges::find_if_not(sizes, &Dim::isOne));
        return sizes;
    };
    return behind(op.outputs.front()) == behind(OpView(program, op).value("self"));
}

// Dimensions of 1 entry come and go anywhere.
bool onlyViews(const Program& program, const Op& op)
{
    if (!isView(op, {ViewKind::Reshape}))
        return false;
    const auto others = [&](ValueId value) {
        std::vector<Dim> sizes = program[value].sizes;
        std::erase_if(sizes, [](const Dim& dim) { return dim.isOne(); });
        return sizes;
    };
    return others(op.outputs.front()) == others(OpView(program, op).value("self"));
}

// [V, 1, F] or [F] for each pair.
bool isExpand(const Op& op)
{
    return isView(op, {ViewKind::Repeat});
}

bool isSum(const Op& op)
{
    return isOneOf(op.target, {"aten::sum", "aten::mean"}) && op.overload.starts_with("dim");
}

}  // namespace

bool PairRows::isLeftAlone(const Op& op) const
{
    return isView(op, {ViewKind::Whole}) ||
           (isOneOf(op.target, {"aten::to", "aten::_to_copy"}) && m_p[op.outputs.front()].dtype == m_p[OpView(m_p, op).value("self")].dtype) ||
           (op.target == "aten::dropout" && !OpView(m_p, op).flag("train", true));
}

// The targets first, as rows of a matrix are. Nothing where not exactly two dimensions count the same.
std::optional<PairRows::Layout> PairRows::layoutOf(const Value& value) const
{
    if (value.kind != ValueKind::Tensor)
        return {};
    for (std::size_t i = 0; i < value.sizes.size(); ++i)
        for (std::size_t j = i + 1; j < value.sizes.size() && !value.sizes[i].isConstant(); ++j)
            if (value.sizes[i] == value.sizes[j])
                return std::ranges::count(value.sizes, value.sizes[i]) == 2 ? std::optional(Layout{value.sizes.size(), i, j}) : std::nullopt;
    return {};
}

bool PairRows::defer(const Op& op)
{
    constexpr int mostDepth = 100;  // scores are computed in a few steps
    if (op.outputs.size() != 1 || !layoutOf(m_p[op.outputs.front()]))
        return false;
    const OpView view(m_p, op);
    const bool isOfKept = m_pending.contains(view.value("self")), isJoin = isOneOf(op.target, {"aten::cat", "aten::concat"});
    if (!isEntrywise(op) && !isProduct(op) && !isFilled(op) && !isExpand(op) &&
        !(isOfKept && (isLeftAlone(op) || onlyPads(m_p, op) || onlyViews(m_p, op) || isSum(op))) &&
        !(isJoin && std::ranges::all_of(view.values("tensors"), [&](ValueId part) { return m_pending.contains(part); })) &&
        !(op.target == "aten::linear" && m_pending.contains(view.value("input"))))
        return false;
    int depth = 0;
    forEachOperand(op, [&](ValueId operand) {
        if (const auto found = m_pending.find(operand); found != m_pending.end())
            depth = std::max(depth, found->second.depth + 1);
    });
    if (depth > mostDepth)
        return false;
    m_pending[op.outputs.front()] = {op, depth};
    return true;
}

void PairRows::emit(ValueId value)
{
    const auto found = m_pending.find(value);
    if (found == m_pending.end())
        return;
    Op op = std::move(found->second.op);
    m_pending.erase(found);
    forEachOperand(op, m_emitOperand);
    m_rewriter.resolveOperands(op);
    m_rewriter.emit(std::move(op));
}

bool PairRows::isProduct(const Op& op)
{
    return isOneOf(op.target, {"aten::mm", "aten::matmul", "aten::bmm"});
}

ValueId PairRows::partner(const OpView& view)
{
    for (const std::string_view name : {"other", "mat2"})
        if (const ValueId value = view.value(name); value.valid())
            return value;
    return {};
}

// [.., V, D] times [.., D, V] at pairs: a dot product for each.
std::optional<ValueId> PairRows::productAtPairs(const Op& product, const Layout& layout, const Pairs& pairs)
{
    const OpView view(m_p, product);
    const ValueId left = view.value("self"), right = partner(view);
    const std::size_t rank = layout.rank;
    if (!left.valid() || !right.valid() || m_pending.contains(left) || m_pending.contains(right) || m_p[left].sizes.size() != rank ||
        m_p[right].sizes.size() != rank || std::min(layout.targets, layout.sources) != rank - 2 ||
        std::max(layout.targets, layout.sources) != rank - 1)
        return {};
    const bool targetsFirst = layout.targets < layout.sources;
    const ValueId rows = m_algebra.gathered(product, m_rewriter.resolved(left), rank - 2, targetsFirst ? pairs.targets : pairs.sources, pairs.count);
    const ValueId columns =
        m_algebra.gathered(product, m_rewriter.resolved(right), rank - 1, targetsFirst ? pairs.sources : pairs.targets, pairs.count);
    const ValueId a = m_algebra.moved(product, rows, rank - 2, 0);
    const ValueId b = m_algebra.moved(product, columns, rank - 1, 0);  // [pairs, .., D] both
    Value terms = m_p[a];
    for (std::size_t d = 1; d + 1 < rank; ++d)
        if (terms.sizes[d].isOne())
            terms.sizes[d] = m_p[b].sizes[d];
    const ValueId multiplied = m_rewriter.emitNew(product, "aten::mul", "Tensor", {{"self", {a}}, {"other", {b}}}, terms);
    Value sums = terms;
    sums.sizes.pop_back();
    return m_rewriter.emitNew(product, "aten::sum", "dim_IntList", {{"self", {multiplied}}, {"dim", {std::vector<Argument>{{std::int64_t{-1}}}}}},
                              sums);
}

std::optional<ValueId> PairRows::atEntries(const Op& op, ValueId scores, const MatrixEdges& entries, const Dim& nodes)
{
    if (m_p[scores].sizes != std::vector{nodes, nodes})
        return {};
    return atPairs(op, scores, {2, 0, 1}, {entries.sources, entries.targets, entries.weights, {}, entries.count, nodes});
}

// [pairs, the other dimensions] of a value.
Value PairRows::valueAtPairs(ValueId value, const Layout& layout, const Pairs& pairs) const
{
    Value result = m_p[value];
    result.sizes = {pairs.count};
    for (std::size_t d = 0; d < layout.rank; ++d)
        if (d != layout.targets && d != layout.sources)
            result.sizes.push_back(m_p[value].sizes[d]);
    return result;
}

// Which dimensions of an operand count targets and sources, where those of a value that is made of it do so in this order.
std::optional<PairRows::Layout> PairRows::layoutAs(ValueId value, const Layout& layout) const
{
    std::optional<Layout> own = layoutOf(m_p[value]);
    if (own && layout.sources < layout.targets)
        std::swap(own->targets, own->sources);
    return own;
}

// Of a dimension behind those of pairs, its place among [pairs, the others].
std::size_t PairRows::placeOf(std::size_t dim, const Layout& layout)
{
    return 1 + dim - (layout.targets < dim ? 1 : 0) - (layout.sources < dim ? 1 : 0);
}

// Columns of each pair times a matrix, or a vector, that is the same for all.
std::optional<ValueId> PairRows::linearAtPairs(const Op& op, const Layout& layout, const Pairs& pairs)
{
    const OpView view(m_p, op);
    const bool isLinear = op.target == "aten::linear";
    const ValueId self = view.value(isLinear ? "input" : "self"), matrix = isLinear ? view.value("weight") : partner(view);
    const std::optional<Layout> own = layoutAs(self, layout);
    if (!own || !matrix.valid() || m_pending.contains(matrix) || !std::ranges::all_of(m_p[matrix].sizes, &Dim::isConstant) ||
        m_p[matrix].sizes.size() > 2 || m_p[matrix].sizes.empty() || own->targets + 1 == own->rank || own->sources + 1 == own->rank)
        return {};
    const std::optional<ValueId> rows = atPairs(op, self, *own, pairs);
    if (!rows || m_p[*rows].sizes.front() != pairs.count)
        return {};
    std::vector<NamedArgument> args = op.args;
    for (NamedArgument& argument : args)
        if (const ValueId* operand = argument.value.asValue())
            argument.value = {*operand == self ? *rows : m_rewriter.resolved(*operand)};
    if (isLinear)
        return m_rewriter.emitNew(op, op.target, op.overload, std::move(args), valueAtPairs(op.outputs.front(), layout, pairs));
    return m_rewriter.emitNew(op, "aten::matmul", "", {{"self", {*rows}}, {"other", {m_rewriter.resolved(matrix)}}},
                              valueAtPairs(op.outputs.front(), layout, pairs));
}

std::optional<ValueId> PairRows::expandAtPairs(const Op& op, const Layout& layout, const Pairs& pairs)
{
    const ValueId self = OpView(m_p, op).value("self");
    const std::optional<ValueId> rows = atPairs(op, self, layout, pairs);
    const Value result = valueAtPairs(op.outputs.front(), layout, pairs);
    if (!rows || m_p[*rows].sizes.size() != result.sizes.size() ||
        !std::equal(result.sizes.begin() + 1, result.sizes.end(), m_p[*rows].sizes.begin() + 1))
        return {};
    return rows;
}

std::optional<ValueId> PairRows::joinedAtPairs(const Op& op, const Layout& layout, const Pairs& pairs)
{
    const OpView view(m_p, op);
    const auto dim = static_cast<std::size_t>(view.dim("dim", static_cast<int>(layout.rank)).value_or(0));
    if (dim == layout.targets || dim == layout.sources)
        return {};
    std::vector<Argument> parts;
    for (const ValueId part : view.values("tensors")) {
        const std::optional<ValueId> rows = atPairs(op, part, layout, pairs);
        if (!rows || m_p[*rows].sizes.front() != pairs.count)
            return {};
        parts.push_back({*rows});
    }
    return m_rewriter.emitNew(op, "aten::cat", "", {{"tensors", {parts}}, {"dim", whole(placeOf(dim, layout))}},
                              valueAtPairs(op.outputs.front(), layout, pairs));
}

std::optional<ValueId> PairRows::sumAtPairs(const Op& op, const Layout& layout, const Pairs& pairs)
{
    const OpView view(m_p, op);
    const ValueId self = view.value("self");
    const std::optional<Layout> own = layoutAs(self, layout);
    const std::optional<std::vector<int>> dims = own ? view.dims("dim", static_cast<int>(own->rank)) : std::nullopt;
    if (!dims)
        return {};
    std::vector<Argument> places;
    for (const int dim : *dims) {
        if (const auto d = static_cast<std::size_t>(dim); d == own->targets || d == own->sources)
            return {};
        places.push_back(whole(placeOf(static_cast<std::size_t>(dim), *own)));
    }
    const std::optional<ValueId> rows = atPairs(op, self, *own, pairs);
    if (!rows || m_p[*rows].sizes.front() != pairs.count)
        return {};
    std::vector<NamedArgument> args = op.args;
    for (NamedArgument& argument : args)
        if (argument.name == "self")
            argument.value = {*rows};
        else if (argument.name == "dim")
            argument.value = {places};
    return m_rewriter.emitNew(op, op.target, op.overload, std::move(args), valueAtPairs(op.outputs.front(), layout, pairs));
}

// Dimensions of 1 entry come and go behind those of pairs.
std::optional<ValueId> PairRows::viewedAtPairs(const Op& op, const Layout& layout, const Pairs& pairs)
{
    const ValueId self = OpView(m_p, op).value("self");
    const std::optional<Layout> own = layoutAs(self, layout);
    const std::optional<ValueId> rows = own ? atPairs(op, self, *own, pairs) : std::nullopt;
    if (!rows || m_p[*rows].sizes.front() != pairs.count)
        return {};
    const Value result = valueAtPairs(op.outputs.front(), layout, pairs);
    std::vector<Argument> shape{{std::int64_t{-1}}};
    for (std::size_t d = 1; d < result.sizes.size(); ++d) {
        if (!result.sizes[d].isConstant())
            return {};
        shape.push_back(whole(result.sizes[d].value));
    }
    return m_rewriter.emitNew(op, "aten::reshape", "", {{"self", {*rows}}, {"shape", {shape}}}, result);
}

// What a tensor that is broadcast over pairs is at each of them: [pairs, the other dimensions], 1 in place of pairs where it is the same for all.
std::optional<ValueId> PairRows::atPairs(const Op& at, ValueId value, const Layout& layout, const Pairs& pairs)
{
    const auto key = std::tuple(value, layout.rank, layout.targets, layout.sources, pairs.sources);
    if (const auto known = m_atPairs.find(key); known != m_atPairs.end())
        return known->second;
    if (const auto pending = m_pending.find(value); pending != m_pending.end()) {
        const Op op = pending->second.op;
        if (m_p[value].sizes.size() != layout.rank)
            return {};
        if (isProduct(op) && !m_pending.contains(OpView(m_p, op).value("self")))
            return productAtPairs(op, layout, pairs);
        if (isProduct(op) || op.target == "aten::linear")
            return linearAtPairs(op, layout, pairs);
        if (isExpand(op))
            return expandAtPairs(op, layout, pairs);
        if (isOneOf(op.target, {"aten::cat", "aten::concat"}))
            return joinedAtPairs(op, layout, pairs);
        if (isSum(op))
            return sumAtPairs(op, layout, pairs);
        if (isLeftAlone(op))
            return atPairs(at, OpView(m_p, op).value(op.target == "aten::dropout" ? "input" : "self"), layout, pairs);
        if (onlyPads(m_p, op)) {
            const ValueId self = OpView(m_p, op).value("self");
            const std::size_t rank = m_p[self].sizes.size();
            std::optional<ValueId> rows = atPairs(at, self, {rank, layout.targets + rank - layout.rank, layout.sources + rank - layout.rank}, pairs);
            for (std::size_t r = rank; rows && r < layout.rank; ++r)
                rows = m_algebra.unsqueezed(at, *rows, 1);
            for (std::size_t r = rank; rows && r > layout.rank; --r)
                rows = m_algebra.squeezed(at, *rows, 1);
            return rows;
        }
        if (onlyViews(m_p, op))
            return viewedAtPairs(op, layout, pairs);
        if (!isEntrywise(op))
            return {};
        std::vector<NamedArgument> args = op.args;
        const Value result = valueAtPairs(value, layout, pairs);
        for (NamedArgument& argument : args)
            if (const ValueId* operand = argument.value.asValue()) {
                const std::optional<ValueId> rows =
                    m_p[*operand].kind == ValueKind::Tensor ? atPairs(op, *operand, layout, pairs) : std::optional(m_rewriter.resolved(*operand));
                if (!rows)
                    return {};
                argument.value = {*rows};
            }
        return m_atPairs[key] = m_rewriter.emitNew(op, op.target, op.overload, std::move(args), result);
    }
    ValueId rows = m_rewriter.resolved(value);
    if (m_p[rows].sizes.empty())
        return rows;
    if (m_isMasked(value) || m_p[rows].sizes.size() > layout.rank)
        return {};
    while (m_p[rows].sizes.size() < layout.rank)
        rows = m_algebra.unsqueezed(at, rows, 0);
    const bool ofTargets = m_p[rows].sizes[layout.targets] == pairs.nodes, ofSources = m_p[rows].sizes[layout.sources] == pairs.nodes;
    const std::size_t own = ofSources ? layout.sources : layout.targets, other = ofSources ? layout.targets : layout.sources;
    if ((ofTargets && ofSources) || !m_p[rows].sizes[other].isOne() || (!ofTargets && !ofSources && !m_p[rows].sizes[own].isOne()))
        return {};
    if (ofTargets || ofSources)
        rows = m_algebra.gathered(at, rows, own, ofTargets ? pairs.targets : pairs.sources, pairs.count);
    rows = m_algebra.squeezed(at, rows, other);
    return m_algebra.moved(at, rows, own - (other < own ? 1 : 0), 0);
}

// Of a tensor that has the same number everywhere.
std::optional<double> PairRows::numberOf(const Op& op, std::string_view name) const
{
    const Argument* argument = op.find(name);
    const ValueId* value = argument == nullptr ? nullptr : argument->asValue();
    return value != nullptr ? constantOf(*value) : OpView(m_p, op).number(name);
}

std::optional<double> PairRows::constantOf(ValueId value) const
{
    const auto pending = m_pending.find(value);
    const OpId maker = value.valid() ? m_p[value].producer : OpId{};
    if (pending == m_pending.end() && (!maker.valid() || m_p[maker].target != "aten::scalar_tensor"))
        return {};
    const Op& op = pending != m_pending.end() ? pending->second.op : m_p[maker];
    const OpView view(m_p, op);
    if (op.target == "aten::scalar_tensor")
        return view.number("s");
    if (isOneOf(op.target, {"aten::ones_like", "aten::ones", "aten::new_ones"}))
        return 1;
    if (isOneOf(op.target, {"aten::zeros_like", "aten::zeros", "aten::new_zeros"}))
        return 0;
    if (isFilled(op))
        return view.number("fill_value");
    if (op.target != "aten::mul" && op.target != "aten::neg")
        return {};
    const std::optional<double> self = constantOf(view.value("self"));
    if (op.target == "aten::neg")
        return self ? std::optional(-*self) : std::nullopt;
    const std::optional<double> factor = view.number("other");
    return self && factor ? std::optional(*self * *factor) : std::nullopt;
}

}  // namespace cleave
