#pragma once

#include <string_view>
#include <vector>

#include "core/analysis/op_view.h"
#include "core/analysis/row_rules.h"

/// The rules behind the table of row-wise ops: private to row_rules*.cpp.
namespace cleave::row_rules {

/// One rule's work: the op, the row dimension asked for, and the mapping that is being filled in. A rule returns false for "not row-wise".
class RowQuery {
public:
    RowQuery(const Program& program, const Op& op, int rowDim) : view(program, op), row(rowDim), m_program(program), m_op(op)
    {
        std::size_t count = 0;
        forEachOperand(op, [&](ValueId) { ++count; });
        mapping.operands.assign(count, -1);
        mapping.outputs.assign(op.outputs.size(), rowDim);
        rank = view.outputRank();
    }

    const Program& program() const { return m_program; }
    const Op& op() const { return m_op; }
    const Value& operator[](ValueId id) const { return m_program[id]; }

    // Sets the row dimension of the tensors in one argument (all of a list).
    void set(std::string_view name, int dim)
    {
        each(name, [&](ValueId, int& slot) { slot = dim; });
    }

    // Rows of tensors that broadcast to the output's sizes.
    void broadcast(std::string_view name)
    {
        each(name, [&](ValueId id, int& slot) { slot = broadcastDim(m_program[id], rank, row); });
    }

    void broadcastAll()
    {
        for (const NamedArgument& argument : m_op.args)
            broadcast(argument.name);
    }

    static int broadcastDim(const Value& value, int outputRank, int row)
    {
        const int dim = row - (outputRank - static_cast<int>(value.sizes.size()));
        if (value.kind != ValueKind::Tensor || dim < 0 || value.sizes[static_cast<std::size_t>(dim)].isOne())
            return -1;
        return dim;
    }

    OpView view;
    int row;
    int rank;
    RowMapping mapping;

private:
    template <class Visit>
    void each(std::string_view name, Visit&& visit)
    {
        std::size_t position = 0;
        for (const NamedArgument& argument : m_op.args)
            forEachValue(argument.value, [&](ValueId id) {
                int& slot = mapping.operands[position++];
                if (argument.name == name && m_program[id].kind == ValueKind::Tensor)
                    visit(id, slot);
            });
    }

    const Program& m_program;
    const Op& m_op;
};

using Rule = bool (*)(RowQuery&);

// Entries, shapes and reductions: row_rules_shape.cpp.
bool elementwise(RowQuery&);
bool alongOtherDim(RowQuery&);
bool alongLastOrOtherDim(RowQuery&);
bool flipped(RowQuery&);
bool reshaped(RowQuery&);
bool repeated(RowQuery&);
bool unsqueezed(RowQuery&);
bool squeezed(RowQuery&);
bool selected(RowQuery&);
bool unbound(RowQuery&);
bool dividedAlongOtherDim(RowQuery&);
bool transposed(RowQuery&);
bool matrixTransposed(RowQuery&);
bool permuted(RowQuery&);
bool concatenated(RowQuery&);
bool stacked(RowQuery&);
bool reduced(RowQuery&);
bool padded(RowQuery&);
bool similarity(RowQuery&);
bool factory(RowQuery&);

// Matrix products, normalisations and layers: row_rules_product.cpp.
bool layerNorm(RowQuery&);
bool batchNorm(RowQuery&);
bool firstDimOnly(RowQuery&);
bool convolved(RowQuery&);
bool groupNorm(RowQuery&);
bool linear(RowQuery&);
bool bilinear(RowQuery&);
bool mm(RowQuery&);
bool addmm(RowQuery&);
bool mv(RowQuery&);
bool bmm(RowQuery&);
bool baddbmm(RowQuery&);
bool matmul(RowQuery&);
bool einsum(RowQuery&);
bool recurrent(RowQuery&);
bool recurrentCell(RowQuery&);
bool attention(RowQuery&);
bool prelu(RowQuery&);

// Tables and indices: row_rules_index.cpp.
bool embedding(RowQuery&);
bool oneHot(RowQuery&);
bool indexedAlongOtherDim(RowQuery&);
bool indexSelect(RowQuery&);
bool gathered(RowQuery&);
bool scatteredAlongOtherDim(RowQuery&);
bool indexed(RowQuery&);
bool indexPut(RowQuery&);
bool selectScatter(RowQuery&);
bool sliceScatter(RowQuery&);

}  // namespace cleave::row_rules
