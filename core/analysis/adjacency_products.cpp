// Products of matrices with rows of nodes, of which several matrices may take part in one.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/adjacency_lowering.h"
#include "core/analysis/einsum.h"

namespace cleave {

bool AdjacencyLowering::lowerProduct(const Op& op, ValueId left, ValueId right)
{
    if (!left.valid() || !right.valid())
        return false;
    const MatrixEdges* l = matrix(left, op);
    const MatrixEdges* r = matrix(right, op);
    if (l != nullptr && r != nullptr)
        return take(op.outputs.front(), m_algebra->scaledByDiagonal(op, *l, *r));
    if (l != nullptr && l->isDiagonal && m_p[right].sizes.size() == 2) {
        const ValueId factor = m_rewriter->emitNew(op, "aten::unsqueeze", "", {{"self", {l->weights}}, {"dim", whole(-1)}},
                                                   m_algebra->like(l->weights, {l->count, Dim{1, {}}}));
        emitLast(op, "aten::mul", "Tensor", {{"self", {m_rewriter->resolved(right)}}, {"other", {factor}}});
        return true;
    }
    if (l == nullptr && r == nullptr)
        return false;
    const ValueId output = op.outputs.front();
    emitKept(l != nullptr ? right : left);
    const ValueId rows = m_rewriter->resolved(l != nullptr ? right : left);
    // From the right, columns are nodes: they go the edges the other way.
    const std::optional<ValueId> product =
        l != nullptr ? rowsOf(op, *l, rows) : m_algebra->passed(op, MatrixAlgebra::reversed(*r), rows, m_p[rows].sizes.size() - 1, m_p[output]);
    if (product)
        m_rewriter->replace(output, *product);
    return product.has_value();
}

std::optional<ValueId> AdjacencyLowering::rowsOf(const Op& op, const MatrixEdges& edges, ValueId rows)
{
    return m_algebra->passed(op, edges, rows, std::max<std::size_t>(m_p[rows].sizes.size(), 2) - 2, m_p[op.outputs.front()]);
}

bool AdjacencyLowering::lowerEinsum(const Op& op)
{
    const std::optional<Einsum> equation = einsumOf(m_p, op);
    const std::vector<ValueId> operands = OpView(m_p, op).values("tensors");
    const Value result = m_p[op.outputs.front()];
    if (!equation || result.sizes.size() != equation->result.size())
        return false;
    if (operands.size() == 1)
        return lowerSummingEinsum(op, *equation, operands.front());
    if (operands.size() == 3)
        return lowerThreefoldEinsum(op, *equation, operands);
    if (operands.size() != 2)
        return false;
    for (const std::size_t m : {0, 1}) {
        const std::string &of = equation->operands[m], &rows = equation->operands[1 - m];
        if (isMatrix(operands[1 - m], op) || m_stacks.contains(operands[1 - m]))
            continue;
        emitKept(operands[1 - m]);
        const ValueId by = m_rewriter->resolved(operands[1 - m]);
        if (const MatrixEdges* edges = edgesOf(operands[m], op)) {
            const auto product = multiplied(op, *edges, of, by, rows, equation->result, result);
            if (product)
                m_rewriter->replace(op.outputs.front(), *product);
            return product.has_value();
        }
        const auto stack = m_stacks.find(operands[m]);
        const std::size_t at = of.empty() ? std::string::npos : equation->result.find(of.front());
        if (stack == m_stacks.end() || of.size() != 3 || at == std::string::npos || rows.find(of.front()) != std::string::npos)
            continue;
        std::string each = equation->result;
        each.erase(at, 1);
        Value ofEach = result;
        ofEach.sizes.erase(ofEach.sizes.begin() + static_cast<std::ptrdiff_t>(at));
        std::vector<Argument> products;
        for (const MatrixEdges& edges : stack->second)
            if (const auto product = multiplied(op, edges, of.substr(1), by, rows, each, ofEach))
                products.push_back(Argument{*product});
            else
                return false;
        emitLast(op, "aten::stack", "", {{"tensors", {products}}, {"dim", whole(static_cast<std::int64_t>(at))}});
        return true;
    }
    return false;
}

// "ij->i": degrees.
bool AdjacencyLowering::lowerSummingEinsum(const Op& op, const Einsum& equation, ValueId matrix)
{
    const std::string& of = equation.operands.front();
    const MatrixEdges* edges = edgesOf(matrix, op);
    if (edges == nullptr)
        return false;
    // What is left, in its order: a sum over the other dimensions.
    std::string left;
    std::vector<Argument> dims;
    for (std::size_t d = 0; d < of.size(); ++d) {
        if (of.find(of[d], d + 1) != std::string::npos)
            return false;
        if (equation.result.find(of[d]) == std::string::npos)
            dims.push_back({static_cast<std::int64_t>(d)});
        else
            left += of[d];
    }
    if (dims.empty() || left != equation.result)
        return false;
    Op sum = op;
    sum.target = "aten::sum";
    sum.overload = "dim_IntList";
    sum.args = {{"self", {matrix}}, {"dim", {dims}}};
    const std::optional<ValueId> sums = summed(sum, *edges);
    if (sums)
        m_rewriter->replace(op.outputs.front(), *sums);
    return sums.has_value();
}

// "ik,ij,jl->kl": one product with the matrix, and an equation of what is left.
bool AdjacencyLowering::lowerThreefoldEinsum(const Op& op, const Einsum& equation, const std::vector<ValueId>& operands)
{
    for (std::size_t m = 0; m < 3; ++m) {
        const std::string& pair = equation.operands[m];
        if (edgesOf(operands[m], op) == nullptr || pair.size() != 2)
            continue;
        for (const std::size_t by : {(m + 1) % 3, (m + 2) % 3}) {
            const std::size_t other = 3 - m - by;
            const std::string &rows = equation.operands[by], &rest = equation.operands[other];
            const auto isSummed = [&](char label) {
                return rows.find(label) != std::string::npos && rest.find(label) == std::string::npos &&
                       equation.result.find(label) == std::string::npos;
            };
            if (isMatrix(operands[by], op) || isMatrix(operands[other], op) || (!isSummed(pair[0]) && !isSummed(pair[1])))
                continue;
            const char summed = isSummed(pair[1]) ? pair[1] : pair[0], kept = summed == pair[1] ? pair[0] : pair[1];
            emitKept(operands[by]);
            emitKept(operands[other]);
            const ValueId factor = m_rewriter->resolved(operands[by]);
            std::string passed = rows;
            passed[rows.find(summed)] = kept;
            const Value partly = m_algebra->like(factor, m_p[factor].sizes);
            const auto product = multiplied(op, *edgesOf(operands[m], op), pair, factor, rows, passed, partly);
            if (!product)
                return false;
            emitLast(op, "aten::einsum", "",
                     {{"equation", {passed + "," + rest + "->" + equation.result}},
                      {"tensors", {std::vector<Argument>{{*product}, {m_rewriter->resolved(operands[other])}}}}});
            return true;
        }
    }
    return false;
}

std::optional<ValueId> AdjacencyLowering::multiplied(const Op& op, const MatrixEdges& edges, const std::string& pair, ValueId by,
                                                     const std::string& rows, const std::string& wanted, const Value& result)
{
    if (pair.size() != 2 || pair[0] == pair[1])
        return {};
    const bool sumsColumns = rows.find(pair[1]) != std::string::npos;
    const char summed = pair[sumsColumns ? 1 : 0], kept = pair[sumsColumns ? 0 : 1];
    const std::size_t dim = rows.find(summed);
    if (dim == std::string::npos || rows.find(kept) != std::string::npos || wanted.find(summed) != std::string::npos)
        return {};
    std::string passedAs = rows;
    passedAs[dim] = kept;
    std::string inOrder = passedAs, sorted = wanted;
    std::ranges::sort(inOrder);
    std::ranges::sort(sorted);
    if (inOrder != sorted || std::ranges::adjacent_find(inOrder) != inOrder.end())
        return {};
    std::vector<Argument> dims;
    Value value = result;
    for (std::size_t d = 0; d < wanted.size(); ++d) {
        dims.push_back(whole(static_cast<std::int64_t>(passedAs.find(wanted[d]))));
        value.sizes[passedAs.find(wanted[d])] = result.sizes[d];
    }
    const auto product = m_algebra->passed(op, sumsColumns ? edges : MatrixAlgebra::reversed(edges), by, dim, value);
    if (!product || passedAs == wanted)
        return product;
    return m_rewriter->emitNew(op, "aten::permute", "", {{"self", {*product}}, {"dims", {dims}}}, result);
}

bool AdjacencyLowering::lowerStack(const Op& op)
{
    const OpView view(m_p, op);
    std::vector<MatrixEdges> all;
    for (const ValueId part : view.values("tensors"))
        if (const MatrixEdges* edges = part.valid() ? matrix(part, op) : nullptr)
            all.push_back(*edges);
        else
            return false;
    if (m_p[op.outputs.front()].sizes.size() != 3 || (view.given("dim") && view.dim("dim", 3) != 0))
        return false;
    m_stacks[op.outputs.front()] = std::move(all);
    return true;
}

bool AdjacencyLowering::lowerSelect(const Op& op, const std::vector<MatrixEdges>& stack)
{
    const OpView view(m_p, op);
    const std::int64_t index = view.integerOr("index", -1), count = std::ssize(stack);
    if (op.target != "aten::select" || view.dim("dim", 3) != 0 || index < -count || index >= count)
        return false;
    return take(op.outputs.front(), stack[static_cast<std::size_t>(index < 0 ? index + count : index)]);
}

bool AdjacencyLowering::lowerSumWithProduct(const Op& op)
{
    const OpView view(m_p, op);
    const ValueId self = view.value("self"), left = first(view, {"mat1", "sparse"}), right = first(view, {"mat2", "dense"});
    const MatrixEdges* edges = left.valid() ? edgesOf(left, op) : nullptr;
    const auto isOne = [&](const char* name) { return !view.given(name) || view.number(name) == 1.0; };
    if (edges == nullptr || !self.valid() || !right.valid() || isMatrix(self, op) || isMatrix(right, op) || !isOne("beta") || !isOne("alpha"))
        return false;
    const std::optional<ValueId> product = rowsOf(op, *edges, m_rewriter->resolved(right));
    if (product)
        emitLast(op, "aten::add", "Tensor", {{"self", {*product}}, {"other", {m_rewriter->resolved(self)}}});
    return product.has_value();
}

std::vector<Op> AdjacencyLowering::parts(const Op& op)
{
    const OpView view(m_p, op);
    const bool attends = op.target == "aten::scaled_dot_product_attention", adds = op.target == "aten::baddbmm";
    const ValueId mask = view.value(attends ? "attn_mask" : "self");
    if ((!attends && !adds) || !mask.valid() || !(isMatrix(mask, op) || m_pairs->isMask(mask)))
        return {};
    const ValueId left = view.value(attends ? "query" : "batch1"), right = view.value(attends ? "key" : "batch2"), rows = view.value("value");
    const auto isOne = [&](const char* name) { return !view.given(name) || view.number(name) == 1.0; };
    const bool isPlain = attends ? view.number("dropout_p").value_or(0) == 0 && !view.flag("is_causal", false) && !view.flag("enable_gqa", false)
                                 : isOne("beta") && isOne("alpha");
    if (!isPlain || !left.valid() || !right.valid() || m_p[left].sizes.size() < 2 || m_p[right].sizes.size() != m_p[left].sizes.size() ||
        (attends && (!rows.valid() || !m_p[left].sizes.back().isConstant())))
        return {};
    std::vector<Op> all;
    const auto add = [&](std::string target, std::string overload, std::vector<NamedArgument> args, const Value& like) {
        const ValueId value = m_rewriter->newValue(op, like);
        all.push_back({m_p[value].name, std::move(target), std::move(overload), std::move(args), {value}, op.module, op.source});
        return value;
    };
    const std::size_t rank = m_p[left].sizes.size();
    Value pairs = m_p[left], turned = m_p[right];
    pairs.sizes.back() = m_p[right].sizes[attends ? rank - 2 : rank - 1];
    std::swap(turned.sizes[rank - 1], turned.sizes[rank - 2]);
    const ValueId columns = attends ? add("aten::transpose", "int", {{"self", {right}}, {"dim0", whole(-2)}, {"dim1", whole(-1)}}, turned) : right;
    ValueId scores = add("aten::matmul", "", {{"self", {left}}, {"other", {columns}}}, pairs);
    if (!attends) {
        add("aten::add", "Tensor", {{"self", {scores}}, {"other", {mask}}}, pairs);
    } else {
        const double scale = view.number("scale").value_or(1 / std::sqrt(static_cast<double>(m_p[left].sizes.back().value)));
        scores = add("aten::mul", "Scalar", {{"self", {scores}}, {"other", {scale}}}, pairs);
        const double nothing = -std::numeric_limits<double>::infinity();
        scores = m_p[mask].dtype == DType::Bool
                     ? add("aten::where", "ScalarOther", {{"condition", {mask}}, {"self", {scores}}, {"other", {nothing}}}, pairs)
                     : add("aten::add", "Tensor", {{"self", {scores}}, {"other", {mask}}}, pairs);
        scores = add("aten::_safe_softmax", "", {{"self", {scores}}, {"dim", whole(-1)}}, pairs);
        add("aten::matmul", "", {{"self", {scores}}, {"other", {rows}}}, m_p[op.outputs.front()]);
    }
    all.back().outputs = op.outputs;
    return all;
}

}  // namespace cleave
