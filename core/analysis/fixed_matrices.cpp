#include "core/analysis/fixed_matrices.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/analysis/op_view.h"
#include "core/analysis/promotion.h"
#include "core/base/format.h"

namespace cleave {

namespace {

bool hasFixedSizes(const Value& value)
{
    return value.kind == ValueKind::Tensor && std::ranges::all_of(value.sizes, &Dim::isConstant);
}

bool hasSize(const Value& value, std::int64_t size)
{
    return value.kind == ValueKind::Tensor && std::ranges::count(value.sizes, Dim{size, {}}) > 0;
}

bool isSquareTable(const Value& value)
{
    return hasFixedSizes(value) && isFloating(value.dtype) && value.sizes.size() == 2 && value.sizes[0] == value.sizes[1] && value.sizes[0].value > 1;
}

class FixedMatrices {
public:
    FixedMatrices(Program& program, const Evaluator& evaluator) : m_p(program), m_evaluator(evaluator) { findOfParameters(); }

    void promoteAll()
    {
        const std::optional<std::int64_t> nodes = isForOneGraph() ? nodesOfMatrices() : std::nullopt;
        if (!nodes || !findRows(*nodes))
            return;
        for (const std::set<ValueId>* some : {&m_matrices, &m_rows})
            for (const ValueId value : *some)
                if (m_p[value].producer.valid() && (!isComputedFromParameters(m_p, value) || !computeParameter(m_p, value, m_evaluator)))
                    return;
        for (const ValueId matrix : m_matrices) {
            promote(m_p, matrix, true);
            m_p.notes.push_back("The matrix " + printable(m_p[matrix].name) +
                                " of the model's own has a row and a column for each node: it is multiplied by the rows of all nodes at once.");
        }
        for (const ValueId rows : m_rows)
            promote(m_p, rows);
    }

private:
    // What is computed of parameters and numbers alone, and what of that others read.
    void findOfParameters()
    {
        std::vector<bool> isKnown(m_p.values.size());
        for (std::size_t v = 0; v < m_p.values.size(); ++v)
            isKnown[v] = m_p.values[v].weight.valid();
        for (const Op& op : m_p.ops) {
            bool all = true;
            forEachOperand(op, [&](ValueId operand) { all = all && isKnown[static_cast<std::size_t>(operand.index)]; });
            if (all && !joinsMatrices(op))
                for (const ValueId output : op.outputs)
                    isKnown[static_cast<std::size_t>(output.index)] = true;
            else
                forEachOperand(op, [&](ValueId operand) {
                    if (isKnown[static_cast<std::size_t>(operand.index)])
                        m_read[operand].push_back(&op);
                });
        }
    }

    bool isForOneGraph() const
    {
        return std::ranges::all_of(m_p.inputs,
                                   [&](const Input& input) { return !isFloating(m_p[input.value].dtype) || hasFixedSizes(m_p[input.value]); });
    }

    // Several that are multiplied at once (AGCRN) stay several.
    bool joinsMatrices(const Op& op) const
    {
        if (!isOneOf(op.target, {"aten::stack", "aten::cat", "aten::concat"}))
            return false;
        const std::vector<ValueId> parts = OpView(m_p, op).values("tensors");
        return !parts.empty() && std::ranges::all_of(parts, [&](ValueId part) { return isSquareTable(m_p[part]); });
    }

    bool isOfParameters(ValueId value) const { return m_p[value].weight.valid() || isComputedFromParameters(m_p, value); }

    // Whether an op multiplies the matrix by rows: W x^T and x W are what layers do.
    bool multipliesRows(const Op& op, ValueId matrix) const
    {
        if (op.target == "aten::einsum" || joinsMatrices(op))
            return m_p[matrix].producer.valid();
        if (!isOneOf(op.target, {"aten::mm", "aten::matmul"}))
            return false;
        const OpView view(m_p, op);
        const ValueId rows = view.value(op.target == "aten::mm" ? "mat2" : "other");
        const Op* maker = rows.valid() ? producerOf(m_p, rows) : nullptr;
        return view.value("self") == matrix && (maker == nullptr || !isView(*maker, {ViewKind::Turn}));
    }

    std::optional<std::int64_t> nodesOfMatrices()
    {
        std::optional<std::int64_t> nodes;
        for (const auto& [value, readers] : m_read) {
            if (!isSquareTable(m_p[value]) || !isOfParameters(value) ||
                !std::ranges::all_of(readers, [&, &matrix = value](const Op* op) { return multipliesRows(*op, matrix); }))
                continue;
            const std::int64_t size = m_p[value].sizes[0].value;
            const auto isOfNodes = [&](const Input& input) { return isFloating(m_p[input.value].dtype) && hasSize(m_p[input.value], size); };
            if (std::ranges::none_of(m_p.inputs, isOfNodes) || (nodes && *nodes != size))
                continue;
            nodes = size;
            m_matrices.insert(value);
        }
        return nodes;
    }

    // What else has so many rows. False if some of it may be as wide as there are nodes by chance.
    bool findRows(std::int64_t nodes)
    {
        for (const auto& [value, readers] : m_read) {
            if (m_matrices.contains(value) || !hasSize(m_p[value], nodes) || !isOfParameters(value))
                continue;
            const auto isOfLayers = [](const Op* op) {
                return !isOneOf(op->target, {"aten::add", "aten::sub", "aten::mul", "aten::div", "aten::cat", "aten::concat", "aten::embedding",
                                             "aten::index", "aten::index_select", "aten::where", "aten::einsum", "aten::bmm"});
            };
            const std::vector<Dim>& sizes = m_p[value].sizes;
            const bool areRows = isFloating(m_p[value].dtype) && sizes[0] == Dim{nodes, {}} && std::ranges::count(sizes, sizes[0]) == 1;
            if (!areRows || std::ranges::any_of(readers, isOfLayers))
                return false;
            m_rows.insert(value);
        }
        return true;
    }

    Program& m_p;
    const Evaluator& m_evaluator;
    std::map<ValueId, std::vector<const Op*>> m_read;  // by others
    std::set<ValueId> m_matrices, m_rows;
};

}  // namespace

void promoteFixedMatrices(Program& program, const Evaluator& evaluator)
{
    FixedMatrices(program, evaluator).promoteAll();
}

}  // namespace cleave
