// What reads a matrix, done with its edges.
#include <algorithm>
#include <cmath>
#include <set>

#include "core/analysis/adjacency_lowering.h"

namespace cleave {

bool AdjacencyLowering::lowerReader(const Op& op)
{
    const OpView view(m_p, op);
    const ValueId output = op.outputs.front();
    const auto is = [&](std::initializer_list<std::string_view> targets) { return isOneOf(op.target, targets); };
    if (m_p[output].kind == ValueKind::Tensor && m_p[output].sizes.empty())
        return false;
    if (view.given("reduce"))  // of a product with a sparse matrix: a mean, or an extreme
        return false;
    if (is({"aten::mm", "aten::matmul", "aten::_sparse_mm", "aten::bmm", "aten::mv"}))
        return lowerProduct(op, first(view, {"self", "sparse"}), first(view, {"other", "mat2", "dense", "vec"}));
    if (is({"aten::einsum"}))
        return lowerEinsum(op);
    if (is({"aten::addmm", "aten::_sparse_addmm"}))
        return lowerSumWithProduct(op);
    if (is({"aten::sum", "aten::_sparse_sum"}))
        return lowerSum(op);
    if (is({"aten::mul", "aten::div"}))
        return lowerScaling(op);
    if (is({"aten::add", "aten::sub"}) && lowerAddition(op))
        return true;
    if (is({"aten::where"}))
        return lowerChoice(op);
    if (is({"aten::stack"}))
        return lowerStack(op);
    if (is({"aten::linalg_vector_norm"}))
        return lowerNorm(op);
    if (is({"aten::expand_as"}))
        return lowerBroadcast(op);
    if (is({"aten::index_put"}))
        return lowerDiagonal(op);
    if (is({"aten::sym_size", "aten::size"}))
        return lowerSize(op);
    // A scatter over all of a matrix is what it scatters.
    const ValueId source = view.value(is({"aten::slice_scatter"}) ? "src" : is({"aten::dropout"}) ? "input" : "self");
    if (const auto stack = m_stacks.find(source); stack != m_stacks.end())
        return lowerSelect(op, stack->second);
    const MatrixEdges* self = source.valid() ? edgesOf(source, op) : nullptr;
    if (self == nullptr || op.outputs.size() != 1)
        return false;
    if (is({"aten::t", "aten::numpy_T", "aten::transpose", "aten::adjoint"}))
        return take(output, transposed(op, *self));
    const bool keeps = isView(op, {ViewKind::Whole, ViewKind::Reshape, ViewKind::Repeat}) ||
                       is({"aten::to", "aten::_to_copy", "aten::slice", "aten::slice_scatter", "aten::to_dense", "aten::coalesce", "aten::positive"});
    if (is({"aten::dropout"}) && !view.flag("train", true))
        return take(output, *self);
    const std::vector<Dim>& sizes = m_p[output].sizes;
    // The matrix may be the same for each of several graphs.
    const bool isRepeated = isView(op, {ViewKind::Repeat}) && sizes.size() == 3 && sizes[1] == sizes[2] && sizes[2] == m_p[source].sizes.back();
    if (keeps && (isSquareOfNodes(m_p[output]) || isRepeated) && m_p[output].dtype == m_p[self->weights].dtype)
        return take(output, *self);
    if (is({"aten::type_as"})) {
        const std::optional<MatrixEdges> each = m_algebra->distinct(op, *self, m_p[source].sizes.back());
        return each && take(output, ofType(op, *each, m_p[output].dtype));
    }
    const bool isMasked = m_pairs->takeMask(op, *self, source);
    return (leavesZero(op, m_p[source].dtype) && take(output, m_algebra->entrywise(op, *self, m_p[output]))) || isMasked;
}

bool AdjacencyLowering::leavesZero(const Op& op, DType from) const
{
    static const std::set<std::string_view> always{
        "aten::relu",  "aten::abs",    "aten::sign", "aten::sgn",   "aten::tanh",      "aten::sqrt", "aten::leaky_relu",
        "aten::elu",   "aten::square", "aten::neg",  "aten::sin",   "aten::tan",       "aten::atan", "aten::asinh",
        "aten::expm1", "aten::log1p",  "aten::erf",  "aten::gelu",  "aten::silu",      "aten::to",   "aten::_to_copy",
        "aten::round", "aten::floor",  "aten::ceil", "aten::trunc", "aten::nan_to_num"};
    if (always.contains(op.target))
        return m_p[op.outputs.front()].sizes == m_p[OpView(m_p, op).value("self")].sizes;
    const OpView view(m_p, op);
    if (op.target == "aten::pow")
        return isFloating(from) && view.number("exponent").value_or(0) > 0;
    if (op.target == "aten::clamp" || op.target == "aten::clamp_min" || op.target == "aten::clamp_max") {
        const auto holds = [&](const char* name, bool isLeast) {
            const auto bound = view.number(name);
            return !view.given(name) || (bound && (isLeast ? *bound <= 0 : *bound >= 0));
        };
        return holds("min", true) && holds("max", false);
    }
    const auto other = view.number("other");
    return other &&
           ((op.target == "aten::gt" && *other >= 0) || (op.target == "aten::ge" && *other > 0) || (op.target == "aten::lt" && *other <= 0) ||
            (op.target == "aten::le" && *other < 0) || (op.target == "aten::ne" && *other == 0) || (op.target == "aten::eq" && *other != 0));
}

bool AdjacencyLowering::lowerChoice(const Op& op)
{
    const OpView view(m_p, op);
    const ValueId condition = view.value("condition");
    const MatrixEdges* where = condition.valid() ? edgesOf(condition, op) : nullptr;
    const Argument *self = op.find("self"), *other = op.find("other");
    if (where == nullptr || self == nullptr || other == nullptr || m_pairs->rows().numberOf(op, "other") != 0.0)
        return false;
    const Value result = m_p[op.outputs.front()];
    if (const ValueId* chosen = self->asValue())
        if (const MatrixEdges* edges = edgesOf(*chosen, op)) {
            const auto both = m_algebra->sideBySide(op, MatrixEdges(*edges), MatrixEdges(*where), result.sizes.back());
            return both && take(op.outputs.front(), m_algebra->chosen(op, both->first, both->second.weights));
        }
    const std::optional<double> number = m_pairs->rows().numberOf(op, "self");
    if (!number || !std::isfinite(*number) || !isFloating(result.dtype))
        return false;
    return take(op.outputs.front(), m_algebra->scaled(op, ofType(op, *where, result.dtype), "aten::mul", "Scalar", {*number}));
}

bool AdjacencyLowering::lowerNorm(const Op& op)
{
    const OpView view(m_p, op);
    const double order = view.number("ord").value_or(2);
    const bool isOne = order == 1;
    const MatrixEdges* edges = edgesOf(view.value("self"), op);
    if (edges == nullptr || (!isOne && order != 2))
        return false;
    std::optional<MatrixEdges> each = m_algebra->distinct(op, *edges, m_p[view.value("self")].sizes.back());
    if (!each)
        return false;
    each->weights = m_rewriter->emitNew(op, isOne ? "aten::abs" : "aten::square", "", {{"self", {each->weights}}}, m_p[each->weights]);
    const std::optional<ValueId> sums = summed(op, *each);
    if (!sums)
        return false;
    m_rewriter->replace(op.outputs.front(), isOne ? *sums : m_rewriter->emitNew(op, "aten::sqrt", "", {{"self", {*sums}}}, m_p[*sums]));
    return true;
}

bool AdjacencyLowering::lowerBroadcast(const Op& op)
{
    const OpView view(m_p, op);
    const ValueId self = view.value("self"), as = view.value("other");
    if (!self.valid() || !as.valid() || edgesOf(self, op) != nullptr || edgesOf(as, op) == nullptr)
        return false;
    std::vector<Argument> size;
    for (const Dim& dim : std::vector<Dim>(m_p[op.outputs.front()].sizes))
        size.push_back(m_rewriter->sizeArgument(dim, op));
    if (std::ranges::any_of(size, &Argument::isNone))
        return false;
    emitKept(self);
    m_broadcast[op.outputs.front()] = m_rewriter->resolved(self);
    emitLast(op, "aten::expand", "", {{"self", {m_rewriter->resolved(self)}}, {"size", {size}}});  // for other readers
    return true;
}

ValueId AdjacencyLowering::first(const OpView& view, std::initializer_list<std::string_view> names)
{
    for (const std::string_view name : names)
        if (const ValueId value = view.value(name); value.valid())
            return value;
    return {};
}

void AdjacencyLowering::emitLast(const Op& old, std::string target, std::string overload, std::vector<NamedArgument> args)
{
    Op op{old.name, std::move(target), std::move(overload), std::move(args), old.outputs, old.module, old.source};
    m_rewriter->emit(std::move(op));
}

bool AdjacencyLowering::lowerSum(const Op& op)
{
    const OpView view(m_p, op);
    const MatrixEdges* edges = edgesOf(view.value("self"), op);
    if (edges == nullptr)
        return false;
    const std::optional<ValueId> sums = summed(op, *edges);
    if (sums)
        m_rewriter->replace(op.outputs.front(), *sums);
    if (sums && op.target == "aten::_sparse_sum")
        m_sparseSums.insert(op.outputs.front());
    return sums.has_value();
}

std::optional<ValueId> AdjacencyLowering::summed(const Op& op, const MatrixEdges& edges)
{
    const OpView view(m_p, op);
    const int rank = view.rank("self");
    const std::optional<std::vector<int>> dims = view.dims("dim", rank);
    if (view.given("dtype") || !dims || dims->size() != 1 || dims->front() < rank - 2)
        return {};
    const Value result = m_p[op.outputs.front()];
    const Dim nodes = m_p[view.value("self")].sizes.back();
    if (std::ranges::count_if(result.sizes, [](const Dim& dim) { return !dim.isOne(); }) != 1)
        return {};  // once for each of several graphs
    std::optional<ValueId> total =
        m_algebra->summed(op, ofType(op, edges, result.dtype).weights, dims->front() == rank - 1 ? edges.targets : edges.sources, nodes);
    // The other dimensions of the result are 1.
    std::vector<Dim> sizes{nodes};
    for (std::size_t d = 0; d < result.sizes.size() && total; ++d)
        if (result.sizes[d].isOne() && result.sizes.size() > 1) {
            sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(d), Dim{1, {}});
            total = m_rewriter->emitNew(op, "aten::unsqueeze", "", {{"self", {*total}}, {"dim", whole(static_cast<std::int64_t>(d))}},
                                        m_algebra->like(*total, sizes));
        }
    return total;
}

