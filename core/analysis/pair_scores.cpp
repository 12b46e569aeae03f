#include "core/analysis/pair_scores.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/analysis/op_view.h"

namespace cleave {

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
    if (PairRows::isProduct(op))
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
    const bool keepsSizes = m_rows.isLeftAlone(op) || isView(op, {ViewKind::Reshape, ViewKind::Repeat});
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
            scores.rows = m_algebra.unsqueezed(op, scores.rows, inRows);
        } else {
            scores.rows = m_algebra.squeezed(op, scores.rows, inRows);
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
std::optional<PairRows::Pairs> PairScores::pairsOf(const Op& at, const Mask& mask, const Dim& nodes)
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
        index = m_algebra.unsqueezed(op, index, m_p[index].sizes.size());
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
    const ValueId other = PairRows::partner(view);
    const Value output = m_p[op.outputs.front()];
    const std::size_t rank = output.sizes.size();
    if (found == m_scores.end() || !found->second.isNormal || !other.valid() || m_rows.isKept(other) || m_masks.contains(other) ||
        m_scores.contains(other) || found->second.layout.rank != rank || found->second.layout.targets != rank - 2 ||
        found->second.layout.sources != rank - 1 || m_p[other].sizes.size() < 2 || m_p[other].sizes.size() > rank)
        return false;
    const Scores& scores = found->second;
    const Pairs& pairs = scores.pairs;
    ValueId rows = m_rewriter.resolved(other);
    while (m_p[rows].sizes.size() < rank)
        rows = m_algebra.unsqueezed(op, rows, 0);
    const ValueId first = m_algebra.moved(op, rows, rank - 2, 0);  // [V, .., C]
    const ValueId neighbours = m_algebra.gathered(op, first, 0, pairs.sources, pairs.count);
    const ValueId weights = m_algebra.unsqueezed(op, scores.rows, rank - 1);
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
        isAlone = m_algebra.unsqueezed(op, isAlone, m_p[isAlone].sizes.size());
    if (scores.isZeroed) {
        m_rewriter.replace(op.outputs.front(), m_algebra.moved(op, sum, 0, rank - 2));
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
    m_rewriter.replace(op.outputs.front(), m_algebra.moved(op, sum, 0, rank - 2));
    return true;
}

}  // namespace cleave
