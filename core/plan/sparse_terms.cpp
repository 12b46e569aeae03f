#include "core/plan/sparse_terms.h"

#include <algorithm>
#include <map>

#include "core/plan/edge_arithmetic.h"

namespace cleave {

namespace {

class Search {
public:
    Search(const Analysis& analysis, const CutFunction& function, const EdgeFusion& fusion)
        : m_a(analysis), m_p(analysis.program), m_f(function), m_fusion(fusion)
    {
        for (std::size_t i = 0; i < m_f.steps.size(); ++i)
            for (const StepOperand& operand : m_f.steps[i].operands)
                note(operand, i);
        for (const StepOperand& result : m_f.results)
            note(result, m_f.steps.size());
    }

    std::vector<SparseTerm> run()
    {
        std::vector<SparseTerm> terms;
        // Of one edge set, most nodes have edges.
        if (m_f.segments().size() < 2)
            return terms;
        for (std::size_t i = 0; i < m_fusion.programs.size(); ++i)
            if (auto term = termOf(m_fusion.programs[i])) {
                term->program = i;
                terms.push_back(std::move(*term));
            }
        // What is summed in place has no other reader, and no other term of the same sum.
        for (std::size_t i = 0; i < terms.size(); ++i)
            if (std::ranges::any_of(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(i),
                                    [&](const SparseTerm& t) { return t.sum == terms[i].sum; }))
                terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i--));
        for (SparseTerm& term : terms)
            term.ownsOther = isOwned(term.other, terms);
        return terms;
    }

    std::optional<OwnSum> ownSum(const std::set<ValueId>& tensors) const
    {
        if (m_fusion.programs.size() != 1)
            return {};
        const FusedEdges& fused = m_fusion.programs.front();
        const EdgeProgram& program = fused.program;
        const EdgeResult& result = program.results.front();
        if (!isIntoTargets(m_f, fused.frame) || (result.reduce != Reduce::Sum && result.reduce != Reduce::Mean) ||
            result.value >= static_cast<int>(fused.operands.size()))
            return {};
        const auto operand = static_cast<std::size_t>(result.value);
        const FusedOperand& rows = fused.operands[operand];
        const auto isElsewhere = [&](const EdgeInstruction& i) { return i.x.value == result.value || i.y.value == result.value; };
        if (rows.row != EdgeRow::Source || rows.rows.kind != OperandKind::StoredWhole || rows.index.kind != OperandKind::Slice ||
            !tensors.contains(rows.rows.value) || result.weights == result.value || std::ranges::any_of(program.code, isElsewhere))
            return {};
        // Everything else that edges read lies there for all of them.
        for (std::size_t i = 0; i < fused.operands.size(); ++i)
            if (i != operand && (fused.operands[i].rows.kind == OperandKind::Step ||
                                 (fused.operands[i].row == EdgeRow::Source && fused.operands[i].index.kind != OperandKind::Slice)))
                return {};
        std::optional<SparseTerm> term = termOf(fused);
        const bool hasProduct = term.has_value();
        if (!term)
            term = termWithoutProduct(fused);
        if (!term || m_f.steps[term->sum].frame != 0 || m_f.steps[term->sum].kind != StepKind::Call)
            return {};
        return OwnSum{std::move(*term), hasProduct, operand, rows.rows.value};
    }

private:
    // Results of steps, by frame; rows of them that a narrower frame reads count as well.
    void note(const StepOperand& operand, std::size_t reader)
    {
        m_readers[{operand.value, operand.from >= 0 ? operand.from : operand.frame}].push_back(reader);
        if (operand.from >= 0)
            m_readers[{operand.value, operand.frame}].push_back(reader);
    }

    std::optional<std::size_t> onlyReader(ValueId value, int frame) const
    {
        const auto readers = m_readers.find({value, frame});
        const bool one = readers != m_readers.end() && readers->second.size() == 1 && readers->second.front() < m_f.steps.size();
        return one && m_f.steps[readers->second.front()].frame == frame ? std::optional(readers->second.front()) : std::nullopt;
    }

    const StepOperand* argument(const Step& step, std::string_view name) const { return operandOf(m_p, step, name); }

    bool isConstant(const StepOperand* operand, std::size_t rank) const
    {
        return operand && operand->kind == OperandKind::Whole && m_a.values[operand->value].reach == Reach::Constant &&
               m_p[operand->value].kind == ValueKind::Tensor && m_p[operand->value].sizes.size() == rank;
    }

