#include "core/analysis/adjacency.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "core/analysis/dims.h"
#include "core/analysis/einsum.h"
#include "core/analysis/matrix_edges.h"
#include "core/analysis/op_view.h"
#include "core/analysis/pair_scores.h"
#include "core/analysis/rewriter.h"
#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

namespace {

Argument whole(std::int64_t number) { return {number}; }

using Edges = MatrixEdges;

class Lowering {
public:
    // ofOwn: also matrices that the program makes itself, of an edge index or of a number for each node.
    Lowering(Program& program, bool ofOwn) : m_p(program), m_ofOwn(ofOwn) {}

    LoweredMatrices run()
    {
        std::vector<Input> inputs;
        std::vector<std::pair<ValueId, std::string>> matrices;
        for (const Input& input : m_p.inputs)
            if (input.role == Role::GraphStructure && isSquareOfNodes(m_p[input.value]))
                matrices.emplace_back(input.value, m_p[input.value].name);
        if (matrices.empty() && !m_ofOwn)
            return {};
        for (const Input& input : m_p.inputs)
            if (const auto matrix = std::ranges::find(matrices, input.value, &std::pair<ValueId, std::string>::first); matrix == matrices.end())
                inputs.push_back(input);
            else
                addInputs(*matrix, matrices.size() > 1, inputs);
        m_p.inputs = std::move(inputs);
        m_rewriter.emplace(m_p);
        m_algebra.emplace(m_p, *m_rewriter);
        m_pairs.emplace(m_p, *m_rewriter, *m_algebra);
        for (Op& op : m_rewriter->takeOps())
            lower(op);
        for (const ValueId output : m_p.outputs)
            emitKept(output);
        m_rewriter->finish();
        for (const ValueId output : m_p.outputs)
            if (m_edges.contains(output))
                throw Error("The model gives back the adjacency matrix '" + printable(m_edges.at(output).matrix) + "', which Cleave takes as edges.");
        return {static_cast<int>(matrices.size()), m_own};
    }

private:
    // Two inputs take the place of one.
    void addInputs(const std::pair<ValueId, std::string>& matrix, bool areSeveral, std::vector<Input>& inputs)
    {
        const auto [id, name] = matrix;
        const Value old = m_p[id];
        const std::string stem = areSeveral ? name + "_" : "";
        const Dim count = freshCount(m_p, "edges");
        Value index;
        index.name = stem + "edge_index";
        index.dtype = DType::Int64;
        index.sizes = {{2, {}}, count};
        Value weights;
        weights.name = stem + "edge_weight";
        weights.dtype = old.dtype;
        weights.sizes = {count};
        for (const auto& [value, role] : {std::pair{index, Role::GraphStructure}, {weights, Role::EdgeFeatures}}) {
            if (std::ranges::any_of(m_p.inputs, [&, &wanted = value.name, self = id](const Input& input) {
                    return input.value != self && m_p[input.value].name == wanted;
                }))
                throw Error("The model takes both the adjacency matrix '" + printable(name) + "' and '" + value.name +
                            "', the name of its edges: call that input otherwise.");
            inputs.push_back({ValueId{static_cast<int>(m_p.values.size())}, role, {}, name});
            m_p.values.push_back(value);
        }
        m_p.notes.push_back("Input '" + printable(name) +
                            "' is an adjacency matrix: entry [i, j] is the weight of the edges from node j to node i. The graph's " + index.name +
                            " and " + weights.name + " take its place; where there are no weights they are 1.");
        m_read[id] = {inputs[inputs.size() - 2].value, inputs.back().value, count, name};
    }

    struct Source {
        ValueId index, weights;
        Dim count;
        std::string name;
    };

    // The edges that a value is, if it is a matrix; views of the inputs are made at their first use.
    const Edges* edgesOf(ValueId value, const Op& at)
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

