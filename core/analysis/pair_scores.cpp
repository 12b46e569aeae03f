#include "core/analysis/pair_scores.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

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

bool isProduct(const Op& op)
{
    return isOneOf(op.target, {"aten::mm", "aten::matmul", "aten::bmm"});
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

ValueId partner(const OpView& view)
{
    for (const std::string_view name : {"other", "mat2"})
        if (const ValueId value = view.value(name); value.valid())
            return value;
    return {};
}

}  // namespace

bool PairScores::isLeftAlone(const Op& op) const
{
    return isView(op, {ViewKind::Whole}) ||
           (isOneOf(op.target, {"aten::to", "aten::_to_copy"}) && m_p[op.outputs.front()].dtype == m_p[OpView(m_p, op).value("self")].dtype) ||
           (op.target == "aten::dropout" && !OpView(m_p, op).flag("train", true));
}

// The targets first, as rows of a matrix are. Nothing where not exactly two dimensions count the same.
std::optional<PairScores::Layout> PairScores::layoutOf(const Value& value) const
{
    if (value.kind != ValueKind::Tensor)
        return {};
    for (std::size_t i = 0; i < value.sizes.size(); ++i)
        for (std::size_t j = i + 1; j < value.sizes.size() && !value.sizes[i].isConstant(); ++j)
            if (value.sizes[i] == value.sizes[j])
                return std::ranges::count(value.sizes, value.sizes[i]) == 2 ? std::optional(Layout{value.sizes.size(), i, j}) : std::nullopt;
    return {};
}

bool PairScores::defer(const Op& op)
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

void PairScores::emit(ValueId value)
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

bool PairScores::reads(const Op& op) const
{
    bool any = false;
    forEachOperand(op,
                   [&](ValueId operand) { any = any || m_masks.contains(operand) || m_scores.contains(operand) || m_emptiness.contains(operand); });
    return any;
}

std::string PairScores::matrixOf(const Op& op) const
{
    std::string name;
    forEachOperand(op, [&](ValueId operand) {
        if (const auto mask = m_masks.find(operand); mask != m_masks.end())
            name = mask->second.matrix.matrix;
        if (const auto scores = m_scores.find(operand); scores != m_scores.end())
            name = scores->second.matrix;
    });
    return name;
}

bool PairScores::lower(const Op& op)
{
    if (op.outputs.size() != 1)
        return op.outputs.empty();  // an assertion
    if (lowerEmptiness(op) || lowerZeroing(op))
        return true;
    if (isOneOf(op.target, {"aten::masked_fill", "aten::where"}))
        return lowerMasking(op);
    if (isOneOf(op.target, {"aten::softmax", "aten::_softmax", "aten::_safe_softmax"}))
        return lowerSoftmax(op);
    if (isOneOf(op.target, {"aten::add", "aten::sub"}) && lowerBias(op))
        return true;
    if (isProduct(op))
        return lowerProduct(op);
    const OpView view(m_p, op);
    const ValueId self = view.value(op.target == "aten::dropout" ? "input" : "self");
    if (const auto mask = m_masks.find(self); mask != m_masks.end())
        return lowerView(op, mask->second, self);
    const auto scores = m_scores.find(self);
    if (scores != m_scores.end() && scores->second.isNormal && scores->second.isInfinite && op.target == "aten::nan_to_num" &&
        view.number("nan").value_or(0) == 0) {
        Scores numbers = scores->second;
        numbers.isZeroed = true;
        numbers.rows = m_rewriter.emitNew(op, op.target, op.overload, {{"self", {numbers.rows}}}, Value(m_p[numbers.rows]));
        m_scores[op.outputs.front()] = numbers;
        return true;
    }
    return scores != m_scores.end() && lowerView(op, scores->second, self);
}

