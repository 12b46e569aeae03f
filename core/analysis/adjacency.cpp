#include "core/analysis/adjacency.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/analysis/dims.h"
#include "core/analysis/einsum.h"
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
    explicit Lowering(Program& program) : m_p(program) {}

    int run()
    {
        std::vector<Input> inputs;
        std::vector<std::pair<ValueId, std::string>> matrices;
        for (const Input& input : m_p.inputs)
            if (input.role == Role::GraphStructure && isSquareOfNodes(m_p[input.value]))
                matrices.emplace_back(input.value, m_p[input.value].name);
        if (matrices.empty())
            return 0;
        for (const Input& input : m_p.inputs)
            if (const auto matrix = std::ranges::find(matrices, input.value, &std::pair<ValueId, std::string>::first); matrix == matrices.end())
                inputs.push_back(input);
            else
                addInputs(*matrix, matrices.size() > 1, inputs);
        m_p.inputs = std::move(inputs);
        m_rewriter.emplace(m_p);
        m_pairs.emplace(m_p, *m_rewriter);
        for (Op& op : m_rewriter->takeOps())
            lower(op);
        for (const ValueId output : m_p.outputs)
            emitKept(output);
        m_rewriter->finish();
        for (const ValueId output : m_p.outputs)
            if (m_edges.contains(output))
                throw Error("The model gives back the adjacency matrix '" + printable(m_edges.at(output).matrix) + "', which Cleave takes as edges.");
        return static_cast<int>(matrices.size());
    }

