#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/adjacency.h"
#include "core/analysis/einsum.h"
#include "core/analysis/matrix_edges.h"
#include "core/analysis/op_view.h"
#include "core/analysis/pair_scores.h"
#include "core/analysis/rewriter.h"

namespace cleave {

/// lowerAdjacencies() at work on one program: values that are matrices are kept as their edges, and ops that read one are replaced by what the op
/// does with edges. Only for the adjacency*.cpp.
class AdjacencyLowering {
public:
    /// ofOwn: also matrices that the program makes itself, of an edge index or of a number for each node.
    AdjacencyLowering(Program& program, bool ofOwn) : m_p(program), m_ofOwn(ofOwn) {}

    LoweredMatrices run();

private:
    struct Source {
        ValueId index, weights;
        Dim count;
        std::string name;
    };

    // Two inputs take the place of one.
    void addInputs(const std::pair<ValueId, std::string>& matrix, bool areSeveral, std::vector<Input>& inputs);
    void lower(Op& op);
    void emitKept(ValueId value);
    // The last op of a replacement gives the old op's result.
    void emitLast(const Op& old, std::string target, std::string overload, std::vector<NamedArgument> args);
    std::string matrixOf(const Op& op);
    static bool isAssertion(const Op& op) { return op.outputs.empty(); }

    // Matrices: adjacency_matrices.cpp.

    // The edges that a value is, if it is a matrix; views of the inputs are made at their first use.
    const MatrixEdges* edgesOf(ValueId value, const Op& at);
    // Matrices, and what becomes one beside a matrix.
    const MatrixEdges* matrix(ValueId value, const Op& at);
    bool isMatrix(ValueId value, const Op& at) { return m_identities.contains(value) || edgesOf(value, at) != nullptr; }
    bool take(ValueId output, const std::optional<MatrixEdges>& edges);
    // A sparse matrix of an index and values.
    bool takeSparse(const Op& op);
    // Entries that are written, or added, into zeros: of rows targets, of columns sources.
    bool takeEntries(const Op& op);
    // Of true and false, numbers.
    MatrixEdges ofType(const Op& op, MatrixEdges edges, DType type);
    std::optional<MatrixEdges> transposed(const Op& op, MatrixEdges edges) const;
    // Identities and diagonals may be parts of matrices, as they are or on another device; so may all but the diagonal, 1 - identity.
    bool isIdentity(const Op& op) const;
    // The op that made an identity or a diagonal, of which a value is a copy; null for anything else.
    const Op* identityOf(ValueId value) const;
    bool isAllButDiagonal(ValueId value) const;
    bool isNumber(ValueId value) const;
    bool isAllNodes(ValueId index, const Dim& nodes) const;

    // Their readers: adjacency_readers.cpp. False for what cannot be done with edges.

    bool lowerReader(const Op& op);
    // Whether it makes 0 of 0, by the numbers that it is given: what takes tensors beside the matrix does not count.
    bool leavesZero(const Op& op, DType from) const;
    // Entries where a condition on entries holds, and 0 elsewhere.
    bool lowerChoice(const Op& op);
    // Of each row or column, as sums are taken.
    bool lowerNorm(const Op& op);
    // Something for each row or column, as large as a matrix: what scales a matrix is looked up in what it was before.
    bool lowerBroadcast(const Op& op);
    // Sums of rows are those of weights by target, of columns by source.
    bool lowerSum(const Op& op);
    // Along the op's only dim, with the result's sizes.
    std::optional<ValueId> summed(const Op& op, const MatrixEdges& edges);
    // By a number, or by one for each row or column.
    bool lowerScaling(const Op& op);
    // What a tensor that is broadcast over a matrix is at each of its edges.
    std::optional<ValueId> factorOfEdges(const Op& op, ValueId factor, const MatrixEdges& edges, std::vector<Dim> matrix);
    // The edges of one after those of the other.
    bool lowerAddition(const Op& op);
    // matrix[i, i] = value for every node i: its loops go, and new ones come.
    bool lowerDiagonal(const Op& op);
    bool lowerSize(const Op& op);
    static ValueId first(const OpView& view, std::initializer_list<std::string_view> names);

    // Products, and several matrices at once: adjacency_products.cpp.

    bool lowerProduct(const Op& op, ValueId left, ValueId right);
    std::optional<ValueId> rowsOf(const Op& op, const MatrixEdges& edges, ValueId rows);
    // vw,bwf->bvf: one index of a matrix is summed over, the other takes its place. Several matrices are multiplied one by one: kvw,wf->vkf.
    bool lowerEinsum(const Op& op);
    bool lowerSummingEinsum(const Op& op, const Einsum& equation, ValueId matrix);
    bool lowerThreefoldEinsum(const Op& op, const Einsum& equation, const std::vector<ValueId>& operands);
    // The einsum of a matrix with the subscripts `pair`, and rows with these.
    std::optional<ValueId> multiplied(const Op& op, const MatrixEdges& edges, const std::string& pair, ValueId by, const std::string& rows,
                                      const std::string& wanted, const Value& result);
    // Several matrices one after the other, [k, V, V].
    bool lowerStack(const Op& op);
    // One of them.
    bool lowerSelect(const Op& op, const std::vector<MatrixEdges>& stack);
    bool lowerSumWithProduct(const Op& op);
    // What an op does that takes a mask or scores for all pairs of nodes and multiplies them with rows in one, op by op; nothing if it reads no
    // matrix.
    std::vector<Op> parts(const Op& op);

    Program& m_p;
    bool m_ofOwn = false;
    int m_own = 0;  // matrices of its own that turned out to be edges
    std::optional<Rewriter> m_rewriter;
    std::optional<MatrixAlgebra> m_algebra;
    std::optional<PairScores> m_pairs;
    std::map<ValueId, Source> m_read;        // matrices among the inputs
    std::map<ValueId, MatrixEdges> m_edges;  // values that are matrices
    std::map<ValueId, Op> m_identities;      // not emitted: nothing but matrices has read them
    std::map<ValueId, std::vector<MatrixEdges>> m_stacks;
    std::set<ValueId> m_sparseSums;          // are dense now
    std::map<ValueId, ValueId> m_broadcast;  // what was expanded to the sizes of a matrix
};

}  // namespace cleave