// Dimensions that change places, that of 1 entry come or go.
bool PairScores::lowerView(const Op& op, Scores scores, ValueId value)
{
    const ValueId output = op.outputs.front();
    const OpView view(m_p, op);
    const int rank = static_cast<int>(scores.layout.rank);
    const std::vector<Dim>& sizes = m_p[output].sizes;
    if (m_p[value].sizes.size() != scores.layout.rank)
        return false;
    std::vector<std::size_t> order(scores.layout.rank);  // which dimension of value each of the output is
    std::iota(order.begin(), order.end(), 0);
    const bool keepsSizes = isLeftAlone(op) || isView(op, {ViewKind::Reshape, ViewKind::Repeat});
    if (keepsSizes && sizes == m_p[value].sizes) {
        m_scores[output] = scores;
        return true;
    }
    if (isReshape(op))
        return lowerReshape(op, std::move(scores), value);
    if (op.target == "aten::unsqueeze" || op.target == "aten::squeeze") {
        const bool comes = op.target == "aten::unsqueeze";
        const std::optional<int> dim = view.dim("dim", comes ? rank + 1 : rank);
        if (!dim || sizes.size() != scores.layout.rank + (comes ? 1 : -1))
            return false;
        const auto d = static_cast<std::size_t>(*dim);
        if (!comes && (d == scores.layout.targets || d == scores.layout.sources))
            return false;
        std::size_t inRows = 1 + d;  // among [pairs, the others]
        for (std::size_t* pair : {&scores.layout.targets, &scores.layout.sources}) {
            inRows -= *pair < d ? 1 : 0;
            *pair += comes ? (d <= *pair ? 1 : 0) : -(d < *pair ? 1 : 0);
        }
        scores.layout.rank = sizes.size();
        if (comes) {
            scores.rows = unsqueezed(op, scores.rows, inRows);
        } else {
            scores.rows = squeezed(op, scores.rows, inRows);
        }
        m_scores[output] = scores;
        return true;
    }
    if (op.target == "aten::transpose") {
        const std::optional<int> a = view.dim("dim0", rank), b = view.dim("dim1", rank);
        if (!a || !b)
            return false;
        std::swap(order[static_cast<std::size_t>(*a)], order[static_cast<std::size_t>(*b)]);
    } else if (op.target == "aten::permute") {
        const std::optional<std::vector<int>> dims = view.dims("dims", rank);
        if (!dims || dims->size() != order.size())
            return false;
        std::ranges::transform(*dims, order.begin(), [](int dim) { return static_cast<std::size_t>(dim); });
    } else if (op.target == "aten::movedim") {
        const std::optional<std::vector<int>> from = view.dims("source", rank), to = view.dims("destination", rank);
        if (!from || !to || from->size() != 1 || to->size() != 1)
            return false;
        const auto dim = static_cast<std::size_t>(from->front());
        order.erase(order.begin() + from->front());
        order.insert(order.begin() + to->front(), dim);
    } else {
        return false;
    }
    std::vector<std::size_t> inOrder = order;
    std::ranges::sort(inOrder);
    if (sizes.size() != order.size() || std::ranges::adjacent_find(inOrder) != inOrder.end())
        return false;
    const Layout old = scores.layout;
    const auto placeOf = [&](std::size_t dim) { return static_cast<std::size_t>(std::ranges::find(order, dim) - order.begin()); };
    scores.layout.targets = placeOf(old.targets);
    scores.layout.sources = placeOf(old.sources);
    std::vector<Argument> dims{whole(0)};
    std::vector<Dim> rest{scores.pairs.count};
    bool moves = false;
    for (const std::size_t dim : order)
        if (dim != old.targets && dim != old.sources) {
            const std::size_t inRows = 1 + dim - (old.targets < dim ? 1 : 0) - (old.sources < dim ? 1 : 0);
            moves = moves || inRows != dims.size();
            dims.push_back(whole(inRows));
            rest.push_back(m_p[scores.rows].sizes[inRows]);
        }
    if (moves)
        scores.rows = m_rewriter.emitNew(op, "aten::permute", "", {{"self", {scores.rows}}, {"dims", {dims}}}, m_algebra.like(scores.rows, rest));
    m_scores[output] = scores;
    return true;
}