    void lower(Op& op)
    {
        const ValueId output = op.outputs.empty() ? ValueId{} : op.outputs.front();
        if (output.valid() && isIdentity(op)) {
            m_identities[output] = op;  // emitted where it turns out to be nothing else
            return;
        }
        if (output.valid() && PairScores::isFilled(op) && m_pairs->defer(op))
            return;  // of a matrix that it is as large as it needs nothing else
        if (m_ofOwn && output.valid() && takeEntries(op))
            return;
        // A diagonal matrix scales rows.
        const ValueId left = m_ofOwn && (op.target == "aten::mm" || op.target == "aten::matmul") ? OpView(m_p, op).value("self") : ValueId{};
        if (identityOf(left) != nullptr && matrix(left, op) != nullptr)
            ++m_own;
        bool readsMatrix = false, readsIdentity = false;
        forEachOperand(op, [&](ValueId operand) { readsIdentity = readsIdentity || m_identities.contains(operand); });
        if (readsIdentity && isAssertion(op))
            return;
        forEachOperand(op, [&](ValueId operand) { readsMatrix = readsMatrix || m_stacks.contains(operand) || edgesOf(operand, op) != nullptr; });
        if (readsMatrix || m_pairs->reads(op)) {
            if (isAssertion(op))
                return;
            if (!(m_pairs->reads(op) && m_pairs->lower(op)) && !(readsMatrix && lowerReader(op)))
                throw Error(
                    "The model cannot be cut exactly: op '" + printable(op.name) + "' (" + op.target + ") reads the adjacency matrix '" +
                    matrixOf(op) +
                    "' in a way that is no message passing. A matrix can be multiplied with rows of nodes, transposed, scaled by numbers, rows or columns, added to an "
                    "identity, its rows and columns summed, its entries changed where this leaves 0 as it is, and attention be masked by it; for anything else give the model edge_index.");
            return;
        }
        if (m_pairs->defer(op))
            return;
        forEachOperand(op, [&](ValueId operand) { emitKept(operand); });
        m_rewriter->resolveOperands(op);
        m_rewriter->emit(std::move(op));
    }

    std::string matrixOf(const Op& op)
    {
        std::string name;
        forEachOperand(op, [&](ValueId operand) {
            if (const Edges* edges = edgesOf(operand, op); edges != nullptr && name.empty())
                name = edges->matrix;
        });
        return printable(name.empty() ? m_pairs->matrixOf(op) : name);
    }

    static bool isAssertion(const Op& op) { return op.outputs.empty(); }

    // Identities and diagonals may be parts of matrices, as they are or on another device; so may all but the diagonal, 1 - identity.
    bool isIdentity(const Op& op) const
    {
        static const std::set<std::string_view> targets{"aten::eye", "aten::diag", "aten::diag_embed", "aten::diagflat"};
        static const std::set<std::string_view> copies{"aten::to",         "aten::_to_copy", "aten::type_as", "aten::clone",
                                                       "aten::contiguous", "aten::detach",   "aten::alias"};
        if (!isSquareOfNodes(m_p[op.outputs.front()]))
            return false;
        const OpView view(m_p, op);
        if (targets.contains(op.target))
            return view.integerOr("diagonal", 0) == 0 && view.integerOr("offset", 0) == 0;
        const Op* self = identityOf(view.value("self"));
        if (self == nullptr)
            return false;
        return copies.contains(op.target) ||
               (op.target == "aten::rsub" && self->target == "aten::eye" && view.number("other") == 1.0 && view.number("alpha").value_or(1) == 1);
    }

    // The op that made an identity or a diagonal, of which a value is a copy; null for anything else.
    const Op* identityOf(ValueId value) const
    {
        auto found = m_identities.find(value);
        if (found == m_identities.end())
            return nullptr;
        for (auto next = found; next != m_identities.end(); next = m_identities.find(OpView(m_p, found->second).value("self")))
            found = next;
        return isAllButDiagonal(value) ? nullptr : &found->second;
    }

    bool isAllButDiagonal(ValueId value) const
    {
        const auto found = m_identities.find(value);
        return found != m_identities.end() && found->second.target == "aten::rsub";
    }

    void emitKept(ValueId value)
    {
        m_pairs->emit(value);
        const auto found = m_identities.find(value);
        if (found == m_identities.end())
            return;
        Op op = std::move(found->second);
        m_identities.erase(found);
        forEachOperand(op, [&](ValueId operand) { emitKept(operand); });
        m_rewriter->resolveOperands(op);
        m_rewriter->emit(std::move(op));
    }

    bool isMatrix(ValueId value, const Op& at) { return m_identities.contains(value) || edgesOf(value, at) != nullptr; }