bool AdjacencyLowering::lowerScaling(const Op& op)
{
    const OpView view(m_p, op);
    if (view.given("rounding_mode"))
        return false;
    const Argument *self = op.find("self"), *other = op.find("other");
    if (self == nullptr || other == nullptr)
        return false;
    const auto isEdges = [&](const Argument& argument) { return argument.asValue() != nullptr && edgesOf(*argument.asValue(), op) != nullptr; };
    const auto isSquare = [&](const Argument& argument) { return argument.asValue() != nullptr && isMatrix(*argument.asValue(), op); };
    const bool isLeft = isEdges(*self);
    const Argument& by = isLeft ? *other : *self;
    const ValueId id = isLeft ? *self->asValue() : isEdges(*other) ? *other->asValue() : ValueId{};
    if (!id.valid() || (op.target == "aten::div" && (!isLeft || isSquare(by))))
        return false;
    MatrixEdges edges = *edgesOf(id, op);
    const Value result = m_p[op.outputs.front()];
    if (isEdges(by))
        return take(op.outputs.front(), m_algebra->product(op, edges, MatrixEdges(*edgesOf(*by.asValue(), op)), result));
    edges = ofType(op, std::move(edges), result.dtype);
    if (isSquare(by))
        return isAllButDiagonal(*by.asValue()) && take(op.outputs.front(), m_algebra->withoutLoops(op, std::move(edges)));
    // Something for each pair of nodes is needed where there are edges.
    if (by.asValue() != nullptr && op.target == "aten::mul" && m_pairs->rows().isKept(*by.asValue())) {
        const std::optional<MatrixEdges> places = m_algebra->distinct(op, edges, result.sizes.back());
        const std::optional<ValueId> scores = places ? m_pairs->rows().atEntries(op, *by.asValue(), *places, result.sizes.back()) : std::nullopt;
        return scores && take(op.outputs.front(), m_algebra->scaled(op, *places, op.target, "Tensor", {*scores}));
    }
    Argument factor = by;
    if (const ValueId* value = by.asValue()) {
        const auto before = m_broadcast.find(*value);
        const std::optional<ValueId> perEdge =
            factorOfEdges(op, before == m_broadcast.end() ? m_rewriter->resolved(*value) : before->second, edges, m_p[id].sizes);
        if (!perEdge)
            return false;
        factor = {*perEdge};
    }
    return take(op.outputs.front(), m_algebra->scaled(op, std::move(edges), op.target, op.overload, factor));
}

