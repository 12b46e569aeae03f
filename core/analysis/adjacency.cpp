#include "core/analysis/adjacency.h"

#include <algorithm>
#include <set>

#include "core/analysis/adjacency_lowering.h"
#include "core/analysis/dims.h"
#include "core/analysis/passes.h"
#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

namespace {

// 1 - x, as decomposed programs write it.
void writeDifferencesAsTraced(Program& program)
{
    for (Op& op : program.ops) {
        const Argument *self = op.find("self"), *other = op.find("other");
        const bool isOfNumber = op.target == "aten::sub" && self != nullptr && other != nullptr && self->asValue() == nullptr &&
                                other->asValue() != nullptr && !op.find("alpha") && program[*other->asValue()].kind == ValueKind::Tensor;
        if (isOfNumber) {
            const Argument number = *self, tensor = *other;
            op.target = "aten::rsub";
            op.overload = "Scalar";
            op.args = {{"self", tensor}, {"other", number}};
        }
    }
}

}  // namespace

LoweredMatrices AdjacencyLowering::run()
{
    std::vector<Input> inputs;
    std::vector<std::pair<ValueId, std::string>> matrices;
    for (const Input& input : m_p.inputs)
        if (input.role == Role::GraphStructure && isSquareOfNodes(m_p[input.value]) && !input.parameter.valid())
            matrices.emplace_back(input.value, m_p[input.value].name);
    if (matrices.empty() && !m_ofOwn)
        return {};
    writeDifferencesAsTraced(m_p);
    dropDeadOps(m_p);  // such as the weights of attention beside what they gave
    for (const Input& input : m_p.inputs)
        if (const auto matrix = std::ranges::find(matrices, input.value, &std::pair<ValueId, std::string>::first); matrix == matrices.end())
            inputs.push_back(input);
        else
            addInputs(*matrix, matrices.size() > 1, inputs);
    m_p.inputs = std::move(inputs);
    m_rewriter.emplace(m_p);
    m_algebra.emplace(m_p, *m_rewriter);
    m_pairs.emplace(m_p, *m_rewriter, *m_algebra, [this](ValueId value) { emitKept(value); });
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

void AdjacencyLowering::addInputs(const std::pair<ValueId, std::string>& matrix, bool areSeveral, std::vector<Input>& inputs)
{
    const auto [id, name] = matrix;
    const Value old = m_p[id];
    const auto isTaken = [&, self = id](const std::string& wanted) {
        return std::ranges::any_of(m_p.inputs, [&](const Input& input) { return input.value != self && m_p[input.value].name == wanted; });
    };
    const std::string stem = areSeveral || isTaken("edge_index") || isTaken("edge_weight") ? name + "_" : "";
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
        if (isTaken(value.name))
            throw Error("The model takes both the adjacency matrix '" + printable(name) + "' and '" + value.name +
                        "', as its edges are called: give the second of these inputs another name.");
        inputs.push_back({ValueId{static_cast<int>(m_p.values.size())}, role, {}, name});
        m_p.values.push_back(value);
    }
    m_p.notes.push_back("Input '" + printable(name) +
                        "' is an adjacency matrix: entry [i, j] is the weight of the edges from node j to node i. The graph's " + index.name +
                        " and " + weights.name + " take its place, unless it has an array of that name; where there are no weights they are 1.");
    m_read[id] = {inputs[inputs.size() - 2].value, inputs.back().value, count, name};
}