    // Matrices, and what becomes one beside a matrix.
    const Edges* matrix(ValueId value, const Op& at)
    {
        if (const Edges* edges = edgesOf(value, at))
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

    // Entries that are written, or added, into zeros: of rows targets, of columns sources.
    bool takeEntries(const Op& op)
    {
        const OpView view(m_p, op);
        const std::vector<ValueId> indices = op.target == "aten::index_put" ? view.values("indices") : std::vector<ValueId>{};
        const Argument* values = op.find("values");
        const ValueId* tensor = values == nullptr ? nullptr : values->asValue();
        if (indices.size() != 2 || !indices[0].valid() || !indices[1].valid() || tensor == nullptr || !isSquareOfNodes(m_p[op.outputs.front()]) ||
            !m_pairs->isKept(view.value("self")) || m_pairs->numberOf(op, "self") != 0.0)
            return false;
        const ValueId targets = m_rewriter->resolved(indices[0]), sources = m_rewriter->resolved(indices[1]);
        const auto isList = [&](ValueId index) {
            return m_p[index].dtype == DType::Int64 && m_p[index].sizes.size() == 1 && !m_p[index].sizes[0].isConstant();
        };
        const DType type = m_p[op.outputs.front()].dtype;
        if (m_p[op.outputs.front()].sizes.size() != 2 || !isList(targets) || !isList(sources) || m_p[targets].sizes != m_p[sources].sizes ||
            m_p[*tensor].dtype != type)
            return false;
        Edges edges{sources, targets, m_rewriter->resolved(*tensor), m_p[targets].sizes.front(), false, false, m_p[op.outputs.front()].name};
        const bool adds = view.flag("accumulate", false);
        if (isNumber(*tensor)) {
            const ValueId number = m_p[edges.weights].sizes.empty() ? edges.weights : m_algebra->flattened(op, edges.weights, Dim{1, {}});
            const auto ones = [&](const Edges& of) {
                return m_rewriter->emitNew(op, "aten::ones_like", "", {{"self", {of.targets}}, {"dtype", {type}}},
                                           MatrixAlgebra::vector(type, of.count));
            };
            edges.weights = ones(edges);
            if (!adds) {
                const std::optional<Edges> places = m_algebra->distinct(op, edges, m_p[op.outputs.front()].sizes.back());
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

    bool lowerReader(const Op& op)
    {
        const OpView view(m_p, op);
        const ValueId output = op.outputs.front();
        const auto is = [&](std::initializer_list<std::string_view> targets) { return std::ranges::find(targets, op.target) != targets.end(); };
        if (view.given("reduce"))  // of a product with a sparse matrix: a mean, or an extreme
            return false;
        if (is({"aten::mm", "aten::matmul", "aten::_sparse_mm", "aten::bmm", "aten::mv"}))
            return lowerProduct(op, first(view, {"self", "sparse"}), first(view, {"other", "mat2", "dense", "vec"}));
        if (is({"aten::einsum"}))
            return lowerEinsum(op);
        if (is({"aten::addmm", "aten::_sparse_addmm"}))
            return lowerSumWithProduct(op);
        if (is({"aten::sum"}))
            return lowerSum(op);
        if (is({"aten::mul", "aten::div"}))
            return lowerScaling(op);
        if (is({"aten::add", "aten::sub"}))
            return lowerAddition(op);
        if (is({"aten::where"}))
            return lowerChoice(op);
        if (is({"aten::stack"}))
            return lowerStack(op);
        if (is({"aten::linalg_vector_norm"}))
            return lowerNorm(op);
        if (is({"aten::expand_as"}))
            return lowerBroadcast(op);
        if (is({"aten::index_put"}))
            return lowerDiagonal(op);
        if (is({"aten::sym_size", "aten::size"}))
            return lowerSize(op);
        // A scatter over all of a matrix is what it scatters.
        const ValueId source = view.value(is({"aten::slice_scatter"}) ? "src" : is({"aten::dropout"}) ? "input" : "self");
        if (const auto stack = m_stacks.find(source); stack != m_stacks.end())
            return lowerSelect(op, stack->second);
        const Edges* self = source.valid() ? edgesOf(source, op) : nullptr;
        if (self == nullptr || op.outputs.size() != 1)
            return false;
        if (is({"aten::t", "aten::numpy_T", "aten::transpose", "aten::adjoint"}))
            return take(output, transposed(op, *self));
        const bool keeps = is({"aten::clone", "aten::contiguous", "aten::detach", "aten::alias", "aten::to", "aten::_to_copy",
                               "aten::lift_fresh_copy", "aten::unsqueeze", "aten::squeeze", "aten::view", "aten::reshape", "aten::expand",
                               "aten::slice", "aten::slice_scatter", "aten::to_dense", "aten::coalesce", "aten::positive"});
        if (is({"aten::dropout"}) && !view.flag("train", true))
            return take(output, *self);
        const std::vector<Dim>& sizes = m_p[output].sizes;
        // The matrix may be the same for each of several graphs.
        const bool isRepeated = is({"aten::expand"}) && sizes.size() == 3 && sizes[1] == sizes[2] && sizes[2] == m_p[source].sizes.back();
        if (keeps && (isSquareOfNodes(m_p[output]) || isRepeated) && m_p[output].dtype == m_p[self->weights].dtype)
            return take(output, *self);
        if (is({"aten::type_as"})) {
            const std::optional<Edges> each = m_algebra->distinct(op, *self, m_p[source].sizes.back());
            return each && take(output, ofType(op, *each, m_p[output].dtype));
        }
        const bool isMasked = m_pairs->takeMask(op, *self, source);
        return (leavesZero(op, m_p[source].dtype) && take(output, m_algebra->entrywise(op, *self, m_p[output]))) || isMasked;
    }

    // Whether it makes 0 of 0, by the numbers that it is given: what takes tensors beside the matrix does not count.
    bool leavesZero(const Op& op, DType from) const
    {
        static const std::set<std::string_view> always{
            "aten::relu",  "aten::abs",    "aten::sign", "aten::sgn",   "aten::tanh",      "aten::sqrt", "aten::leaky_relu",
            "aten::elu",   "aten::square", "aten::neg",  "aten::sin",   "aten::tan",       "aten::atan", "aten::asinh",
            "aten::expm1", "aten::log1p",  "aten::erf",  "aten::gelu",  "aten::silu",      "aten::to",   "aten::_to_copy",
            "aten::round", "aten::floor",  "aten::ceil", "aten::trunc", "aten::nan_to_num"};
        if (always.contains(op.target))
            return m_p[op.outputs.front()].sizes == m_p[OpView(m_p, op).value("self")].sizes;
        const OpView view(m_p, op);
        if (op.target == "aten::pow")
            return isFloating(from) && view.number("exponent").value_or(0) > 0;
        if (op.target == "aten::clamp" || op.target == "aten::clamp_min" || op.target == "aten::clamp_max") {
            const auto holds = [&](const char* name, bool isLeast) {
                const auto bound = view.number(name);
                return !view.given(name) || (bound && (isLeast ? *bound <= 0 : *bound >= 0));
            };
            return holds("min", true) && holds("max", false);
        }
        const auto other = view.number("other");
        return other &&
               ((op.target == "aten::gt" && *other >= 0) || (op.target == "aten::ge" && *other > 0) || (op.target == "aten::lt" && *other <= 0) ||
                (op.target == "aten::le" && *other < 0) || (op.target == "aten::ne" && *other == 0) || (op.target == "aten::eq" && *other != 0));
    }

    // Entries where a condition on entries holds, and 0 elsewhere.
    bool lowerChoice(const Op& op)
    {
        const OpView view(m_p, op);
        const ValueId condition = view.value("condition");
        const Edges* where = condition.valid() ? edgesOf(condition, op) : nullptr;
        const Argument *self = op.find("self"), *other = op.find("other");
        if (where == nullptr || self == nullptr || other == nullptr || m_pairs->numberOf(op, "other") != 0.0)
            return false;
        const Value result = m_p[op.outputs.front()];
        if (const ValueId* chosen = self->asValue())
            if (const Edges* edges = edgesOf(*chosen, op)) {
                const auto both = m_algebra->sideBySide(op, Edges(*edges), Edges(*where), result.sizes.back());
                return both && take(op.outputs.front(), m_algebra->chosen(op, both->first, both->second.weights));
            }
        const std::optional<double> number = m_pairs->numberOf(op, "self");
        if (!number || !std::isfinite(*number) || !isFloating(result.dtype))
            return false;
        return take(op.outputs.front(), m_algebra->scaled(op, ofType(op, *where, result.dtype), "aten::mul", "Scalar", {*number}));
    }

    // Of true and false, numbers.
    Edges ofType(const Op& op, Edges edges, DType type)
    {
        if (m_p[edges.weights].dtype != type)
            edges.weights = m_rewriter->emitNew(op, "aten::to", "dtype", {{"self", {edges.weights}}, {"dtype", {type}}},
                                                MatrixAlgebra::vector(type, edges.count));
        return edges;
    }

    // Of each row or column, as sums are taken.
    bool lowerNorm(const Op& op)
    {
        const OpView view(m_p, op);
        const double order = view.number("ord").value_or(2);
        const bool isOne = order == 1;
        const Edges* edges = edgesOf(view.value("self"), op);
        if (edges == nullptr || (!isOne && order != 2))
            return false;
        std::optional<Edges> each = m_algebra->distinct(op, *edges, m_p[view.value("self")].sizes.back());
        if (!each)
            return false;
        each->weights = m_rewriter->emitNew(op, isOne ? "aten::abs" : "aten::square", "", {{"self", {each->weights}}}, m_p[each->weights]);
        const std::optional<ValueId> sums = summed(op, *each);
        if (!sums)
            return false;
        m_rewriter->replace(op.outputs.front(), isOne ? *sums : m_rewriter->emitNew(op, "aten::sqrt", "", {{"self", {*sums}}}, m_p[*sums]));
        return true;
    }

    // Something for each row or column, as large as a matrix: what scales a matrix is looked up in what it was before.
    bool lowerBroadcast(const Op& op)
    {
        const OpView view(m_p, op);
        const ValueId self = view.value("self"), as = view.value("other");
        if (!self.valid() || !as.valid() || edgesOf(self, op) != nullptr || edgesOf(as, op) == nullptr)
            return false;
        std::vector<Argument> size;
        for (const Dim& dim : std::vector<Dim>(m_p[op.outputs.front()].sizes))
            size.push_back(m_rewriter->sizeArgument(dim, op));
        if (std::ranges::any_of(size, &Argument::isNone))
            return false;
        emitKept(self);
        m_broadcast[op.outputs.front()] = m_rewriter->resolved(self);
        emitLast(op, "aten::expand", "", {{"self", {m_rewriter->resolved(self)}}, {"size", {size}}});  // for other readers
        return true;
    }

    static ValueId first(const OpView& view, std::initializer_list<std::string_view> names)
    {
        for (const std::string_view name : names)
            if (const ValueId value = view.value(name); value.valid())
                return value;
        return {};
    }

    bool take(ValueId output, const std::optional<Edges>& edges)
    {
        if (edges)
            m_edges[output] = *edges;
        return edges.has_value();
    }

    std::optional<Edges> transposed(const Op& op, Edges edges) const
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

    // The last op of a replacement gives the old op's result.
    void emitLast(const Op& old, std::string target, std::string overload, std::vector<NamedArgument> args)
    {
        Op op{old.name, std::move(target), std::move(overload), std::move(args), old.outputs, old.module, old.source};
        m_rewriter->emit(std::move(op));
    }

    bool lowerProduct(const Op& op, ValueId left, ValueId right)
    {
        if (!left.valid() || !right.valid())
            return false;
        const Edges* l = matrix(left, op);
        const Edges* r = matrix(right, op);
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
            l != nullptr ? rowsOf(op, *l, rows)
                         : m_algebra->passed(op, MatrixAlgebra::reversed(*r), rows, static_cast<int>(m_p[rows].sizes.size()) - 1, m_p[output]);
        if (product)
            m_rewriter->replace(output, *product);
        return product.has_value();
    }

    std::optional<ValueId> rowsOf(const Op& op, const Edges& edges, ValueId rows)
    {
        return m_algebra->passed(op, edges, rows, std::max(static_cast<int>(m_p[rows].sizes.size()) - 2, 0), m_p[op.outputs.front()]);
    }

    // vw,bwf->bvf: one index of a matrix is summed over, the other takes its place. Several matrices are multiplied one by one: kvw,wf->vkf.
    bool lowerEinsum(const Op& op)
    {
        const std::optional<Einsum> equation = einsumOf(m_p, op);
        const std::vector<ValueId> operands = OpView(m_p, op).values("tensors");
        const Value result = m_p[op.outputs.front()];
        if (!equation || operands.size() != 2 || result.sizes.size() != equation->result.size())
            return false;
        for (const std::size_t m : {0, 1}) {
            const std::string &of = equation->operands[m], &rows = equation->operands[1 - m];
            if (isMatrix(operands[1 - m], op) || m_stacks.contains(operands[1 - m]))
                continue;
            emitKept(operands[1 - m]);
            const ValueId by = m_rewriter->resolved(operands[1 - m]);
            if (const Edges* edges = edgesOf(operands[m], op)) {
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
            for (const Edges& edges : stack->second)
                if (const auto product = multiplied(op, edges, of.substr(1), by, rows, each, ofEach))
                    products.push_back(Argument{*product});
                else
                    return false;
            emitLast(op, "aten::stack", "", {{"tensors", {products}}, {"dim", whole(static_cast<std::int64_t>(at))}});
            return true;
        }
        return false;
    }

    // The einsum of a matrix with the subscripts `pair`, and rows with these.
    std::optional<ValueId> multiplied(const Op& op, const Edges& edges, const std::string& pair, ValueId by, const std::string& rows,
                                      const std::string& wanted, const Value& result)
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
        const auto product = m_algebra->passed(op, sumsColumns ? edges : MatrixAlgebra::reversed(edges), by, static_cast<int>(dim), value);
        if (!product || passedAs == wanted)
            return product;
        return m_rewriter->emitNew(op, "aten::permute", "", {{"self", {*product}}, {"dims", {dims}}}, result);
    }

    // Several matrices one after the other, [k, V, V].
    bool lowerStack(const Op& op)
    {
        const OpView view(m_p, op);
        std::vector<Edges> all;
        for (const ValueId part : view.values("tensors"))
            if (const Edges* edges = part.valid() ? matrix(part, op) : nullptr)
                all.push_back(*edges);
            else
                return false;
        if (m_p[op.outputs.front()].sizes.size() != 3 || (view.given("dim") && view.dim("dim", 3) != 0))
            return false;
        m_stacks[op.outputs.front()] = std::move(all);
        return true;
    }

    // One of them.
    bool lowerSelect(const Op& op, const std::vector<Edges>& stack)
    {
        const OpView view(m_p, op);
        const std::int64_t index = view.integerOr("index", -1), count = std::ssize(stack);
        if (op.target != "aten::select" || view.dim("dim", 3) != 0 || index < -count || index >= count)
            return false;
        return take(op.outputs.front(), stack[static_cast<std::size_t>(index < 0 ? index + count : index)]);
    }

    bool lowerSumWithProduct(const Op& op)
    {
        const OpView view(m_p, op);
        const ValueId self = view.value("self"), left = first(view, {"mat1", "sparse"}), right = first(view, {"mat2", "dense"});
        const Edges* edges = left.valid() ? edgesOf(left, op) : nullptr;
        const auto isOne = [&](const char* name) { return !view.given(name) || view.number(name) == 1.0; };
        if (edges == nullptr || !self.valid() || !right.valid() || isMatrix(self, op) || isMatrix(right, op) || !isOne("beta") || !isOne("alpha"))
            return false;
        const std::optional<ValueId> product = rowsOf(op, *edges, m_rewriter->resolved(right));
        if (product)
            emitLast(op, "aten::add", "Tensor", {{"self", {*product}}, {"other", {m_rewriter->resolved(self)}}});
        return product.has_value();
    }

    // Sums of rows are those of weights by target, of columns by source.
    bool lowerSum(const Op& op)
    {
        const OpView view(m_p, op);
        const Edges* edges = edgesOf(view.value("self"), op);
        if (edges == nullptr)
            return false;
        const std::optional<ValueId> sums = summed(op, *edges);
        if (sums)
            m_rewriter->replace(op.outputs.front(), *sums);
        return sums.has_value();
    }

    // Along the op's only dim, with the result's sizes.
    std::optional<ValueId> summed(const Op& op, const Edges& edges)
    {
        const OpView view(m_p, op);
        const int rank = view.rank("self");
        const std::optional<std::vector<int>> dims = view.dims("dim", rank);
        if (view.given("dtype") || !dims || dims->size() != 1 || dims->front() < rank - 2)
            return {};
        const Value result = m_p[op.outputs.front()];
        const Dim nodes = m_p[view.value("self")].sizes.back();
        if (std::ranges::count_if(result.sizes, [](const Dim& dim) { return !dim.isOne(); }) != 1)
            return {};  // once for each of several graphs
        std::optional<ValueId> total =
            m_algebra->summed(op, ofType(op, edges, result.dtype).weights, dims->front() == rank - 1 ? edges.targets : edges.sources, nodes);
        // The other dimensions of the result are 1.
        std::vector<Dim> sizes{nodes};
        for (std::size_t d = 0; d < result.sizes.size() && total; ++d)
            if (result.sizes[d].isOne() && result.sizes.size() > 1) {
                sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(d), Dim{1, {}});
                total = m_rewriter->emitNew(op, "aten::unsqueeze", "", {{"self", {*total}}, {"dim", whole(static_cast<std::int64_t>(d))}},
                                            m_algebra->like(*total, sizes));
            }
        return total;
    }

    bool isNumber(ValueId value) const
    {
        return m_p[value].kind != ValueKind::Tensor || std::ranges::all_of(m_p[value].sizes, [](const Dim& size) { return size.isOne(); });
    }

    // By a number, or by one for each row or column.
    bool lowerScaling(const Op& op)
    {
        const OpView view(m_p, op);
        if (view.given("rounding_mode"))
            return false;
        const Argument *self = op.find("self"), *other = op.find("other");
        if (self == nullptr || other == nullptr)
            return false;
        const auto isEdges = [&](const Argument& argument) { return argument.asValue() != nullptr && edgesOf(*argument.asValue(), op) != nullptr; };
        const auto isSquare = [&](const Argument& argument) { return argument.asValue() != nullptr && isMatrix(*argument.asValue(), op); };
        const bool isLeft = isEdges(*self);
        const Argument& by = isLeft ? *other : *self;
        const ValueId id = isLeft ? *self->asValue() : isEdges(*other) ? *other->asValue() : ValueId{};
        if (!id.valid() || (op.target == "aten::div" && (!isLeft || isSquare(by))))
            return false;
        Edges edges = *edgesOf(id, op);
        const Value result = m_p[op.outputs.front()];
        if (isEdges(by))
            return take(op.outputs.front(), m_algebra->product(op, edges, Edges(*edgesOf(*by.asValue(), op)), result));
        edges = ofType(op, std::move(edges), result.dtype);
        if (isSquare(by))
            return isAllButDiagonal(*by.asValue()) && take(op.outputs.front(), m_algebra->withoutLoops(op, std::move(edges)));
        // Something for each pair of nodes is needed where there are edges.
        if (by.asValue() != nullptr && op.target == "aten::mul" && m_pairs->isKept(*by.asValue())) {
            const std::optional<Edges> places = m_algebra->distinct(op, edges, result.sizes.back());
            const std::optional<ValueId> scores = places ? m_pairs->at(op, *by.asValue(), *places, result.sizes.back()) : std::nullopt;
            return scores && take(op.outputs.front(), m_algebra->scaled(op, *places, op.target, "Tensor", {*scores}));
        }
        Argument factor = by;
        if (const ValueId* value = by.asValue()) {
            const auto before = m_broadcast.find(*value);
            const std::optional<ValueId> perEdge =
                factorOfEdges(op, before == m_broadcast.end() ? m_rewriter->resolved(*value) : before->second, edges, m_p[id].sizes);
            if (!perEdge)
                return false;
            factor = {*perEdge};
        }
        return take(op.outputs.front(), m_algebra->scaled(op, std::move(edges), op.target, op.overload, factor));
    }

    // What a tensor that is broadcast over a matrix is at each of its edges.
    std::optional<ValueId> factorOfEdges(const Op& op, ValueId factor, const Edges& edges, std::vector<Dim> matrix)
    {
        const std::vector<Dim> sizes = m_p[factor].sizes;
        if (isNumber(factor))
            return m_p[factor].kind == ValueKind::Tensor && sizes.size() > 1 ? m_algebra->flattened(op, factor, Dim{1, {}}) : factor;
        if (sizes.size() > matrix.size())
            return {};
        const Dim nodes = matrix.back();
        const bool ofColumns = sizes.back() == nodes, ofRows = sizes.size() > 1 && sizes[sizes.size() - 2] == nodes;
        const bool isVector = std::ranges::count_if(sizes, [](const Dim& size) { return !size.isOne(); }) == 1;
        if (!isVector || ofColumns == ofRows)
            return {};
        return m_algebra->gathered(op, m_algebra->flattened(op, factor, nodes), 0, ofColumns ? edges.sources : edges.targets, edges.count);
    }

    // The edges of one after those of the other.
    bool lowerAddition(const Op& op)
    {
        const OpView view(m_p, op);
        const ValueId a = view.value("self"), b = view.value("other");
        const std::optional<double> times = view.given("alpha") ? view.number("alpha") : 1.0;
        if (!a.valid() || !b.valid() || !times)
            return false;
        const Edges* left = matrix(a, op);
        const Edges* right = matrix(b, op);
        if (left == nullptr || right == nullptr || m_p[left->weights].dtype != m_p[right->weights].dtype)
            return false;
        const double factor = op.target == "aten::sub" ? -*times : *times;
        const bool isWhole = !isFloating(m_p[right->weights].dtype);
        if (isWhole && factor != std::trunc(factor))
            return false;
        const Argument by = isWhole ? Argument{static_cast<std::int64_t>(factor)} : Argument{factor};
        const Edges added = factor == 1 ? *right : m_algebra->scaled(op, *right, "aten::mul", "Scalar", by);
        return take(op.outputs.front(), m_algebra->joined(op, *left, added));
    }

    // matrix[i, i] = value for every node i: its loops go, and new ones come.
    bool lowerDiagonal(const Op& op)
    {
        const OpView view(m_p, op);
        const Edges* edges = edgesOf(view.value("self"), op);
        if (edges == nullptr || view.flag("accumulate", false))
            return false;
        std::vector<ValueId> indices;
        for (const ValueId index : view.values("indices"))
            if (index.valid())
                indices.push_back(m_rewriter->resolved(index));
        const Argument* values = op.find("values");
        if (values == nullptr)
            return false;
        const ValueId* tensor = values->asValue();
        const Value matrix = m_p[op.outputs.front()];
        if (indices.size() != 2 || indices[0] != indices[1] || !isAllNodes(indices[0], matrix.sizes.back()) ||
            (tensor != nullptr && (edgesOf(*tensor, op) != nullptr || !isNumber(*tensor))))
            return false;
        const Edges old = *edges;
        const Dim nodes = matrix.sizes.back();
        const Edges others = m_algebra->chosen(op, old, m_algebra->areNoLoops(op, old));
        std::optional<Edges> loops = m_algebra->diagonal(op, nodes, {}, matrix.dtype);
        if (!loops)
            return false;
        Argument value = *values;
        if (tensor != nullptr) {
            const ValueId number = m_rewriter->resolved(*tensor);
            value = {m_p[number].sizes.size() > 1 ? m_algebra->flattened(op, number, Dim{1, {}}) : number};
        }
        loops = m_algebra->scaled(op, *loops, "aten::mul", tensor != nullptr ? "Tensor" : "Scalar", value);
        return take(op.outputs.front(), m_algebra->joined(op, others, *loops));
    }

    bool isAllNodes(ValueId index, const Dim& nodes) const
    {
        const Value& value = m_p[index];
        if (!value.producer.valid() || value.sizes != std::vector{nodes})
            return false;
        const Op& op = m_p[value.producer];
        const OpView view(m_p, op);
        return op.target == "aten::arange" && view.integerOr("start", 0) == 0 && view.integerOr("step", 1) == 1;
    }

    bool lowerSize(const Op& op)
    {
        const Value number = m_p[op.outputs.front()];
        if (number.kind != ValueKind::Int)
            return false;
        const Argument size = m_rewriter->sizeArgument(number.number, op);
        if (size.isNone())
            return false;
        if (const ValueId* value = size.asValue())
            m_rewriter->replace(op.outputs.front(), *value);
        else
            emitLast(op, "operator::add", "", {{"a", size}, {"b", whole(0)}});
        return true;
    }

    Program& m_p;
    bool m_ofOwn = false;
    int m_own = 0;  // matrices of its own that turned out to be edges
    std::optional<Rewriter> m_rewriter;
    std::optional<MatrixAlgebra> m_algebra;
    std::optional<PairScores> m_pairs;
    std::map<ValueId, Source> m_read;   // matrices among the inputs
    std::map<ValueId, Edges> m_edges;   // values that are matrices
    std::map<ValueId, Op> m_identities; // not emitted: nothing but matrices has read them
    std::map<ValueId, std::vector<Edges>> m_stacks;
    std::map<ValueId, ValueId> m_broadcast;  // what was expanded to the sizes of a matrix
};

}  // namespace

bool isSquareOfNodes(const Value& value)
{
    const std::size_t rank = value.sizes.size();
    return value.kind == ValueKind::Tensor && isFloating(value.dtype) && (rank == 2 || (rank == 3 && value.sizes[0].isOne())) &&
           !value.sizes[rank - 1].isConstant() && value.sizes[rank - 1] == value.sizes[rank - 2];
}

LoweredMatrices lowerAdjacencies(Program& program, bool ofOwn)
{
    static const std::set<std::string_view> makers{"aten::index_put", "aten::diag", "aten::diag_embed", "aten::diagflat"};
    const auto makes = [&](const Op& op) {
        return makers.contains(op.target) && !op.outputs.empty() && isSquareOfNodes(program[op.outputs.front()]);
    };
    if (ofOwn && std::ranges::any_of(program.ops, makes)) {
        Program lowered = program;
        try {
            const LoweredMatrices matrices = Lowering(lowered, true).run();
            program = std::move(lowered);
            return matrices;
        } catch (const Error&) {
            // As it is, all of such a matrix is kept.
        }
    }
    return Lowering(program, false).run();
}

}  // namespace cleave