std::optional<ValueId> AdjacencyLowering::factorOfEdges(const Op& op, ValueId factor, const MatrixEdges& edges, std::vector<Dim> matrix)
{
    const std::vector<Dim> sizes = m_p[factor].sizes;
    if (isNumber(factor))
        return m_p[factor].kind == ValueKind::Tensor && sizes.size() > 1 ? m_algebra->flattened(op, factor, Dim{1, {}}) : factor;
    if (sizes.size() > matrix.size())
        return {};
    const Dim nodes = matrix.back();
    const bool ofColumns = sizes.back() == nodes, ofRows = sizes.size() > 1 && sizes[sizes.size() - 2] == nodes;
    const bool isVector = std::ranges::count_if(sizes, [](const Dim& size) { return !size.isOne(); }) == 1;
    if (!isVector || ofColumns == ofRows)
        return {};
    return m_algebra->gathered(op, m_algebra->flattened(op, factor, nodes), 0, ofColumns ? edges.sources : edges.targets, edges.count);
}

bool AdjacencyLowering::lowerAddition(const Op& op)
{
    const OpView view(m_p, op);
    const ValueId a = view.value("self"), b = view.value("other");
    const std::optional<double> times = view.given("alpha") ? view.number("alpha") : 1.0;
    if (a.valid() && !b.valid() && view.number("other") == 0.0)  // Python's sum() begins with 0
        if (const MatrixEdges* alone = edgesOf(a, op))
            return take(op.outputs.front(), ofType(op, MatrixEdges(*alone), m_p[op.outputs.front()].dtype));
    if (!a.valid() || !b.valid() || !times)
        return false;
    const MatrixEdges* left = matrix(a, op);
    const MatrixEdges* right = matrix(b, op);
    if (left == nullptr || right == nullptr || m_p[left->weights].dtype != m_p[right->weights].dtype)
        return false;
    const double factor = op.target == "aten::sub" ? -*times : *times;
    const bool isWhole = !isFloating(m_p[right->weights].dtype);
    if (isWhole && factor != std::trunc(factor))
        return false;
    const Argument by = isWhole ? Argument{static_cast<std::int64_t>(factor)} : Argument{factor};
    const MatrixEdges added = factor == 1 ? *right : m_algebra->scaled(op, *right, "aten::mul", "Scalar", by);
    return take(op.outputs.front(), m_algebra->joined(op, *left, added));
}

