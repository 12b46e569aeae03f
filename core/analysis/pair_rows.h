#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/analysis/matrix_edges.h"

namespace cleave {

class OpView;

/// Ops that give something for each pair of nodes, [V, V]. They are kept until their reader is known: what they give is computed at some pairs only,
/// or as it is written, if something reads all pairs after all.
class PairRows {
public:
    // Which dimensions count targets and sources.
    struct Layout {
        std::size_t rank = 0, targets = 0, sources = 0;
    };

    // Edges that differ, as many as pairs of nodes with an entry.
    struct Pairs {
        ValueId sources, targets, weights;  // [count]
        ValueId isAlone;                    // [V], of targets without any
        Dim count, nodes;
    };

    /// emitOperand: emits what else was kept, of what an op that was kept reads. isMasked: whether a value is none for each pair, since a mask left
    /// some.
    PairRows(Program& program, Rewriter& rewriter, MatrixAlgebra& algebra, std::function<void(ValueId)> emitOperand,
             std::function<bool(ValueId)> isMasked)
        : m_p(program), m_rewriter(rewriter), m_algebra(algebra), m_emitOperand(std::move(emitOperand)), m_isMasked(std::move(isMasked))
    {
    }

    bool defer(const Op& op);  ///< keeps an op, if it gives something for each pair of nodes
    void emit(ValueId value);  ///< what was kept, as it is written
    bool isKept(ValueId value) const { return m_pending.contains(value); }

    /// What a tensor that is broadcast over pairs is at each of them: [pairs, the other dimensions], 1 in place of pairs where it is the same for
    /// all. Nothing if it is not computed entry by entry.
    std::optional<ValueId> atPairs(const Op& at, ValueId value, const Layout& layout, const Pairs& pairs);

    /// Of scores [nodes, nodes]: where a matrix has its entries, which are distinct.
    std::optional<ValueId> atEntries(const Op& op, ValueId scores, const MatrixEdges& entries, const Dim& nodes);

    /// The number that an argument is, or that all entries are of a tensor which was kept.
    std::optional<double> numberOf(const Op& op, std::string_view argument) const;

    bool isLeftAlone(const Op& op) const;  ///< gives what it reads
    static bool isProduct(const Op& op);
    static ValueId partner(const OpView& product);  ///< what is multiplied by

private:
    std::optional<Layout> layoutOf(const Value& value) const;
    std::optional<Layout> layoutAs(ValueId value, const Layout& layout) const;
    static std::size_t placeOf(std::size_t dim, const Layout& layout);
    Value valueAtPairs(ValueId value, const Layout& layout, const Pairs& pairs) const;
    std::optional<double> constantOf(ValueId value) const;

    std::optional<ValueId> productAtPairs(const Op& product, const Layout& layout, const Pairs& pairs);
    std::optional<ValueId> linearAtPairs(const Op& op, const Layout& layout, const Pairs& pairs);
    std::optional<ValueId> expandAtPairs(const Op& op, const Layout& layout, const Pairs& pairs);
    std::optional<ValueId> joinedAtPairs(const Op& op, const Layout& layout, const Pairs& pairs);
    std::optional<ValueId> sumAtPairs(const Op& op, const Layout& layout, const Pairs& pairs);
    std::optional<ValueId> viewedAtPairs(const Op& op, const Layout& layout, const Pairs& pairs);

    Program& m_p;
    Rewriter& m_rewriter;
    MatrixAlgebra& m_algebra;
    std::function<void(ValueId)> m_emitOperand;
    std::function<bool(ValueId)> m_isMasked;
    struct Pending {
        Op op;
        int depth = 0;  // of those that it reads
    };

    std::map<ValueId, Pending> m_pending;
    std::map<std::tuple<ValueId, std::size_t, std::size_t, std::size_t, ValueId>, ValueId> m_atPairs;  // by value, layout and sources of the pairs
};

}  // namespace cleave
