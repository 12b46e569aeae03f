#include "core/analysis/matrix_edges.h"

#include <algorithm>

#include "core/analysis/dims.h"
#include "core/base/format.h"

namespace cleave {

namespace {

Dim sumOf(const Dim& a, const Dim& b)
{
    std::vector<std::string> parts;
    for (const Dim& dim : {a, b}) {
        const auto [name, terms] = sizeParts(toString(dim));
        if (name == "Add")
            parts.insert(parts.end(), terms.begin(), terms.end());
        else
            parts.push_back(toString(dim));
    }
    std::ranges::sort(parts);
    return {0, "Add(" + join(parts, ", ") + ")"};
}

}  // namespace

Dim freshCount(const Program& program, const std::string& stem)
{
    const auto isTaken = [&](const Dim& dim) {
        return std::ranges::any_of(program.values, [&](const Value& value) { return std::ranges::find(value.sizes, dim) != value.sizes.end(); });
    };
    for (int n = 0;; ++n)
        if (const Dim dim{0, stem + (n > 0 ? std::to_string(n) : "")}; !isTaken(dim))
            return dim;
}

MatrixEdges MatrixAlgebra::reversed(MatrixEdges edges)
{
    std::swap(edges.sources, edges.targets);
    return edges;
}

Value MatrixAlgebra::vector(DType dtype, const Dim& count)
{
    Value value;
    value.dtype = dtype;
    value.sizes = {count};
    return value;
}

Value MatrixAlgebra::like(ValueId of, std::vector<Dim> sizes) const
{
    Value value = m_p[of];
    value.sizes = std::move(sizes);
    return value;
}

ValueId MatrixAlgebra::gathered(const Op& at, ValueId rows, std::size_t dim, ValueId index, const Dim& count)
{
    std::vector<Dim> sizes = m_p[rows].sizes;
    sizes[dim] = count;
    return m_rewriter.emitNew(at, "aten::index_select", "", {{"self", {rows}}, {"dim", whole(dim)}, {"index", {index}}}, like(rows, sizes));
}

ValueId MatrixAlgebra::flattened(const Op& at, ValueId value, const Dim& count)
{
    if (m_p[value].sizes.size() == 1)
        return value;
    return m_rewriter.emitNew(at, "aten::reshape", "", {{"self", {value}}, {"shape", {std::vector<Argument>{whole(-1)}}}}, like(value, {count}));
}

ValueId MatrixAlgebra::unsqueezed(const Op& at, ValueId value, std::size_t dim)
{
    std::vector<Dim> sizes = m_p[value].sizes;
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(dim), Dim{1, {}});
    return m_rewriter.emitNew(at, "aten::unsqueeze", "", {{"self", {value}}, {"dim", whole(dim)}}, like(value, sizes));
}

ValueId MatrixAlgebra::squeezed(const Op& at, ValueId value, std::size_t dim)
{
    std::vector<Dim> sizes = m_p[value].sizes;
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dim));
    return m_rewriter.emitNew(at, "aten::squeeze", "dim", {{"self", {value}}, {"dim", whole(dim)}}, like(value, sizes));
}

ValueId MatrixAlgebra::moved(const Op& at, ValueId value, std::size_t from, std::size_t to)
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
    return m_rewriter.emitNew(at, "aten::permute", "", {{"self", {value}}, {"dims", {dims}}}, like(value, sizes));
}

std::optional<ValueId> MatrixAlgebra::zeros(const Op& at, Value value)
{
    std::vector<Argument> size;
    for (const Dim& dim : value.sizes) {
        size.push_back(m_rewriter.sizeArgument(dim, at));
        if (size.back().isNone())
            return {};
    }
    return m_rewriter.emitNew(at, "aten::zeros", "", {{"size", {size}}, {"dtype", {value.dtype}}}, value);
}

std::optional<MatrixEdges> MatrixAlgebra::diagonal(const Op& at, const Dim& nodes, ValueId entries, DType dtype)
{
    const Argument size = m_rewriter.sizeArgument(nodes, at);
    if (size.isNone())
        return {};
    MatrixEdges edges;
    edges.count = nodes;
    edges.isDiagonal = edges.isDistinct = true;
    edges.sources = edges.targets =
        m_rewriter.emitNew(at, "aten::arange", "", {{"end", size}, {"dtype", {DType::Int64}}}, vector(DType::Int64, nodes));
    edges.weights = entries.valid() ? flattened(at, entries, nodes)
                                    : m_rewriter.emitNew(at, "aten::ones", "", {{"size", {std::vector<Argument>{size}}}, {"dtype", {dtype}}},
                                                         vector(dtype, nodes));
    return edges;
}