bool AdjacencyLowering::lowerDiagonal(const Op& op)
{
    const OpView view(m_p, op);
    const MatrixEdges* edges = edgesOf(view.value("self"), op);
    if (edges == nullptr || view.flag("accumulate", false))
        return false;
    std::vector<ValueId> indices;
    for (const ValueId index : view.values("indices"))
        if (index.valid())
            indices.push_back(m_rewriter->resolved(index));
    const Argument* values = op.find("values");
    if (values == nullptr)
        return false;
    const ValueId* tensor = values->asValue();
    const Value matrix = m_p[op.outputs.front()];
    if (indices.size() != 2 || indices[0] != indices[1] || !isAllNodes(indices[0], matrix.sizes.back()) ||
        (tensor != nullptr && (edgesOf(*tensor, op) != nullptr || !isNumber(*tensor))))
        return false;
    const MatrixEdges old = *edges;
    const Dim nodes = matrix.sizes.back();
    const MatrixEdges others = m_algebra->chosen(op, old, m_algebra->areNoLoops(op, old));
    std::optional<MatrixEdges> loops = m_algebra->diagonal(op, nodes, {}, matrix.dtype);
    if (!loops)
        return false;
    Argument value = *values;
    if (tensor != nullptr) {
        const ValueId number = m_rewriter->resolved(*tensor);
        value = {m_p[number].sizes.size() > 1 ? m_algebra->flattened(op, number, Dim{1, {}}) : number};
    }
    loops = m_algebra->scaled(op, *loops, "aten::mul", tensor != nullptr ? "Tensor" : "Scalar", value);
    return take(op.outputs.front(), m_algebra->joined(op, others, *loops));
}

bool AdjacencyLowering::lowerSize(const Op& op)
{
    const Value number = m_p[op.outputs.front()];
    if (number.kind != ValueKind::Int)
        return false;
    const Argument size = m_rewriter->sizeArgument(number.number, op);
    if (size.isNone())
        return false;
    if (const ValueId* value = size.asValue())
        m_rewriter->replace(op.outputs.front(), *value);
    else
        emitLast(op, "operator::add", "", {{"a", size}, {"b", whole(0)}});
    return true;
}

}  // namespace cleave