void AdjacencyLowering::lower(Op& op)
{
    const ValueId output = op.outputs.empty() ? ValueId{} : op.outputs.front();
    if (output.valid() && isIdentity(op)) {
        m_identities[output] = op;  // emitted where it turns out to be nothing else
        return;
    }
    if (output.valid() && isFilled(op) && m_pairs->rows().defer(op))
        return;  // of a matrix that it is as large as it needs nothing else
    if (op.target == "aten::to_dense" && m_sparseSums.contains(OpView(m_p, op).value("self"))) {
        m_rewriter->replace(output, m_rewriter->resolved(OpView(m_p, op).value("self")));
        return;
    }
    if (m_ofOwn && output.valid() && (takeSparse(op) || takeEntries(op)))
        return;
    if (std::vector<Op> all = parts(op); !all.empty()) {
        for (Op& part : all)
            lower(part);
        return;
    }
    // A diagonal matrix scales rows.
    const ValueId left = m_ofOwn && (op.target == "aten::mm" || op.target == "aten::matmul") ? OpView(m_p, op).value("self") : ValueId{};
    if (identityOf(left) != nullptr && matrix(left, op) != nullptr)
        ++m_own;
    if (m_ofOwn && op.target == "aten::mul")
        for (const auto& [diagonal, by] : {std::pair("self", "other"), std::pair("other", "self")})
            if (const ValueId side = OpView(m_p, op).value(diagonal), rows = OpView(m_p, op).value(by);
                rows.valid() && identityOf(side) != nullptr && !m_identities.contains(rows) && !isMatrix(rows, op) &&
                std::ranges::any_of(m_p[rows].sizes, [](const Dim& dim) { return !dim.isConstant(); }) && matrix(side, op) != nullptr)
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
                "The model cannot be cut exactly: op '" + printable(op.name) + "' (" + op.target + ") reads the adjacency matrix '" + matrixOf(op) +
                "' in a way that is no message passing. A matrix can be multiplied with rows of nodes, transposed, scaled by numbers, rows or columns, added to an "
                "identity, its rows and columns summed, its entries changed where this leaves 0 as it is, and attention be masked by it; for anything else give the model edge_index.");
        return;
    }
    if (m_pairs->rows().defer(op))
        return;
    forEachOperand(op, [&](ValueId operand) { emitKept(operand); });
    m_rewriter->resolveOperands(op);
    m_rewriter->emit(std::move(op));
}

std::string AdjacencyLowering::matrixOf(const Op& op)
{
    std::string name;
    forEachOperand(op, [&](ValueId operand) {
        if (const MatrixEdges* edges = edgesOf(operand, op); edges != nullptr && name.empty())
            name = edges->matrix;
    });
    return printable(name.empty() ? m_pairs->matrixOf(op) : name);
}

void AdjacencyLowering::emitKept(ValueId value)
{
    m_pairs->rows().emit(value);
    const auto found = m_identities.find(value);
    if (found == m_identities.end())
        return;
    Op op = std::move(found->second);
    m_identities.erase(found);
    forEachOperand(op, [&](ValueId operand) { emitKept(operand); });
    m_rewriter->resolveOperands(op);
    m_rewriter->emit(std::move(op));
}

bool isSquareOfNodes(const Value& value)
{
    const std::size_t rank = value.sizes.size();
    return value.kind == ValueKind::Tensor && isFloating(value.dtype) && (rank == 2 || (rank == 3 && value.sizes[0].isOne())) &&
           !value.sizes[rank - 1].isConstant() && value.sizes[rank - 1] == value.sizes[rank - 2];
}

LoweredMatrices lowerAdjacencies(Program& program, bool ofOwn)
{
    static const std::set<std::string_view> makers{"aten::index_put", "aten::sparse_coo_tensor", "aten::diag", "aten::diag_embed", "aten::diagflat"};
    const auto makes = [&](const Op& op) {
        return makers.contains(op.target) && !op.outputs.empty() && isSquareOfNodes(program[op.outputs.front()]);
    };
    if (ofOwn && std::ranges::any_of(program.ops, makes)) {
        Program lowered = program;
        try {
            const LoweredMatrices matrices = AdjacencyLowering(lowered, true).run();
            program = std::move(lowered);
            return matrices;
        } catch (const Error&) {
            // As it is, all of such a matrix is kept.
        }
    }
    return AdjacencyLowering(program, false).run();
}

}  // namespace cleave