// Dimensions of 1 entry come and go.
bool PairScores::lowerReshape(const Op& op, Scores scores, ValueId value)
{
    const std::vector<Dim> from = m_p[value].sizes, to = m_p[op.outputs.front()].sizes;
    std::vector<std::size_t> kept, places;
    for (std::size_t d = 0; d < from.size(); ++d)
        if (!from[d].isOne())
            kept.push_back(d);
    for (std::size_t d = 0; d < to.size(); ++d)
        if (!to[d].isOne())
            places.push_back(d);
    const auto isKept = [&](std::size_t dim) { return std::ranges::find(kept, dim) != kept.end(); };
    if (from.size() != scores.layout.rank || !isKept(scores.layout.targets) || !isKept(scores.layout.sources) ||
        !std::ranges::equal(
            kept, places, {}, [&](std::size_t d) { return from[d]; }, [&](std::size_t d) { return to[d]; }))
        return false;
    const auto placeOf = [&](std::size_t dim) { return places[static_cast<std::size_t>(std::ranges::find(kept, dim) - kept.begin())]; };
    scores.layout = {to.size(), placeOf(scores.layout.targets), placeOf(scores.layout.sources)};
    std::vector<Argument> shape{{std::int64_t{-1}}};
    std::vector<Dim> rest{scores.pairs.count};
    for (std::size_t d = 0; d < to.size(); ++d)
        if (d != scores.layout.targets && d != scores.layout.sources) {
            shape.push_back(m_rewriter.sizeArgument(to[d], op));
            rest.push_back(to[d]);
        }
    scores.rows = m_rewriter.emitNew(op, "aten::reshape", "", {{"self", {scores.rows}}, {"shape", {shape}}}, m_algebra.like(scores.rows, rest));
    m_scores[op.outputs.front()] = scores;
    return true;
}

// Entries of one place become one edge, where they add up to more than 0, or to anything else.
std::optional<PairScores::Pairs> PairScores::pairsOf(const Op& at, const Mask& mask, const Dim& nodes)
{
    const std::tuple key{mask.matrix.sources, mask.matrix.targets, mask.matrix.weights, mask.presence == Presence::Positive};
    if (const auto known = m_pairs.find(key); known != m_pairs.end())
        return known->second;
    const std::optional<MatrixEdges> places = m_algebra.distinct(at, mask.matrix, nodes);
    const Argument size = m_rewriter.sizeArgument(nodes, at);
    if (!places || size.isNone())
        return {};
    const auto make = [&](std::string target, std::string overload, std::vector<NamedArgument> args, const Value& result) {
        return m_rewriter.emitNew(at, std::move(target), std::move(overload), std::move(args), result);
    };
    const ValueId present = make(mask.presence == Presence::Positive ? "aten::gt" : "aten::ne", "Scalar",
                                 {{"self", {places->weights}}, {"other", whole(0)}}, MatrixAlgebra::vector(DType::Bool, places->count));
    Pairs pairs;
    pairs.count = freshCount(m_p, "pairs");
    pairs.nodes = nodes;
    const Value indices = MatrixAlgebra::vector(DType::Int64, pairs.count), ofNodes = MatrixAlgebra::vector(DType::Int64, nodes);
    Value column = indices;
    column.sizes.push_back({1, {}});
    const ValueId numbers = make("aten::nonzero", "", {{"self", {present}}}, column);
    const ValueId kept = make("aten::select", "int", {{"self", {numbers}}, {"dim", whole(1)}, {"index", whole(0)}}, indices);
    pairs.sources = m_algebra.gathered(at, places->sources, 0, kept, pairs.count);
    pairs.targets = m_algebra.gathered(at, places->targets, 0, kept, pairs.count);
    pairs.weights = m_algebra.gathered(at, places->weights, 0, kept, pairs.count);
    const ValueId none = make("aten::zeros", "", {{"size", {std::vector<Argument>{size}}}, {"dtype", {DType::Int64}}}, ofNodes);
    const ValueId each = make("aten::ones_like", "", {{"self", {pairs.targets}}}, indices);
    const ValueId degrees =
        make("aten::index_add", "", {{"self", {none}}, {"dim", whole(0)}, {"index", {pairs.targets}}, {"source", {each}}}, ofNodes);
    pairs.isAlone = make("aten::eq", "Scalar", {{"self", {degrees}}, {"other", whole(0)}}, MatrixAlgebra::vector(DType::Bool, nodes));
    return m_pairs[key] = pairs;
}