MatrixEdges MatrixAlgebra::joined(const Op& at, const MatrixEdges& left, const MatrixEdges& right)
{
    MatrixEdges all;
    all.count = sumOf(left.count, right.count);
    all.matrix = left.matrix.empty() ? right.matrix : left.matrix;
    const auto cat = [&](ValueId x, ValueId y) {
        return m_rewriter.emitNew(at, "aten::cat", "", {{"tensors", {std::vector<Argument>{{x}, {y}}}}, {"dim", whole(0)}}, like(x, {all.count}));
    };
    all.sources = cat(left.sources, right.sources);
    all.targets = cat(left.targets, right.targets);
    all.weights = cat(left.weights, right.weights);
    return all;
}

MatrixEdges MatrixAlgebra::scaled(const Op& at, MatrixEdges edges, const std::string& target, const std::string& overload, const Argument& factor)
{
    edges.weights = m_rewriter.emitNew(at, target, overload, {{"self", {edges.weights}}, {"other", factor}}, m_p[edges.weights]);
    return edges;
}

std::optional<MatrixEdges> MatrixAlgebra::scaledByDiagonal(const Op& at, const MatrixEdges& left, const MatrixEdges& right)
{
    if (!left.isDiagonal && !right.isDiagonal)
        return {};
    const MatrixEdges &edges = right.isDiagonal ? left : right, &diagonal = right.isDiagonal ? right : left;
    const ValueId factor = gathered(at, diagonal.weights, 0, right.isDiagonal ? edges.sources : edges.targets, edges.count);
    return scaled(at, edges, "aten::mul", "Tensor", {factor});
}

ValueId MatrixAlgebra::areNoLoops(const Op& at, const MatrixEdges& edges)
{
    return m_rewriter.emitNew(at, "aten::ne", "Tensor", {{"self", {edges.sources}}, {"other", {edges.targets}}}, vector(DType::Bool, edges.count));
}

MatrixEdges MatrixAlgebra::withoutLoops(const Op& at, MatrixEdges edges)
{
    const ValueId isOther = areNoLoops(at, edges);
    return scaled(at, std::move(edges), "aten::mul", "Tensor", {isOther});
}

MatrixEdges MatrixAlgebra::chosen(const Op& at, MatrixEdges edges, ValueId isKept)
{
    const ValueId none = m_rewriter.emitNew(at, "aten::zeros_like", "", {{"self", {edges.weights}}}, m_p[edges.weights]);
    edges.weights =
        m_rewriter.emitNew(at, "aten::where", "self", {{"condition", {isKept}}, {"self", {edges.weights}}, {"other", {none}}}, m_p[edges.weights]);
    return edges;
}

std::vector<ValueId> MatrixAlgebra::makeSeveral(const Op& at, const std::string& target, std::vector<NamedArgument> args,
                                                const std::vector<Value>& results)
{
    Op op{at.name, target, "", std::move(args), {}, at.module, at.source};
    op.name = target.substr(target.rfind(':') + 1);
    for (const Value& result : results)
        op.outputs.push_back(m_rewriter.newValue(op, result));
    op.name = m_p[op.outputs.front()].name;
    std::vector<ValueId> outputs = op.outputs;
    m_rewriter.emit(std::move(op));
    return outputs;
}

