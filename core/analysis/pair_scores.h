#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/analysis/matrix_edges.h"

namespace cleave {

/// Attention to neighbours as it is written with an adjacency matrix: a score for each pair of nodes, masked where the matrix has no entry, a softmax
/// over the columns, and a product with rows of nodes (pyGAT; DenseGATConv of PyTorch Geometric). The mask may also be a number that is added, such
/// as (1 - matrix) * -1e9. Scores are computed at the entries only, which become edges without repetition. Nodes without any get what the dense form
/// gives them: NaN where the mask is minus infinity, else the mean of all rows; or 0, if this takes the place of NaN, or of what is masked after the
/// softmax.
class PairScores {
public:
    /// emitOperand: emits what else was kept, of what an op that was kept reads.
    PairScores(Program& program, Rewriter& rewriter, MatrixAlgebra& algebra, std::function<void(ValueId)> emitOperand)
        : m_p(program), m_rewriter(rewriter), m_algebra(algebra), m_emitOperand(std::move(emitOperand))
    {
    }

    /// Keeps an op that gives a score for each pair of nodes until its reader is known.
    bool defer(const Op& op);
    /// Emits an op that was kept, since something reads all pairs after all.
    void emit(ValueId value);

    /// Whether an op reads a mask, or scores that were masked.
    bool reads(const Op& op) const;
    bool isMask(ValueId value) const { return m_masks.contains(value); }
    std::string matrixOf(const Op& op) const;  ///< the input that the mask comes from
    /// A view of a matrix, a comparison with 0 of its entries, or numbers for being one, as a mask.
    bool takeMask(const Op& op, const MatrixEdges& matrix, ValueId value);
    /// An op that reads masks or masked scores. False for one that is no such attention.
    bool lower(const Op& op);

    /// Whether an op that gives this score for each pair of nodes was kept.
    bool isKept(ValueId value) const { return m_pending.contains(value); }
    /// Such scores [nodes, nodes] where a matrix has its entries, which are distinct. Nothing if they are not computed entry by entry.
    std::optional<ValueId> at(const Op& op, ValueId scores, const MatrixEdges& places, const Dim& nodes);

    /// The number that an argument is, or that all entries are of a tensor which was kept.
    std::optional<double> numberOf(const Op& op, std::string_view argument) const;

private:
    enum class Presence { Entries, NotZero, Positive };  // Entries: numbers as yet

    // Which dimensions count targets and sources.
    struct Layout {
        std::size_t rank = 0, targets = 0, sources = 0;
    };

    // Numbers to be added to scores: slope * w + offset at an entry w, and another one where there is none.
    struct Bias {
        double slope = 0, offset = 0, outside = 0;
    };

    struct Mask {
        MatrixEdges matrix;
        Layout layout;
        Presence presence = Presence::Entries;
        bool isAbsence = false;    // true where there is no entry
        std::optional<Bias> bias;  // instead of true and false
    };

    // Edges that differ, as many as pairs of nodes with an entry.
    struct Pairs {
        ValueId sources, targets, weights;  // [count]
        ValueId isAlone;                    // [V], of targets without any
        Dim count, nodes;
    };

    // Rows [pairs, …] of a tensor with the dimensions of layout: those but targets and sources, in order.
    struct Scores {
        ValueId rows;
        Layout layout;
        Pairs pairs;
        std::string matrix;
        bool isInfinite = false;  // what is masked
        bool isNormal = false;    // after the softmax
        bool isZeroed = false;    // and 0 for targets without any
    };

    // How a decomposed program finds the targets without any score: scores == -inf; not; any of a row; not.
    struct Emptiness {
        ValueId scores;
        int steps = 1;
    };

    bool isLeftAlone(const Op& op) const;  // gives what it reads
    std::optional<Layout> layoutOf(const Value& value) const;
    std::optional<Pairs> pairsOf(const Op& at, const Mask& mask, const Dim& nodes);
    std::optional<ValueId> atPairs(const Op& at, ValueId value, const Layout& layout, const Pairs& pairs);
    std::optional<ValueId> productAtPairs(const Op& product, const Layout& layout, const Pairs& pairs);
    std::optional<ValueId> linearAtPairs(const Op& op, const Layout& layout, const Pairs& pairs);
    std::optional<ValueId> expandAtPairs(const Op& op, const Layout& layout, const Pairs& pairs);
    std::optional<ValueId> joinedAtPairs(const Op& op, const Layout& layout, const Pairs& pairs);
    std::optional<ValueId> sumAtPairs(const Op& op, const Layout& layout, const Pairs& pairs);
    std::optional<ValueId> viewedAtPairs(const Op& op, const Layout& layout, const Pairs& pairs);
    Value valueAtPairs(ValueId value, const Layout& layout, const Pairs& pairs) const;
    std::optional<Layout> layoutAs(ValueId value, const Layout& layout) const;
    static std::size_t placeOf(std::size_t dim, const Layout& layout);
    std::optional<double> constantOf(ValueId value) const;

    bool lowerView(const Op& op, Mask mask, ValueId value);
    bool lowerView(const Op& op, Scores scores, ValueId value);
    bool lowerReshape(const Op& op, Scores scores, ValueId value);
    bool lowerMasking(const Op& op);
    std::optional<Bias> biasAfter(const Op& op, const Mask& mask) const;
    bool lowerBias(const Op& op);
    bool takeScores(const Op& op, const Mask& mask, ValueId kept, double outside);
    ValueId biased(const Op& op, ValueId rows, const Bias& bias, const Pairs& pairs);
    bool lowerSoftmax(const Op& op);
    bool lowerProduct(const Op& op);
    bool lowerEmptiness(const Op& op);
    bool lowerZeroing(const Op& op);

    ValueId scatterZeros(const Op& at, ValueId rows, const Pairs& pairs);
    ValueId moved(const Op& at, ValueId value, std::size_t from, std::size_t to);
    ValueId unsqueezed(const Op& at, ValueId value, std::size_t dim);
    ValueId squeezed(const Op& at, ValueId value, std::size_t dim);

    Program& m_p;
    Rewriter& m_rewriter;
    MatrixAlgebra& m_algebra;
    std::function<void(ValueId)> m_emitOperand;
    struct Pending {
        Op op;
        int depth = 0;  // of those that it reads
    };

    std::map<ValueId, Pending> m_pending;
    std::map<std::tuple<ValueId, std::size_t, std::size_t, std::size_t, ValueId>, ValueId> m_atPairs;  // by value, layout and sources of the pairs
    std::map<ValueId, Mask> m_masks;
    std::map<ValueId, Scores> m_scores;
    std::map<ValueId, Emptiness> m_emptiness;
    std::map<std::tuple<ValueId, ValueId, ValueId, bool>, Pairs> m_pairs;  // by sources, targets, weights, and whether entries must be positive
};

}  // namespace cleave