ValueId PairScores::unsqueezed(const Op& at, ValueId value, std::size_t dim)
{
    std::vector<Dim> sizes = m_p[value].sizes;
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(dim), Dim{1, {}});
    return m_rewriter.emitNew(at, "aten::unsqueeze", "", {{"self", {value}}, {"dim", whole(dim)}}, m_algebra.like(value, sizes));
}

ValueId PairScores::squeezed(const Op& at, ValueId value, std::size_t dim)
{
    std::vector<Dim> sizes = m_p[value].sizes;
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dim));
    return m_rewriter.emitNew(at, "aten::squeeze", "dim", {{"self", {value}}, {"dim", whole(dim)}}, m_algebra.like(value, sizes));
}

ValueId PairScores::moved(const Op& at, ValueId value, std::size_t from, std::size_t to)
{
    if (from == to)
        return value;
    std::vector<Dim> sizes = m_p[value].sizes;
    const Dim size = sizes[from];
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(from));
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(to), size);
    std::vector<Argument> dims;
    for (std::size_t d = 0; d < sizes.size(); ++d)
        dims.push_back(whole(d));
    const Argument dim = dims[from];
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(from));
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(to), dim);
    return m_rewriter.emitNew(at, "aten::permute", "", {{"self", {value}}, {"dims", {dims}}}, m_algebra.like(value, sizes));
}

// [.., V, D] times [.., D, V] at pairs: a dot product for each.
std::optional<ValueId> PairScores::productAtPairs(const Op& product, const Layout& layout, const Pairs& pairs)
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
    const ValueId a = moved(product, rows, rank - 2, 0);
    const ValueId b = moved(product, columns, rank - 1, 0);  // [pairs, .., D] both
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

std::optional<ValueId> PairScores::at(const Op& op, ValueId scores, const MatrixEdges& places, const Dim& nodes)
{
    if (m_p[scores].sizes != std::vector{nodes, nodes})
        return {};
    return atPairs(op, scores, {2, 0, 1}, {places.sources, places.targets, places.weights, {}, places.count, nodes});
}

// [pairs, the other dimensions] of a value.
Value PairScores::valueAtPairs(ValueId value, const Layout& layout, const Pairs& pairs) const
{
    Value result = m_p[value];
    result.sizes = {pairs.count};
    for (std::size_t d = 0; d < layout.rank; ++d)
        if (d != layout.targets && d != layout.sources)
            result.sizes.push_back(m_p[value].sizes[d]);
    return result;
}

// Which dimensions of an operand count targets and sources, where those of a value that is made of it do so in this order.
std::optional<PairScores::Layout> PairScores::layoutAs(ValueId value, const Layout& layout) const
{
    std::optional<Layout> own = layoutOf(m_p[value]);
    if (own && layout.sources < layout.targets)
        std::swap(own->targets, own->sources);
    return own;
}

// Of a dimension behind those of pairs, its place among [pairs, the others].
std::size_t PairScores::placeOf(std::size_t dim, const Layout& layout)
{
    return 1 + dim - (layout.targets < dim ? 1 : 0) - (layout.sources < dim ? 1 : 0);
}

// Columns of each pair times a matrix, or a vector, that is the same for all.
std::optional<ValueId> PairScores::linearAtPairs(const Op& op, const Layout& layout, const Pairs& pairs)
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

std::optional<ValueId> PairScores::expandAtPairs(const Op& op, const Layout& layout, const Pairs& pairs)
{
    const ValueId self = OpView(m_p, op).value("self");
    const std::optional<ValueId> rows = atPairs(op, self, layout, pairs);
    const Value result = valueAtPairs(op.outputs.front(), layout, pairs);
    if (!rows || m_p[*rows].sizes.size() != result.sizes.size() ||
        !std::equal(result.sizes.begin() + 1, result.sizes.end(), m_p[*rows].sizes.begin() + 1))
        return {};
    return rows;
}

std::optional<ValueId> PairScores::joinedAtPairs(const Op& op, const Layout& layout, const Pairs& pairs)
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