std::optional<MatrixEdges> MatrixAlgebra::distinct(const Op& at, const MatrixEdges& edges, const Dim& nodes)
{
    if (edges.isDistinct)
        return edges;
    const Argument size = m_rewriter.sizeArgument(nodes, at);
    if (size.isNone())
        return {};
    const auto make = [&](std::string target, std::string overload, std::vector<NamedArgument> args, const Value& result) {
        return m_rewriter.emitNew(at, std::move(target), std::move(overload), std::move(args), result);
    };
    auto known = m_places.find({edges.sources, edges.targets});
    if (known == m_places.end()) {
        const Value ofEdges = vector(DType::Int64, edges.count);
        Places all;
        all.count = freshCount(m_p, "places");
        const Value ofPlaces = vector(DType::Int64, all.count);
        const ValueId first = make("aten::mul", "Tensor", {{"self", {edges.targets}}, {"other", size}}, ofEdges);
        const ValueId keys = make("aten::add", "Tensor", {{"self", {first}}, {"other", {edges.sources}}}, ofEdges);
        const std::vector<ValueId> sorted = makeSeveral(at, "aten::sort", {{"self", {keys}}, {"dim", whole(0)}}, {ofEdges, ofEdges});
        const std::vector<ValueId> found = makeSeveral(at, "aten::unique_consecutive", {{"self", {sorted[0]}}, {"return_inverse", {true}}},
                                                       {ofPlaces, ofEdges, vector(DType::Int64, Dim{0, {}})});
        m_rewriter.noteSize(found[0]);
        all.order = sorted[1];
        all.places = found[1];
        all.sources = make("aten::remainder", "Scalar", {{"self", {found[0]}}, {"other", size}}, ofPlaces);
        all.targets = make("aten::floor_divide", "Scalar", {{"self", {found[0]}}, {"other", size}}, ofPlaces);
        known = m_places.emplace(std::pair{edges.sources, edges.targets}, all).first;
    }
    const Places& places = known->second;
    ValueId& total = m_totals[{edges.sources, edges.targets, edges.weights}];
    if (!total.valid()) {
        const ValueId entries = gathered(at, edges.weights, 0, places.order, edges.count);
        const std::optional<ValueId> sums = summed(at, entries, places.places, places.count);
        if (!sums)
            return {};
        total = *sums;
    }
    return MatrixEdges{places.sources, places.targets, total, places.count, edges.isDiagonal, true, edges.matrix};
}

std::optional<ValueId> MatrixAlgebra::summed(const Op& at, ValueId weights, ValueId index, const Dim& nodes)
{
    const Value result = like(weights, {nodes});
    const std::optional<ValueId> none = zeros(at, result);
    if (!none)
        return {};
    return m_rewriter.emitNew(at, "aten::index_add", "", {{"self", {*none}}, {"dim", whole(0)}, {"index", {index}}, {"source", {weights}}}, result);
}

std::optional<MatrixEdges> MatrixAlgebra::entrywise(const Op& op, const MatrixEdges& edges, Value result)
{
    std::optional<MatrixEdges> made = distinct(op, edges, result.sizes.back());
    if (!made)
        return {};
    std::vector<NamedArgument> args = op.args;
    const auto self = std::ranges::find(args, "self", &NamedArgument::name);
    if (self == args.end())
        return {};
    self->value = {made->weights};
    made->weights = m_rewriter.emitNew(op, op.target, op.overload, std::move(args), vector(result.dtype, made->count));
    return made;
}

std::optional<MatrixEdges> MatrixAlgebra::product(const Op& at, const MatrixEdges& left, const MatrixEdges& right, Value result)
{
    const auto both = sideBySide(at, left, right, result.sizes.back());
    if (!both)
        return {};
    MatrixEdges made = both->first;
    made.weights = m_rewriter.emitNew(at, "aten::mul", "Tensor", {{"self", {made.weights}}, {"other", {both->second.weights}}},
                                      vector(result.dtype, made.count));
    return made;
}

std::optional<std::pair<MatrixEdges, MatrixEdges>> MatrixAlgebra::sideBySide(const Op& at, const MatrixEdges& left, const MatrixEdges& right,
                                                                             const Dim& nodes)
{
    const Dim count = nodes;  // new ops move the program's values
    const std::optional<MatrixEdges> a = distinct(at, left, count), b = distinct(at, right, count);
    if (!a || !b || a->sources != b->sources || a->targets != b->targets)
        return {};
    return std::pair{*a, *b};
}

std::optional<ValueId> MatrixAlgebra::passed(const Op& at, const MatrixEdges& edges, ValueId rows, std::size_t dim, Value result)
{
    const std::size_t rank = m_p[rows].sizes.size();
    if (rank < 1 || rank != result.sizes.size())
        return {};
    const std::optional<ValueId> sum = zeros(at, result);
    if (!sum)
        return {};
    ValueId weights = edges.weights;
    std::vector<Dim> behind{edges.count};
    for (std::size_t d = dim + 1; d < rank; ++d) {
        behind.push_back({1, {}});
        weights = m_rewriter.emitNew(at, "aten::unsqueeze", "", {{"self", {weights}}, {"dim", whole(-1)}}, like(weights, behind));
    }
    const ValueId neighbours = gathered(at, rows, dim, edges.sources, edges.count);
    const ValueId messages = m_rewriter.emitNew(at, "aten::mul", "Tensor", {{"self", {neighbours}}, {"other", {weights}}}, m_p[neighbours]);
    return m_rewriter.emitNew(at, "aten::index_add", "", {{"self", {*sum}}, {"dim", whole(dim)}, {"index", {edges.targets}}, {"source", {messages}}},
                              result);
}

}  // namespace cleave