    // A number for each row, or for each entry of it.
    bool isScale(const Step& step, ValueId rows) const
    {
        const Op& op = m_p[step.op];
        if ((op.target != "aten::mul" && op.target != "aten::div") || op.overload != "Tensor")
            return false;
        const StepOperand *self = argument(step, "self"), *other = argument(step, "other");
        if (!self || !other || (self->value != rows && op.target == "aten::div"))
            return false;
        const StepOperand& scale = self->value == rows ? *other : *self;
        return m_a.values[scale.value].reach == Reach::Structure && scale.rowDim == 0 && m_p[scale.value].sizes.size() == 2 &&
               scale.frame == step.frame && (scale.kind == OperandKind::Step || scale.kind == OperandKind::Slice) &&
               m_p[scale.value].dtype == m_p[rows].dtype;
    }

    // What is reduced and scaled, and its only reader.
    struct Scaled {
        SparseTerm term;
        ValueId value;
        std::optional<std::size_t> reader;
    };

    std::optional<Scaled> scaled(const FusedEdges& fused) const
    {
        const EdgeResult& result = fused.program.results.front();
        if (fused.results.size() != 1 || fused.self || result.fromInitial || result.empty != 0 || fused.dtype == DType::BFloat16)
            return {};
        ValueId value = fused.results.front().value;
        const int frame = fused.results.front().frame;
        if (m_p[value].sizes.size() != 2)
            return {};
        SparseTerm term;
        auto reader = onlyReader(value, frame);
        while (reader && isScale(m_f.steps[*reader], value)) {
            term.scales.push_back(*reader);
            value = m_p[m_f.steps[*reader].op].outputs.front();
            reader = onlyReader(value, frame);
        }
        return Scaled{std::move(term), value, reader};
    }

    std::optional<SparseTerm> termOf(const FusedEdges& fused) const
    {
        auto made = scaled(fused);
        if (!made || !made->reader || !isProduct(m_f.steps[*made->reader], made->value, made->term))
            return {};
        made->term.product = *made->reader;
        return summed(std::move(made->term), m_p[m_f.steps[*made->reader].op].outputs.front(), fused);
    }

    std::optional<SparseTerm> termWithoutProduct(const FusedEdges& fused) const
    {
        auto made = scaled(fused);
        return made ? summed(std::move(made->term), made->value, fused) : std::nullopt;
    }

    std::optional<SparseTerm> summed(SparseTerm term, ValueId value, const FusedEdges& fused) const
    {
        const auto reader = onlyReader(value, fused.results.front().frame);
        if (!reader || !isSum(m_f.steps[*reader], value, term))
            return {};
        term.sum = *reader;
        return term;
    }

    bool isProduct(const Step& step, ValueId rows, SparseTerm& term) const
    {
        const Op& op = m_p[step.op];
        const bool linear = op.target == "aten::linear";
        const StepOperand* input = argument(step, linear ? "input" : "self");
        const StepOperand* weight = argument(step, linear ? "weight" : op.target == "aten::mm" ? "mat2" : "other");
        if ((!linear && op.target != "aten::mm" && op.target != "aten::matmul") || !input || input->value != rows || !isConstant(weight, 2))
            return false;
        const StepOperand* bias = argument(step, "bias");
        if (bias && !isConstant(bias, 1))
            return false;
        term.weight = weight->value;
        term.bias = bias ? bias->value : ValueId{};
        return true;
    }

    bool isSum(const Step& step, ValueId rows, SparseTerm& term) const
    {
        const Op& op = m_p[step.op];
        const StepOperand *self = argument(step, "self"), *other = argument(step, "other");
        if (op.target != "aten::add" || !self || !other || self->value == other->value || !isNumberOr(op, "alpha", 1))
            return false;
        term.other = self->value == rows ? *other : *self;
        const Value &out = m_p[op.outputs.front()], &added = m_p[term.other.value];
        return term.other.rowDim == 0 && added.sizes == out.sizes && added.dtype == out.dtype && m_p[rows].sizes == out.sizes &&
               m_p[rows].dtype == out.dtype;
    }

    bool isOwned(const StepOperand& other, const std::vector<SparseTerm>& terms) const
    {
        if (other.kind != OperandKind::Step || !onlyReader(other.value, other.frame))
            return false;
        const OpId maker = m_p[other.value].producer;
        const bool isTerm =
            std::ranges::any_of(terms, [&](const SparseTerm& t) { return m_f.steps[t.sum].op == maker && m_f.steps[t.sum].frame == other.frame; });
        return isTerm || m_p[maker].target == "aten::add";
    }

    const Analysis& m_a;
    const Program& m_p;
    const CutFunction& m_f;
    const EdgeFusion& m_fusion;
    std::map<std::pair<ValueId, int>, std::vector<std::size_t>> m_readers;
};

}  // namespace

std::vector<SparseTerm> findSparseTerms(const Analysis& analysis, const CutFunction& function, const EdgeFusion& fusion)
{
    return Search(analysis, function, fusion).run();
}

std::optional<OwnSum> findOwnSum(const Analysis& analysis, const CutFunction& function, const EdgeFusion& fusion, const std::set<ValueId>& tensors)
{
    return Search(analysis, function, fusion).ownSum(tensors);
}

}  // namespace cleave
