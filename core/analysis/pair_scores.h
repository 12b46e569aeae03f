#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/analysis/pair_rows.h"

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
        : m_p(program), m_rewriter(rewriter), m_algebra(algebra), m_rows(program, rewriter, algebra, std::move(emitOperand), [this](ValueId value) {
              return m_masks.contains(value) || m_scores.contains(value);
          })
    {
    }
    PairScores(const PairScores&) = delete;
    PairScores& operator=(const PairScores&) = delete;

    PairRows& rows() { return m_rows; }  ///< the scores before they are masked

    /// Whether an op reads a mask, or scores that were masked.
    bool reads(const Op& op) const;
    bool isMask(ValueId value) const { return m_masks.contains(value); }
    std::string matrixOf(const Op& op) const;  ///< the input that the mask comes from
    /// A view of a matrix, a comparison with 0 of its entries, or numbers for being one, as a mask.
    bool takeMask(const Op& op, const MatrixEdges& matrix, ValueId value);
    /// An op that reads masks or masked scores. False for one that is no such attention.
    bool lower(const Op& op);

private:
    enum class Presence { Entries, NotZero, Positive };  // Entries: numbers as yet

    using Layout = PairRows::Layout;
    using Pairs = PairRows::Pairs;

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

    std::optional<Pairs> pairsOf(const Op& at, const Mask& mask, const Dim& nodes);

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

    Program& m_p;
    Rewriter& m_rewriter;
    MatrixAlgebra& m_algebra;
    PairRows m_rows;
    std::map<ValueId, Mask> m_masks;
    std::map<ValueId, Scores> m_scores;
    std::map<ValueId, Emptiness> m_emptiness;
    std::map<std::tuple<ValueId, ValueId, ValueId, bool>, Pairs> m_pairs;  // by sources, targets, weights, and whether entries must be positive
};

}  // namespace cleave