std::optional<ValueId> PairScores::sumAtPairs(const Op& op, const Layout& layout, const Pairs& pairs)
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
std::optional<ValueId> PairScores::viewedAtPairs(const Op& op, const Layout& layout, const Pairs& pairs)
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
std::optional<ValueId> PairScores::atPairs(const Op& at, ValueId value, const Layout& layout, const Pairs& pairs)
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
                rows = unsqueezed(at, *rows, 1);
            for (std::size_t r = rank; rows && r > layout.rank; --r)
                rows = squeezed(at, *rows, 1);
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
    if (m_masks.contains(value) || m_scores.contains(value) || m_p[rows].sizes.size() > layout.rank)
        return {};
    while (m_p[rows].sizes.size() < layout.rank)
        rows = unsqueezed(at, rows, 0);
    const bool ofTargets = m_p[rows].sizes[layout.targets] == pairs.nodes, ofSources = m_p[rows].sizes[layout.sources] == pairs.nodes;
    const std::size_t own = ofSources ? layout.sources : layout.targets, other = ofSources ? layout.targets : layout.sources;
    if ((ofTargets && ofSources) || !m_p[rows].sizes[other].isOne() || (!ofTargets && !ofSources && !m_p[rows].sizes[own].isOne()))
        return {};
    if (ofTargets || ofSources)
        rows = m_algebra.gathered(at, rows, own, ofTargets ? pairs.targets : pairs.sources, pairs.count);
    rows = squeezed(at, rows, other);
    return moved(at, rows, own - (other < own ? 1 : 0), 0);
}

// Of a tensor that has the same number everywhere.
std::optional<double> PairScores::numberOf(const Op& op, std::string_view name) const
{
    const Argument* argument = op.find(name);
    const ValueId* value = argument == nullptr ? nullptr : argument->asValue();
    return value != nullptr ? constantOf(*value) : OpView(m_p, op).number(name);
}

std::optional<double> PairScores::constantOf(ValueId value) const
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

// [V, the other dimensions of rows], zeros.
ValueId PairScores::scatterZeros(const Op& at, ValueId rows, const Pairs& pairs)
{
    Value result = m_p[rows];
    result.sizes.front() = pairs.nodes;
    std::vector<Argument> size;
    for (const Dim& dim : result.sizes)
        size.push_back(m_rewriter.sizeArgument(dim, at));
    return m_rewriter.emitNew(at, "aten::zeros", "", {{"size", {size}}, {"dtype", {result.dtype}}}, result);
}

bool PairScores::lowerSoftmax(const Op& op)
{
    const OpView view(m_p, op);
    const auto found = m_scores.find(view.value("self"));
    if (found == m_scores.end() || found->second.isNormal || view.given("dtype"))
        return false;
    Scores scores = found->second;
    if (view.dim("dim", static_cast<int>(scores.layout.rank)) != static_cast<int>(scores.layout.sources))
        return false;
    const Value rows = m_p[scores.rows];
    ValueId index = scores.pairs.targets;
    while (m_p[index].sizes.size() < rows.sizes.size())
        index = unsqueezed(op, index, m_p[index].sizes.size());
    if (rows.sizes.size() > 1)
        index = m_rewriter.emitNew(op, "aten::expand_as", "", {{"self", {index}}, {"other", {scores.rows}}}, m_algebra.like(index, rows.sizes));
    const ValueId nothing = scatterZeros(op, scores.rows, scores.pairs);
    const ValueId largest = m_rewriter.emitNew(op, "aten::scatter_reduce", "two",
                                               {{"self", {nothing}},
                                                {"dim", whole(0)},
                                                {"index", {index}},
                                                {"src", {scores.rows}},
                                                {"reduce", {std::string("amax")}},
                                                {"include_self", {false}}},
                                               m_p[nothing]);
    const auto make = [&](std::string target, std::string overload, std::vector<NamedArgument> args) {
        return m_rewriter.emitNew(op, std::move(target), std::move(overload), std::move(args), rows);
    };
    const ValueId most = m_algebra.gathered(op, largest, 0, scores.pairs.targets, scores.pairs.count);
    const ValueId less = make("aten::sub", "Tensor", {{"self", {scores.rows}}, {"other", {most}}});
    const ValueId powers = make("aten::exp", "", {{"self", {less}}});
    const ValueId sums = m_rewriter.emitNew(
        op, "aten::index_add", "", {{"self", {nothing}}, {"dim", whole(0)}, {"index", {scores.pairs.targets}}, {"source", {powers}}}, m_p[nothing]);
    const ValueId sum = m_algebra.gathered(op, sums, 0, scores.pairs.targets, scores.pairs.count);
    scores.rows = make("aten::div", "Tensor", {{"self", {powers}}, {"other", {sum}}});
    scores.isNormal = true;
    scores.isZeroed = scores.isInfinite && op.target == "aten::_safe_softmax";
    m_scores[op.outputs.front()] = scores;
    return true;
}