private:
    // Two inputs take the place of one.
    void addInputs(const std::pair<ValueId, std::string>& matrix, bool areSeveral, std::vector<Input>& inputs)
    {
        const auto [id, name] = matrix;
        const Value old = m_p[id];
        const std::string stem = areSeveral ? name + "_" : "";
        const Dim count{0, freshSymbol()};
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

    std::string freshSymbol() const
    {
        const auto isTaken = [&](const std::string& symbol) {
            return std::ranges::any_of(m_p.values, [&](const Value& value) {
                return std::ranges::any_of(value.sizes, [&](const Dim& dim) { return dim.symbol == symbol; });
            });
        };
        for (int n = 0;; ++n)
            if (const std::string symbol = "edges" + (n > 0 ? std::to_string(n) : ""); !isTaken(symbol))
                return symbol;
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
                                           vector(DType::Int64, source.count));
            };
            const ValueId sources = row(0), targets = row(1);
            m_edges[value] = {sources, targets, source.weights, source.count, false, source.name};
        }
        const auto known = m_edges.find(value);
        return known == m_edges.end() ? nullptr : &known->second;
    }

    static Value vector(DType dtype, const Dim& count)
    {
        Value value;
        value.dtype = dtype;
        value.sizes = {count};
        return value;
    }

    Value like(ValueId of, std::vector<Dim> sizes) const
    {
        Value value = m_p[of];
        value.sizes = std::move(sizes);
        return value;
    }

    void lower(Op& op)
    {
        const ValueId output = op.outputs.empty() ? ValueId{} : op.outputs.front();
        if (output.valid() && isIdentity(op)) {
            m_identities[output] = op;  // emitted where it turns out to be nothing else
            return;
        }
        bool readsMatrix = false;
        forEachOperand(op, [&](ValueId operand) { readsMatrix = readsMatrix || edgesOf(operand, op) != nullptr; });
        if (readsMatrix || m_pairs->reads(op)) {
            if (isAssertion(op))
                return;
            if (!(readsMatrix ? lowerReader(op) : m_pairs->lower(op)))
                throw Error(
                    "The model cannot be cut exactly: op '" + printable(op.name) + "' (" + op.target + ") reads the adjacency matrix '" +
                    matrixOf(op) +
                    "' in a way that is no message passing. A matrix can be multiplied with rows of nodes, transposed, scaled by numbers, rows or columns, added to an "
                    "identity, its rows and columns summed, and attention be masked by it; for anything else give the model edge_index.");
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

    // Identities and diagonals may be parts of matrices.
    bool isIdentity(const Op& op) const
    {
        static const std::set<std::string_view> targets{"aten::eye", "aten::diag", "aten::diag_embed", "aten::diagflat"};
        return targets.contains(op.target) && isSquareOfNodes(m_p[op.outputs.front()]) && OpView(m_p, op).integerOr("diagonal", 0) == 0 &&
               OpView(m_p, op).integerOr("offset", 0) == 0;
    }

    void emitKept(ValueId value)
    {
        m_pairs->emit(value);
        const auto found = m_identities.find(value);
        if (found == m_identities.end())
            return;
        Op op = std::move(found->second);
        m_identities.erase(found);
        m_rewriter->resolveOperands(op);
        m_rewriter->emit(std::move(op));
    }

    bool isMatrix(ValueId value, const Op& at) { return m_identities.contains(value) || edgesOf(value, at) != nullptr; }

    // Matrices, and what becomes one beside a matrix.
    const Edges* matrix(ValueId value, const Op& at)
    {
        if (const Edges* edges = edgesOf(value, at))
            return edges;
        const auto identity = m_identities.find(value);
        if (identity == m_identities.end())
            return nullptr;
        const Op& op = identity->second;
        const Value result = m_p[value];
        const Dim nodes = result.sizes.back();
        const Argument size = m_rewriter->sizeArgument(nodes, at);
        const ValueId entries = OpView(m_p, op).value("self");
        if (size.isNone() || (op.target != "aten::eye" && !entries.valid()))
            return nullptr;
        Edges edges;
        edges.count = nodes;
        edges.isDiagonal = true;
        edges.sources = edges.targets =
            m_rewriter->emitNew(at, "aten::arange", "", {{"end", size}, {"dtype", {DType::Int64}}}, vector(DType::Int64, nodes));
        edges.weights = op.target == "aten::eye"
                            ? m_rewriter->emitNew(at, "aten::ones", "", {{"size", {std::vector<Argument>{size}}}, {"dtype", {result.dtype}}},
                                                  vector(result.dtype, nodes))
                            : flattened(at, m_rewriter->resolved(entries), nodes);
        return &(m_edges[value] = edges);
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
        if (is({"aten::add"}))
            return lowerAddition(op);
        if (is({"aten::index_put"}))
            return lowerDiagonal(op);
        if (is({"aten::sym_size", "aten::size"}))
            return lowerSize(op);
        const ValueId source = view.value(is({"aten::slice_scatter"}) ? "src" : "self");  // a scatter over all of a matrix is what it scatters
        const Edges* self = source.valid() ? edgesOf(source, op) : nullptr;
        if (self == nullptr || op.outputs.size() != 1)
            return false;
        if (is({"aten::t", "aten::numpy_T", "aten::transpose", "aten::adjoint"}))
            return take(output, transposed(op, *self));
        const bool keeps = is({"aten::clone", "aten::contiguous", "aten::detach", "aten::alias", "aten::to", "aten::_to_copy",
                               "aten::lift_fresh_copy", "aten::unsqueeze", "aten::squeeze", "aten::view", "aten::reshape", "aten::expand",
                               "aten::slice", "aten::slice_scatter", "aten::to_dense", "aten::coalesce", "aten::positive"});
        if (keeps && isSquareOfNodes(m_p[output]) && m_p[output].dtype == m_p[self->weights].dtype)
            return take(output, *self);
        return m_pairs->takeMask(op, *self, source);
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
        return reversed(edges);
    }

    // rows [..., V, F] or [V] at an index along the nodes.
    ValueId gathered(const Op& op, ValueId rows, int dim, ValueId index, const Dim& count)
    {
        std::vector<Dim> sizes = m_p[rows].sizes;
        sizes[static_cast<std::size_t>(dim)] = count;
        return m_rewriter->emitNew(op, "aten::index_select", "", {{"self", {rows}}, {"dim", whole(dim)}, {"index", {index}}}, like(rows, sizes));
    }

    // The last op of a replacement gives the old op's result.
    void emitLast(const Op& old, std::string target, std::string overload, std::vector<NamedArgument> args)
    {
        Op op{old.name, std::move(target), std::move(overload), std::move(args), old.outputs, old.module, old.source};
        m_rewriter->emit(std::move(op));
    }

    // Zeros like value, with its number of nodes.
    std::optional<ValueId> zeros(const Op& op, Value value)
    {
        std::vector<Argument> size;
        for (const Dim& dim : value.sizes) {
            size.push_back(m_rewriter->sizeArgument(dim, op));
            if (size.back().isNone())
                return {};
        }
        return m_rewriter->emitNew(op, "aten::zeros", "", {{"size", {size}}, {"dtype", {value.dtype}}}, value);
    }

    bool lowerProduct(const Op& op, ValueId left, ValueId right)
    {
        if (!left.valid() || !right.valid())
            return false;
        const Edges* l = matrix(left, op);
        const Edges* r = matrix(right, op);
        if (l != nullptr && r != nullptr)
            return take(op.outputs.front(), scaledByDiagonal(op, *l, *r));
        if (l == nullptr && r == nullptr)
            return false;
        const ValueId output = op.outputs.front();
        const ValueId rows = m_rewriter->resolved(l != nullptr ? right : left);
        // From the right, columns are nodes: they go the edges the other way.
        const std::optional<ValueId> product =
            l != nullptr ? rowsOf(op, *l, rows) : passed(op, reversed(*r), rows, static_cast<int>(m_p[rows].sizes.size()) - 1, m_p[output]);
        if (product)
            m_rewriter->replace(output, *product);
        return product.has_value();
    }

    static Edges reversed(Edges edges)
    {
        std::swap(edges.sources, edges.targets);
        return edges;
    }

    // Rows of nodes along a dimension, from sources to targets: gather, weigh, add up.
    std::optional<ValueId> passed(const Op& op, const Edges& edges, ValueId rows, int dim, Value result)
    {
        const auto rank = static_cast<int>(m_p[rows].sizes.size());
        if (rank < 1 || m_p[rows].sizes.size() != result.sizes.size())
            return {};
        const std::optional<ValueId> sum = zeros(op, result);
        if (!sum)
            return {};
        ValueId weights = edges.weights;
        std::vector<Dim> behind{edges.count};
        for (int d = dim + 1; d < rank; ++d) {
            behind.push_back({1, {}});
            weights = m_rewriter->emitNew(op, "aten::unsqueeze", "", {{"self", {weights}}, {"dim", whole(-1)}}, like(weights, behind));
        }
        const ValueId neighbours = gathered(op, rows, dim, edges.sources, edges.count);
        const ValueId messages = m_rewriter->emitNew(op, "aten::mul", "Tensor", {{"self", {neighbours}}, {"other", {weights}}}, m_p[neighbours]);
        return m_rewriter->emitNew(op, "aten::index_add", "",
                                   {{"self", {*sum}}, {"dim", whole(dim)}, {"index", {edges.targets}}, {"source", {messages}}}, result);
    }

    std::optional<ValueId> rowsOf(const Op& op, const Edges& edges, ValueId rows)
    {
        return passed(op, edges, rows, std::max(static_cast<int>(m_p[rows].sizes.size()) - 2, 0), m_p[op.outputs.front()]);
    }

    // vw,bwf->bvf: one index of a matrix is summed over, the other takes its place.
    bool lowerEinsum(const Op& op)
    {
        const std::optional<Einsum> equation = einsumOf(m_p, op);
        const std::vector<ValueId> operands = OpView(m_p, op).values("tensors");
        if (!equation || operands.size() != 2)
            return false;
        const auto& [subscripts, result] = *equation;
        for (const std::size_t m : {0, 1}) {
            const Edges* edges = edgesOf(operands[m], op);
            const std::string &pair = subscripts[m], &rows = subscripts[1 - m];
            if (edges == nullptr || isMatrix(operands[1 - m], op) || pair.size() != 2 || pair[0] == pair[1] ||
                m_p[op.outputs.front()].sizes.size() != result.size())
                continue;
            const bool sumsColumns = rows.find(pair[1]) != std::string::npos;
            const char summed = pair[sumsColumns ? 1 : 0], kept = pair[sumsColumns ? 0 : 1];
            const std::size_t dim = rows.find(summed);
            if (dim == std::string::npos || rows.find(kept) != std::string::npos || result.find(summed) != std::string::npos)
                continue;
            std::string passedAs = rows;
            passedAs[dim] = kept;
            std::string inOrder = passedAs, wanted = result;
            std::ranges::sort(inOrder);
            std::ranges::sort(wanted);
            if (inOrder != wanted || std::ranges::adjacent_find(inOrder) != inOrder.end())
                continue;
            std::vector<Argument> dims;
            Value value = m_p[op.outputs.front()];
            const std::vector<Dim> sizes = value.sizes;
            for (std::size_t d = 0; d < result.size(); ++d) {
                dims.push_back(whole(static_cast<std::int64_t>(passedAs.find(result[d]))));
                value.sizes[passedAs.find(result[d])] = sizes[d];
            }
            const auto product =
                passed(op, sumsColumns ? *edges : reversed(*edges), m_rewriter->resolved(operands[1 - m]), static_cast<int>(dim), value);
            if (!product)
                return false;
            if (passedAs == result)
                m_rewriter->replace(op.outputs.front(), *product);
            else
                emitLast(op, "aten::permute", "", {{"self", {*product}}, {"dims", {dims}}});
            return true;
        }
        return false;
    }

    bool lowerSumWithProduct(const Op& op)
    {
        const OpView view(m_p, op);
        const ValueId self = view.value("self"), left = first(view, {"mat1", "sparse"}), right = first(view, {"mat2", "dense"});
        const Edges* edges = left.valid() ? edgesOf(left, op) : nullptr;
        const auto isOne = [&](const char* name) {
            const Argument* argument = op.find(name);
            const std::int64_t* number = argument == nullptr ? nullptr : argument->asInt();
            const double* real = argument == nullptr ? nullptr : std::get_if<double>(&argument->value);
            return argument == nullptr || argument->isNone() || (number != nullptr && *number == 1) || (real != nullptr && *real == 1);
        };
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
        const int rank = view.rank("self");
        const std::optional<std::vector<int>> dims = view.dims("dim", rank);
        if (edges == nullptr || view.given("dtype") || !dims || dims->size() != 1 || dims->front() < rank - 2)
            return false;
        const Value result = m_p[op.outputs.front()];
        const Dim nodes = m_p[view.value("self")].sizes.back();
        const std::optional<ValueId> sum = zeros(op, vector(result.dtype, nodes));
        if (!sum)
            return false;
        const ValueId index = dims->front() == rank - 1 ? edges->targets : edges->sources;
        ValueId total =
            m_rewriter->emitNew(op, "aten::index_add", "", {{"self", {*sum}}, {"dim", whole(0)}, {"index", {index}}, {"source", {edges->weights}}},
                                vector(result.dtype, nodes));
        // The other dimensions of the result are 1.
        std::vector<Dim> sizes{nodes};
        const auto insert = [&](std::size_t at) {
            sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(at), Dim{1, {}});
            total = m_rewriter->emitNew(op, "aten::unsqueeze", "", {{"self", {total}}, {"dim", whole(static_cast<std::int64_t>(at))}},
                                        like(total, sizes));
        };
        for (std::size_t d = 0; d < result.sizes.size(); ++d)
            if (result.sizes[d].isOne() && result.sizes.size() > 1)
                insert(d);
        m_rewriter->replace(op.outputs.front(), total);
        return true;
    }

    bool isNumber(ValueId value) const
    {
        return m_p[value].kind != ValueKind::Tensor || std::ranges::all_of(m_p[value].sizes, [](const Dim& size) { return size.isOne(); });
    }

    ValueId flattened(const Op& op, ValueId value, const Dim& count)
    {
        if (m_p[value].sizes.size() == 1)
            return value;
        return m_rewriter->emitNew(op, "aten::reshape", "", {{"self", {value}}, {"shape", {std::vector<Argument>{whole(-1)}}}}, like(value, {count}));
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
        const bool isLeft = self->asValue() != nullptr && edgesOf(*self->asValue(), op) != nullptr;
        const bool isRight = other->asValue() != nullptr && isMatrix(*other->asValue(), op);
        if (isLeft == isRight || (isRight && (op.target == "aten::div" || edgesOf(*other->asValue(), op) == nullptr)))
            return false;
        if (isRight && self->asValue() != nullptr && isMatrix(*self->asValue(), op))
            return false;
        const ValueId id = isLeft ? *self->asValue() : *other->asValue();
        Edges edges = *edgesOf(id, op);
        if (m_p[op.outputs.front()].dtype != m_p[edges.weights].dtype)
            return false;
        const Argument& by = isLeft ? *other : *self;
        Argument factor = by;
        if (const ValueId* value = by.asValue()) {
            const std::optional<ValueId> perEdge = factorOfEdges(op, m_rewriter->resolved(*value), edges, m_p[id].sizes);
            if (!perEdge)
                return false;
            factor = {*perEdge};
        }
        edges.weights = m_rewriter->emitNew(op, op.target, op.overload, {{"self", {edges.weights}}, {"other", factor}}, m_p[edges.weights]);
        m_edges[op.outputs.front()] = edges;
        return true;
    }

    // What a tensor that is broadcast over a matrix is at each of its edges.
    std::optional<ValueId> factorOfEdges(const Op& op, ValueId factor, const Edges& edges, std::vector<Dim> matrix)
    {
        const std::vector<Dim> sizes = m_p[factor].sizes;
        if (isNumber(factor))
            return m_p[factor].kind == ValueKind::Tensor && sizes.size() > 1 ? flattened(op, factor, Dim{1, {}}) : factor;
        if (sizes.size() > matrix.size())
            return {};
        const Dim nodes = matrix.back();
        const bool ofColumns = sizes.back() == nodes, ofRows = sizes.size() > 1 && sizes[sizes.size() - 2] == nodes;
        const bool isVector = std::ranges::count_if(sizes, [](const Dim& size) { return !size.isOne(); }) == 1;
        if (!isVector || ofColumns == ofRows)
            return {};
        return gathered(op, flattened(op, factor, nodes), 0, ofColumns ? edges.sources : edges.targets, edges.count);
    }

    // A product with a diagonal matrix scales columns or rows.
    std::optional<Edges> scaledByDiagonal(const Op& op, const Edges& left, const Edges& right)
    {
        if (!left.isDiagonal && !right.isDiagonal)
            return {};
        Edges edges = right.isDiagonal ? left : right;
        const Edges& diagonal = right.isDiagonal ? right : left;
        const ValueId factor = gathered(op, diagonal.weights, 0, right.isDiagonal ? edges.sources : edges.targets, edges.count);
        edges.weights = m_rewriter->emitNew(op, "aten::mul", "Tensor", {{"self", {edges.weights}}, {"other", {factor}}}, m_p[edges.weights]);
        return edges;
    }

    // The edges of one after those of the other.
    bool lowerAddition(const Op& op)
    {
        const OpView view(m_p, op);
        const ValueId a = view.value("self"), b = view.value("other");
        const Argument* alpha = op.find("alpha");
        if (!a.valid() || !b.valid() || (alpha != nullptr && !alpha->isNone() && (alpha->asInt() == nullptr || *alpha->asInt() != 1)))
            return false;
        const Edges* left = matrix(a, op);
        const Edges* right = matrix(b, op);
        if (left == nullptr || right == nullptr || m_p[left->weights].dtype != m_p[right->weights].dtype)
            return false;
        m_edges[op.outputs.front()] = joined(op, *left, *right);
        return true;
    }

    Edges joined(const Op& op, const Edges& left, const Edges& right)
    {
        Edges all;
        all.count = sumOf(left.count, right.count);
        all.matrix = left.matrix.empty() ? right.matrix : left.matrix;
        const auto cat = [&](ValueId x, ValueId y) {
            return m_rewriter->emitNew(op, "aten::cat", "", {{"tensors", {std::vector<Argument>{{x}, {y}}}}, {"dim", whole(0)}},
                                       like(x, {all.count}));
        };
        all.sources = cat(left.sources, right.sources);
        all.targets = cat(left.targets, right.targets);
        all.weights = cat(left.weights, right.weights);
        return all;
    }

    static Dim sumOf(const Dim& a, const Dim& b)
    {
        std::vector<std::string> parts;
        for (const Dim& dim : {a, b}) {
            const auto [name, terms] = sizeParts(toString(dim));
            if (name == "Add")
                parts.insert(parts.end(), terms.begin(), terms.end());
            else
                parts.push_back(toString(dim));
        }
        std::ranges::sort(parts);
        return {0, "Add(" + join(parts, ", ") + ")"};
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
        const Argument size = m_rewriter->sizeArgument(nodes, op);
        if (size.isNone())
            return false;
        Value mask = vector(DType::Bool, old.count);
        const ValueId isOther = m_rewriter->emitNew(op, "aten::ne", "Tensor", {{"self", {old.sources}}, {"other", {old.targets}}}, mask);
        Edges others = old;
        others.weights = m_rewriter->emitNew(op, "aten::mul", "Tensor", {{"self", {old.weights}}, {"other", {isOther}}}, m_p[old.weights]);
        Edges loops;
        loops.count = nodes;
        loops.sources = loops.targets = indices[0];
        const ValueId ones = m_rewriter->emitNew(op, "aten::ones", "", {{"size", {std::vector<Argument>{size}}}, {"dtype", {matrix.dtype}}},
                                                 vector(matrix.dtype, nodes));
        Argument value = *values;
        if (tensor != nullptr) {
            const ValueId number = m_rewriter->resolved(*tensor);
            value = {m_p[number].sizes.size() > 1 ? flattened(op, number, Dim{1, {}}) : number};
        }
        loops.weights =
            m_rewriter->emitNew(op, "aten::mul", tensor != nullptr ? "Tensor" : "Scalar", {{"self", {ones}}, {"other", value}}, m_p[ones]);
        m_edges[op.outputs.front()] = joined(op, others, loops);
        return true;
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
    std::optional<Rewriter> m_rewriter;
    std::optional<PairScores> m_pairs;
    std::map<ValueId, Source> m_read;   // matrices among the inputs
    std::map<ValueId, Edges> m_edges;   // values that are matrices
    std::map<ValueId, Op> m_identities; // not emitted: nothing but matrices has read them
};

}  // namespace

bool isSquareOfNodes(const Value& value)
{
    const std::size_t rank = value.sizes.size();
    return value.kind == ValueKind::Tensor && isFloating(value.dtype) && (rank == 2 || (rank == 3 && value.sizes[0].isOne())) &&
           !value.sizes[rank - 1].isConstant() && value.sizes[rank - 1] == value.sizes[rank - 2];
}

int lowerAdjacencies(Program& program)
{
    return Lowering(program).run();
}

}  // namespace cleave
