#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/analysis/rewriter.h"

namespace cleave {

/// A matrix of nodes by nodes as what it is: entries at rows (targets) and columns (sources), those of one place added up, and 0 everywhere else.
struct MatrixEdges {
    ValueId sources, targets;  // [count] int64
    ValueId weights;           // [count]
    Dim count;
    bool isDiagonal = false;  // its sources are its targets
    bool isDistinct = false;  // there is one entry for each place
    std::string matrix;       // the input that it comes from, for messages; empty: an identity or diagonal so far
};

/// Emits what makes new matrices of such ones, on behalf of the op that gives them.
class MatrixAlgebra {
public:
    MatrixAlgebra(Program& program, Rewriter& rewriter) : m_p(program), m_rewriter(rewriter) {}

    static MatrixEdges reversed(MatrixEdges edges);

    /// Diagonal matrix with these entries [nodes]; without any, ones of this type. Nothing if no value has as many rows as there are nodes.
    std::optional<MatrixEdges> diagonal(const Op& at, const Dim& nodes, ValueId entries, DType dtype);
    /// The edges of one after those of the other.
    MatrixEdges joined(const Op& at, const MatrixEdges& left, const MatrixEdges& right);
    /// Its weights after an op on each of them that keeps sums: target(weights, factor).
    MatrixEdges scaled(const Op& at, MatrixEdges edges, const std::string& target, const std::string& overload, const Argument& factor);
    /// A product with a diagonal matrix scales columns or rows.
    std::optional<MatrixEdges> scaledByDiagonal(const Op& at, const MatrixEdges& left, const MatrixEdges& right);
    /// The matrix times 1 where sources are not targets, and 0 where they are.
    MatrixEdges withoutLoops(const Op& at, MatrixEdges edges);
    /// Its weights are 0 where this is false, whatever they were: isKept [count].
    MatrixEdges chosen(const Op& at, MatrixEdges edges, ValueId isKept);
    ValueId areNoLoops(const Op& at, const MatrixEdges& edges);

    /// The same with one entry for each place, in the order of their targets, and of sources among these.
    std::optional<MatrixEdges> distinct(const Op& at, const MatrixEdges& edges, const Dim& nodes);
    /// Entries after an op that leaves 0 what it is, and reads the matrix as `self`.
    std::optional<MatrixEdges> entrywise(const Op& op, const MatrixEdges& edges, Value result);
    /// Both with distinct entries, if these are in the same places.
    std::optional<std::pair<MatrixEdges, MatrixEdges>> sideBySide(const Op& at, const MatrixEdges& left, const MatrixEdges& right, const Dim& nodes);
    /// Entry by entry the product of two that have theirs in the same places, of one type.
    std::optional<MatrixEdges> product(const Op& at, const MatrixEdges& left, const MatrixEdges& right, Value result);

    /// Rows of nodes [..., V, ...] along dim, from sources to targets: gather, weigh, add up.
    std::optional<ValueId> passed(const Op& at, const MatrixEdges& edges, ValueId rows, std::size_t dim, Value result);
    /// Sums of rows [V] are those of weights by target; by source, of columns.
    std::optional<ValueId> summed(const Op& at, ValueId weights, ValueId index, const Dim& nodes);

    ValueId gathered(const Op& at, ValueId rows, std::size_t dim, ValueId index, const Dim& count);
    ValueId flattened(const Op& at, ValueId value, const Dim& count);
    ValueId unsqueezed(const Op& at, ValueId value, std::size_t dim);
    ValueId squeezed(const Op& at, ValueId value, std::size_t dim);
    ValueId moved(const Op& at, ValueId value, std::size_t from, std::size_t to);  ///< a dimension to another place
    Value like(ValueId of, std::vector<Dim> sizes) const;
    static Value vector(DType dtype, const Dim& count);

private:
    std::optional<ValueId> zeros(const Op& at, Value value);
    std::vector<ValueId> makeSeveral(const Op& at, const std::string& target, std::vector<NamedArgument> args, const std::vector<Value>& results);

    Program& m_p;
    Rewriter& m_rewriter;
    struct Places {
        ValueId order, places, sources, targets;  // order: of the entries, those of one place after each other; places: where each of them belongs
        Dim count;
    };

    using Key = std::tuple<ValueId, ValueId, ValueId>;

    std::map<std::pair<ValueId, ValueId>, Places> m_places;  // by sources and targets
    std::map<Key, ValueId> m_totals;                         // weights of distinct entries, by sources, targets and weights before
};

/// A size of this name, or with a number behind it, that no value has so far.
Dim freshCount(const Program& program, const std::string& stem);

}  // namespace cleave
