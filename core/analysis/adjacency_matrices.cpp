// Which values are matrices, and their edges.
#include <algorithm>
#include <set>

#include "core/analysis/adjacency_lowering.h"

namespace cleave {

const MatrixEdges* AdjacencyLowering::edgesOf(ValueId value, const Op& at)
{
    if (const auto read = m_read.find(value); read != m_read.end() && !m_edges.contains(value)) {
        const Source& source = read->second;
        const auto row = [&](std::int64_t which) {
            return m_rewriter->emitNew(at, "aten::select", "int", {{"self", {source.index}}, {"dim", whole(0)}, {"index", whole(which)}},
                                       MatrixAlgebra::vector(DType::Int64, source.count));
        };
        const ValueId sources = row(0), targets = row(1);
        m_edges[value] = {sources, targets, source.weights, source.count, false, false, source.name};
    }
    const auto known = m_edges.find(value);
    return known == m_edges.end() ? nullptr : &known->second;
}

const MatrixEdges* AdjacencyLowering::matrix(ValueId value, const Op& at)
{
    if (const MatrixEdges* edges = edgesOf(value, at))
        return edges;
    const Op* identity = identityOf(value);
    if (identity == nullptr)
        return nullptr;
    const Op& op = *identity;
    const ValueId entries = OpView(m_p, op).value("self");
    if (op.target != "aten::eye" && (!entries.valid() || m_p[entries].dtype != m_p[value].dtype))
        return nullptr;
    const auto edges =
        m_algebra->diagonal(at, m_p[value].sizes.back(), op.target == "aten::eye" ? ValueId{} : m_rewriter->resolved(entries), m_p[value].dtype);
    return edges ? &(m_edges[value] = *edges) : nullptr;
}

bool AdjacencyLowering::isIdentity(const Op& op) const
{
    static const std::set<std::string_view> targets{"aten::eye", "aten::diag", "aten::diag_embed", "aten::diagflat"};
    if (!isSquareOfNodes(m_p[op.outputs.front()]))
        return false;
    const OpView view(m_p, op);
    if (targets.contains(op.target))
        return view.integerOr("diagonal", 0) == 0 && view.integerOr("offset", 0) == 0;
    const Op* self = identityOf(view.value("self"));
    if (self == nullptr)
        return false;
    return isView(op, {ViewKind::Whole}) || isOneOf(op.target, {"aten::to", "aten::_to_copy", "aten::type_as"}) ||
           (op.target == "aten::rsub" && self->target == "aten::eye" && view.number("other") == 1.0 && view.number("alpha").value_or(1) == 1);
}

const Op* AdjacencyLowering::identityOf(ValueId value) const
{
    auto found = m_identities.find(value);
    if (found == m_identities.end())
        return nullptr;
    for (auto next = found; next != m_identities.end(); next = m_identities.find(OpView(m_p, found->second).value("self")))
        found = next;
    return isAllButDiagonal(value) ? nullptr : &found->second;
}

bool AdjacencyLowering::isAllButDiagonal(ValueId value) const
{
    const auto found = m_identities.find(value);
    return found != m_identities.end() && found->second.target == "aten::rsub";
}

// A sparse matrix: what stands at one place several times is added up.
bool AdjacencyLowering::takeSparse(const Op& op)
{
    const OpView view(m_p, op);
    const ValueId output = op.outputs.front(), indices = view.value("indices"), values = view.value("values");
    if (op.target != "aten::sparse_coo_tensor" || !indices.valid() || !values.valid() || m_p[output].sizes.size() != 2 ||
        !isSquareOfNodes(m_p[output]))
        return false;
    const Value &index = m_p[indices], &weights = m_p[values];
    if (index.dtype != DType::Int64 || index.sizes.size() != 2 || index.sizes[0] != Dim{2, {}} || index.sizes[1].isConstant() ||
        weights.dtype != m_p[output].dtype || weights.sizes != std::vector{index.sizes[1]})
        return false;
    const Dim count = index.sizes[1];
    const auto row = [&](std::int64_t which) {
        return m_rewriter->emitNew(op, "aten::select", "int", {{"self", {m_rewriter->resolved(indices)}}, {"dim", whole(0)}, {"index", whole(which)}},
                                   MatrixAlgebra::vector(DType::Int64, count));
    };
    const ValueId targets = row(0), sources = row(1);
    ++m_own;
    return take(output, MatrixEdges{sources, targets, m_rewriter->resolved(values), count, false, false, m_p[output].name});
}

bool AdjacencyLowering::takeEntries(const Op& op)
{
    const OpView view(m_p, op);
    const std::vector<ValueId> indices = op.target == "aten::index_put" ? view.values("indices") : std::vector<ValueId>{};
    const Argument* values = op.find("values");
    const ValueId* tensor = values == nullptr ? nullptr : values->asValue();
    if (indices.size() != 2 || !indices[0].valid() || !indices[1].valid() || tensor == nullptr || !isSquareOfNodes(m_p[op.outputs.front()]) ||
        !m_pairs->rows().isKept(view.value("self")) || m_pairs->rows().numberOf(op, "self") != 0.0)
        return false;
    const ValueId targets = m_rewriter->resolved(indices[0]), sources = m_rewriter->resolved(indices[1]);
    const auto isList = [&](ValueId index) {
        return m_p[index].dtype == DType::Int64 && m_p[index].sizes.size() == 1 && !m_p[index].sizes[0].isConstant();
    };
    const DType type = m_p[op.outputs.front()].dtype;
    if (m_p[op.outputs.front()].sizes.size() != 2 || !isList(targets) || !isList(sources) || m_p[targets].sizes != m_p[sources].sizes ||
        m_p[*tensor].dtype != type)
        return false;
    MatrixEdges edges{sources, targets, m_rewriter->resolved(*tensor), m_p[targets].sizes.front(), false, false, m_p[op.outputs.front()].name};
    const bool adds = view.flag("accumulate", false);
    if (isNumber(*tensor)) {
        const ValueId number = m_p[edges.weights].sizes.empty() ? edges.weights : m_algebra->flattened(op, edges.weights, Dim{1, {}});
        const auto ones = [&](const MatrixEdges& of) {
            return m_rewriter->emitNew(op, "aten::ones_like", "", {{"self", {of.targets}}, {"dtype", {type}}}, MatrixAlgebra::vector(type, of.count));
        };
        edges.weights = ones(edges);
        if (!adds) {
            const std::optional<MatrixEdges> places = m_algebra->distinct(op, edges, m_p[op.outputs.front()].sizes.back());
            if (!places)
                return false;
            edges = *places;
            edges.weights = ones(edges);
        }
        edges = m_algebra->scaled(op, std::move(edges), "aten::mul", "Tensor", {number});
    } else if (!adds || m_p[edges.weights].sizes != m_p[targets].sizes) {
        return false;  // which of several entries is the last one?
    }
    ++m_own;
    return take(op.outputs.front(), edges);
}

MatrixEdges AdjacencyLowering::ofType(const Op& op, MatrixEdges edges, DType type)
{
    if (m_p[edges.weights].dtype != type)
        edges.weights =
            m_rewriter->emitNew(op, "aten::to", "dtype", {{"self", {edges.weights}}, {"dtype", {type}}}, MatrixAlgebra::vector(type, edges.count));
    return edges;
}

bool AdjacencyLowering::take(ValueId output, const std::optional<MatrixEdges>& edges)
{
    if (edges)
        m_edges[output] = *edges;
    return edges.has_value();
}

std::optional<MatrixEdges> AdjacencyLowering::transposed(const Op& op, MatrixEdges edges) const
{
    const int rank = static_cast<int>(m_p[op.outputs.front()].sizes.size());
    if (op.target == "aten::transpose") {
        const OpView view(m_p, op);
        const std::set<std::optional<int>> dims{view.dim("dim0", rank), view.dim("dim1", rank)};
        if (dims != std::set<std::optional<int>>{rank - 2, rank - 1})
            return {};
    } else if (rank != 2) {
        return {};
    }
    return MatrixAlgebra::reversed(std::move(edges));
}

bool AdjacencyLowering::isNumber(ValueId value) const
{
    return m_p[value].kind != ValueKind::Tensor || std::ranges::all_of(m_p[value].sizes, [](const Dim& size) { return size.isOne(); });
}

bool AdjacencyLowering::isAllNodes(ValueId index, const Dim& nodes) const
{
    const Value& value = m_p[index];
    if (!value.producer.valid() || value.sizes != std::vector{nodes})
        return false;
    const Op& op = m_p[value.producer];
    const OpView view(m_p, op);
    return op.target == "aten::arange" && view.integerOr("start", 0) == 0 && view.integerOr("step", 1) == 1;
}

}  // namespace cleave