bool PairScores::lowerProduct(const Op& op)
{
    const OpView view(m_p, op);
    const auto found = m_scores.find(view.value("self"));
    const ValueId other = partner(view);
    const Value output = m_p[op.outputs.front()];
    const std::size_t rank = output.sizes.size();
    if (found == m_scores.end() || !found->second.isNormal || !other.valid() || m_pending.contains(other) || m_masks.contains(other) ||
        m_scores.contains(other) || found->second.layout.rank != rank || found->second.layout.targets != rank - 2 ||
        found->second.layout.sources != rank - 1 || m_p[other].sizes.size() < 2 || m_p[other].sizes.size() > rank)
        return false;
    const Scores& scores = found->second;
    const Pairs& pairs = scores.pairs;
    ValueId rows = m_rewriter.resolved(other);
    while (m_p[rows].sizes.size() < rank)
        rows = unsqueezed(op, rows, 0);
    const ValueId first = moved(op, rows, rank - 2, 0);  // [V, .., C]
    const ValueId neighbours = m_algebra.gathered(op, first, 0, pairs.sources, pairs.count);
    const ValueId weights = unsqueezed(op, scores.rows, rank - 1);
    Value of = output;  // [V, .., C] as well
    of.sizes.erase(of.sizes.end() - 2);
    of.sizes.insert(of.sizes.begin(), pairs.nodes);
    Value messages = of;
    messages.sizes.front() = pairs.count;
    const ValueId weighed = m_rewriter.emitNew(op, "aten::mul", "Tensor", {{"self", {neighbours}}, {"other", {weights}}}, messages);
    ValueId sum =
        m_rewriter.emitNew(op, "aten::index_add", "",
                           {{"self", {scatterZeros(op, weighed, pairs)}}, {"dim", whole(0)}, {"index", {pairs.targets}}, {"source", {weighed}}}, of);
    ValueId isAlone = pairs.isAlone;
    while (m_p[isAlone].sizes.size() < rank)
        isAlone = unsqueezed(op, isAlone, m_p[isAlone].sizes.size());
    if (scores.isZeroed) {
        m_rewriter.replace(op.outputs.front(), moved(op, sum, 0, rank - 2));
        return true;
    }
    if (scores.isInfinite) {
        // 0 / 0 where there is nothing, as the dense softmax has it.
        const ValueId isNot = m_rewriter.emitNew(op, "aten::logical_not", "", {{"self", {isAlone}}}, m_p[isAlone]);
        Value number = m_p[isAlone];
        number.dtype = of.dtype;
        const ValueId one = m_rewriter.emitNew(op, "aten::to", "dtype", {{"self", {isNot}}, {"dtype", {of.dtype}}}, number);
        sum = m_rewriter.emitNew(op, "aten::div", "Tensor", {{"self", {sum}}, {"other", {one}}}, of);
    } else {
        Value mean = m_p[first];
        mean.sizes.front() = {1, {}};
        const ValueId all =
            m_rewriter.emitNew(op, "aten::mean", "dim", {{"self", {first}}, {"dim", {std::vector<Argument>{whole(0)}}}, {"keepdim", {true}}}, mean);
        sum = m_rewriter.emitNew(op, "aten::where", "self", {{"condition", {isAlone}}, {"self", {all}}, {"other", {sum}}}, of);
    }
    m_rewriter.replace(op.outputs.front(), moved(op, sum, 0, rank - 2));
    return true;
}

}  // namespace cleave
