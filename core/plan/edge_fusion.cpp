#include "core/plan/edge_fusion.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "core/analysis/message_passing.h"
#include "core/analysis/op_view.h"
#include "core/plan/edge_arithmetic.h"

namespace cleave {

namespace {

constexpr std::int64_t narrow = 16;  // entries: up to here, what several programs need is computed once

using Dims = std::vector<std::int64_t>;

std::int64_t product(const Dims& dims)
{
    std::int64_t all = 1;
    for (const std::int64_t d : dims)
        all *= d;
    return all;
}

// The dimensions after the first; nothing if one of them grows with the graph.
std::optional<Dims> rowDims(const Value& value)
{
    Dims dims;
    for (std::size_t d = 1; d < value.sizes.size(); ++d) {
        if (!value.sizes[d].isConstant() || value.sizes[d].value < 1)
            return {};
        dims.push_back(value.sizes[d].value);
    }
    return dims;
}

// How often each entry of a narrower row is repeated to meet a wider one; nothing if the two do not meet as (l / repeat) % cycle.
std::optional<std::int64_t> repeatOf(Dims from, const Dims& to)
{
    if (from.size() > to.size())
        return {};
    from.insert(from.begin(), to.size() - from.size(), 1);
    std::int64_t repeat = 1;
    enum { After, In, Before } where = After;
    for (std::size_t d = to.size(); d-- > 0;) {
        if (to[d] == 1) {
            if (from[d] != 1)
                return {};
            continue;
        }
        if (from[d] == to[d]) {
            if (where == Before)
                return {};
            where = In;
        } else if (from[d] != 1) {
            return {};
        } else if (where == After) {
            repeat *= to[d];
        } else {
            where = Before;
        }
    }
    return repeat;
}

struct Reduction {
    EdgeResult result;
    ValueId source;
    int edges = 0;  // frame
    bool addsSelf = false;
};

class Fusing {
public:
    Fusing(const Analysis& analysis, const CutFunction& function, Kernels kernels, const std::set<ValueId>& farRows)
        : m_a(analysis), m_p(analysis.program), m_f(function), m_kernels(kernels), m_farRows(farRows)
    {
        m_fusion.absorbed.resize(function.steps.size());
        for (std::size_t i = 0; i < function.steps.size(); ++i)
            for (const ValueId output : m_p[function.steps[i].op].outputs)
                if (function.steps[i].into == IndexInto::Nodes)
                    m_step[{output, function.steps[i].frame}] = i;
    }

    EdgeFusion run()
    {
        std::map<std::size_t, Reduction> reductions;
        for (std::size_t i = 0; i < m_f.steps.size() && m_kernels != Kernels::None; ++i)
            if (auto found = reduction(m_f.steps[i]))
                reductions[i] = *found;
        if (m_kernels == Kernels::All)
            absorb(reductions);
        findReadersOfFarRows();
        const std::set<int> shared = sharedSteps(reductions);
        for (const auto& [step, reduction] : reductions)
            build(step, reduction, shared);
        return std::move(m_fusion);
    }

private:
    const Step* stepOf(const StepOperand& operand) const
    {
        const auto found =
            operand.kind == OperandKind::Step && operand.into == IndexInto::Nodes ? m_step.find({operand.value, operand.frame}) : m_step.end();
        return found == m_step.end() ? nullptr : &m_f.steps[found->second];
    }

    const StepOperand* argument(const Step& step, std::string_view name) const { return operandOf(m_p, step, name); }

    const StepOperand* operandFor(const Step& step, ValueId value) const
    {
        const auto found = std::ranges::find(step.operands, value, &StepOperand::value);
        return found == step.operands.end() ? nullptr : &*found;
    }

    bool isEdges(int frame) const { return m_f.frames[static_cast<std::size_t>(frame)].kind == FrameKind::Edges; }

    static bool isReal(DType dtype) { return dtype == DType::Float32 || dtype == DType::Float64 || dtype == DType::BFloat16; }

    // Rows of edges, one after the other along the first dimension.
    bool isEdgeRows(const StepOperand& operand, int frame) const
    {
        return (operand.kind == OperandKind::Step || operand.kind == OperandKind::Slice) && operand.into == IndexInto::Nodes &&
               operand.frame == frame && operand.rowDim == 0 && rowDims(m_p[operand.value]).has_value();
    }

    bool hasPlainRows(ValueId value) const { return m_a.values[value].outer * m_a.values[value].inner == 1; }

    std::optional<Reduction> reduction(const Step& step) const
    {
        const Op& op = m_p[step.op];
        const auto form = step.kind == StepKind::Call ? scatterForm(m_p, step.op) : std::nullopt;
        if (!form || m_a.ops[step.op].kind != OpKind::Scatter || form->rowDim != 0 || step.entries != 1 || !form->sourceHasRows)
            return {};
        Reduction found;
        const auto frame = std::ranges::find_if(m_f.frames, [&](const Frame& f) {
            return f.kind == FrameKind::Edges && f.index == m_a.ops[step.op].index && f.parent == step.frame;
        });
        const StepOperand* source = operandFor(step, form->source);
        const Value &out = m_p[op.outputs.front()], &rows = m_p[form->source], &index = m_p[form->index];
        found.edges = static_cast<int>(frame - m_f.frames.begin());
        if (frame == m_f.frames.end() || !source || !isEdgeRows(*source, found.edges) || !isReal(out.dtype) || rows.dtype != out.dtype)
            return {};
        const auto dims = rowDims(rows);
        const bool byElement = op.target.starts_with("aten::scatter");
        if (!dims || dims != rowDims(out) || product(*dims) < 1 || (byElement && rowDims(index) != dims) || (!byElement && index.sizes.size() != 1))
            return {};
        found.source = form->source;
        const auto fill = filledWith(m_p, form->self);
        const auto reduce = reduceOf(op);
        if (!reduce)
            return {};
        found.result.reduce = *reduce;
        const bool includesSelf = OpView(m_p, op).flag("include_self", true);
        if (*reduce == Reduce::Sum) {
            found.addsSelf = fill != 0.0;
            // A sum that leaves out self keeps it for targets without edges.
            if (!includesSelf && fill != 0.0)
                return {};
        } else {
            if (!fill || (*reduce == Reduce::Mean && includesSelf))
                return {};
            found.result.fromInitial = includesSelf;
            found.result.initial = found.result.empty = *fill;
        }
        return found;
    }

    static std::optional<Reduce> reduceOf(const Op& op)
    {
        if (op.target == "aten::scatter_add" || (op.target == "aten::index_add" && isNumberOr(op, "alpha", 1)))
            return Reduce::Sum;
        if (op.target == "aten::index_put")
            return op.find("accumulate") && op.find("accumulate")->asBool() && *op.find("accumulate")->asBool() ? std::optional(Reduce::Sum)
                                                                                                                : std::nullopt;
        if ((op.target == "aten::scatter_reduce" || op.target == "aten::index_reduce") && op.find("reduce") && op.find("reduce")->asString())
            for (const auto& [name, reduce] : {std::pair{"sum", Reduce::Sum}, {"mean", Reduce::Mean}, {"amax", Reduce::Max}, {"amin", Reduce::Min}})
                if (*op.find("reduce")->asString() == name)
                    return reduce;
        return {};
    }

    // Steps that nothing but programs reads, from the last to the first.
    void absorb(const std::map<std::size_t, Reduction>& reductions)
    {
        std::set<std::pair<ValueId, int>> readElsewhere;
        const auto elsewhere = [&](const StepOperand& operand) {
            readElsewhere.insert({operand.value, operand.from >= 0 ? operand.from : operand.frame});
        };
        std::ranges::for_each(m_f.results, elsewhere);
        std::set<std::pair<ValueId, int>> read;
        for (std::size_t i = m_f.steps.size(); i-- > 0;) {
            const Step& step = m_f.steps[i];
            const std::pair made{m_p[step.op].outputs.front(), step.frame};
            const auto root = reductions.find(i);
            m_fusion.absorbed[i] =
                root == reductions.end() && read.contains(made) && !readElsewhere.contains(made) && isEdges(step.frame) && canAbsorb(step);
            for (const StepOperand& operand : step.operands)
                if (m_fusion.absorbed[i] || (root != reductions.end() && operand.value == root->second.source && operand.frame == root->second.edges))
                    read.insert({operand.value, operand.frame});
                else
                    elsewhere(operand);
        }
    }

    bool canAbsorb(const Step& step) const
    {
        const Op& op = m_p[step.op];
        if (step.kind != StepKind::Call || step.into != IndexInto::Nodes || op.outputs.size() != 1 || step.rowDims.front() != 0 || step.entries != 1)
            return false;
        const Value& out = m_p[op.outputs.front()];
        if (!isReal(out.dtype) || !rowDims(out))
            return false;
        return gather(step).has_value() || arithmetic(step) || isPlainView(step) || innerSum(step);
    }

    // Rows that a node has, read for each edge.
    std::optional<FusedOperand> gather(const Step& step) const
    {
        const auto form = gatherForm(m_p, step.op);
        if (!form || m_a.ops[step.op].kind != OpKind::Gather || form->sourceDim != 0 || form->rowDim != 0 || form->indexRowDim != 0 ||
            !hasPlainRows(form->source))
            return {};
        const ValueId root = m_a.ops[step.op].index;
        const Value &source = m_p[form->source], &out = m_p[m_p[step.op].outputs.front()];
        const std::string& target = m_p[step.op].target;
        const bool byElement = target == "aten::gather" || target == "aten::take_along_dim";
        if (m_p[root].sizes.size() != 1 || rowDims(source) != rowDims(out) || source.dtype != out.dtype ||
            (byElement ? rowDims(m_p[form->index]) != rowDims(source) : m_p[form->index].sizes.size() != 1))
            return {};
        const StepOperand* rows = operandFor(step, form->source);
        const Frame& frame = m_f.frames[static_cast<std::size_t>(step.frame)];
        if (!rows || rows->rowDim != 0 || rows->into != IndexInto::Nodes)
            return {};
        if (rows->kind == OperandKind::StoredWhole)
            return FusedOperand{
                EdgeRow::Source, *rows, {OperandKind::Slice, root, 0, step.frame, IndexInto::Nodes, -1, m_a.values[form->source].nodeType}};
        if (rows->kind != OperandKind::Step && rows->kind != OperandKind::Stored && rows->kind != OperandKind::Leading)
            return {};
        if (root == frame.index && rows->frame == frame.parent)
            return FusedOperand{EdgeRow::Target, *rows, {}};
        return FusedOperand{
            EdgeRow::Source, *rows, {OperandKind::LocalIndex, root, 0, step.frame, IndexInto::Nodes, -1, m_a.values[form->source].nodeType}};
    }

    std::optional<Dims> dimsOf(const StepOperand& operand, int frame, const Value& out) const
    {
        const Value& value = m_p[operand.value];
        if (value.dtype != out.dtype || value.kind != ValueKind::Tensor)
            return {};
        if (isEdgeRows(operand, frame))
            return value.sizes.size() == out.sizes.size() ? rowDims(value) : std::nullopt;
        if (operand.kind != OperandKind::Whole || m_a.values[operand.value].reach == Reach::Feature)
            return {};
        Dims dims;
        for (const Dim& size : value.sizes) {
            if (!size.isConstant())
                return {};
            dims.push_back(size.value);
        }
        if (dims.size() == out.sizes.size()) {
            if (dims.front() != 1)
                return {};
            dims.erase(dims.begin());
        }
        return dims.size() < out.sizes.size() ? std::optional(dims) : std::nullopt;
    }

    bool arithmetic(const Step& step) const
    {
        const auto steps = arithmeticOf(m_p[step.op]);
        const Value& out = m_p[m_p[step.op].outputs.front()];
        const auto meets = [&](std::string_view name) {
            const StepOperand* operand = argument(step, name);
            const auto dims = operand ? dimsOf(*operand, step.frame, out) : std::nullopt;
            return dims && repeatOf(*dims, *rowDims(out));
        };
        return steps && std::ranges::all_of(*steps, [&](const Arithmetic& a) { return meets(a.x) && (a.y.empty() || meets(a.y)); });
    }

    bool isPlainView(const Step& step) const
    {
        const Op& op = m_p[step.op];
        const StepOperand* self = argument(step, "self");
        if (!isView(op, {ViewKind::Whole, ViewKind::Reshape, ViewKind::Repeat}) || !self || !isEdgeRows(*self, step.frame) ||
            m_p[self->value].dtype != m_p[op.outputs.front()].dtype)
            return false;
        const auto from = rowDims(m_p[self->value]), to = rowDims(m_p[op.outputs.front()]);
        return from && to && (product(*from) == product(*to) || repeatOf(*from, *to));
    }

    // A sum or mean over the last dimensions.
    bool innerSum(const Step& step) const
    {
        const Op& op = m_p[step.op];
        if ((op.target != "aten::sum" && op.target != "aten::mean") || (op.find("dtype") && !op.find("dtype")->isNone()))
            return false;
        const StepOperand* self = argument(step, "self");
        if (!self || !isEdgeRows(*self, step.frame) || m_p[self->value].dtype != m_p[op.outputs.front()].dtype)
            return false;
        const int rank = static_cast<int>(m_p[self->value].sizes.size());
        auto dims = OpView(m_p, op).dims("dim", rank);
        if (!dims)
            return false;
        std::ranges::sort(*dims);
        for (std::size_t i = 0; i < dims->size(); ++i)
            if ((*dims)[i] != rank - static_cast<int>(dims->size() - i))
                return false;
        return dims->front() > 0;
    }

    // Narrow values that are computed by arithmetic in one program and needed in a later one.
    std::set<int> sharedSteps(const std::map<std::size_t, Reduction>& reductions) const
    {
        std::set<int> shared, earlier;
        for (const auto& [root, reduction] : reductions) {
            std::set<int> reached;
            const auto visit = [&](const auto& self, const StepOperand& operand) -> void {
                const Step* step = stepOf(operand);
                if (!step || !m_fusion.absorbed[indexOf(*step)])
                    return;
                const int i = static_cast<int>(indexOf(*step));
                if (isWorthKeeping(*step) && earlier.contains(i)) {
                    shared.insert(i);
                    return;
                }
                if (reached.insert(i).second)
                    for (const StepOperand& next : step->operands)
                        self(self, next);
            };
            visit(visit, *operandFor(m_f.steps[root], reduction.source));
            earlier.insert(reached.begin(), reached.end());
        }
        return shared;
    }

    bool isWorthKeeping(const Step& step) const
    {
        const Value& out = m_p[m_p[step.op].outputs.front()];
        return !gather(step) && !isPlainView(step) && product(*rowDims(out)) <= narrow &&
               (m_farRows.empty() || out.dtype == DType::BFloat16 || readsFarRows(step));  // what is kept of bfloat16 is rounded
    }

    bool readsFarRows(const Step& step) const { return std::ranges::binary_search(m_readFarRows, indexOf(step)); }

    // Absorbed steps that are computed from far rows; operands come before their readers.
    void findReadersOfFarRows()
    {
        for (std::size_t i = 0; i < m_f.steps.size() && !m_farRows.empty(); ++i) {
            const auto rows = m_fusion.absorbed[i] ? gather(m_f.steps[i]) : std::nullopt;
            const bool reads =
                rows ? m_farRows.contains(rows->rows.value) : std::ranges::any_of(m_f.steps[i].operands, [&](const StepOperand& operand) {
                    const Step* from = stepOf(operand);
                    return from && readsFarRows(*from);
                });
            if (m_fusion.absorbed[i] && reads)
                m_readFarRows.push_back(i);
        }
    }

    void build(std::size_t step, const Reduction& reduction, const std::set<int>& shared)
    {
        FusedEdges fused;
        fused.step = step;
        fused.frame = reduction.edges;
        if (reduction.addsSelf)
            fused.self = *argument(m_f.steps[step], "self");
        fused.dtype = m_p[reduction.source].dtype;
        fused.results.push_back({OperandKind::Step, m_p[m_f.steps[step].op].outputs.front(), 0, m_f.steps[step].frame});
        Building building{fused, shared, {}, {}, {}};
        EdgeResult result = reduction.result;
        const StepOperand& source = *operandFor(m_f.steps[step], reduction.source);
        if (!weighted(source, building, result))
            result.value = valueOf(source, building);
        finish(building, result);
        m_fusion.programs.push_back(std::move(fused));
    }

    // Operands are numbered before instructions, which is known only when all are there: until then instructions count from `later`.
    struct Building {
        FusedEdges& fused;
        const std::set<int>& shared;
        std::map<std::pair<ValueId, int>, int> known;  // by operand value and row
        std::map<std::size_t, int> steps;
        std::vector<std::pair<std::size_t, int>> made;  // shared steps and their values
    };
    static constexpr int later = 1 << 20;

    // Rows that are read at an index and multiplied by narrow numbers are not even made in a tile.
    bool weighted(const StepOperand& source, Building& b, EdgeResult& result)
    {
        const Step* product = stepOf(source);
        while (product && m_fusion.absorbed[indexOf(*product)] && isPlainView(*product) && isSameWidth(*product))
            product = stepOf(*argument(*product, "self"));
        if (!product || !m_fusion.absorbed[indexOf(*product)] || m_p[product->op].target != "aten::mul" ||
            b.shared.contains(static_cast<int>(indexOf(*product))))
            return false;
        const StepOperand *x = argument(*product, "self"), *y = argument(*product, "other");
        if (!x || !y)
            return false;
        const Value& out = m_p[m_p[product->op].outputs.front()];
        const std::int64_t width = cleave::product(*rowDims(out));
        for (int side = 0; side < 2; ++side, std::swap(x, y)) {
            const auto rows = dimsOf(*x, product->frame, out), weights = dimsOf(*y, product->frame, out);
            const std::int64_t heads = cleave::product(*weights);
            if (cleave::product(*rows) != width || heads >= width || repeatOf(*weights, *rowDims(out)) != width / heads ||
                !isEdgeRows(*y, product->frame))
                continue;
            const Step* gathered = stepOf(*x);
            while (gathered && m_fusion.absorbed[indexOf(*gathered)] && isPlainView(*gathered) && isSameWidth(*gathered))
                gathered = stepOf(*argument(*gathered, "self"));
            const auto operand = gathered && m_fusion.absorbed[indexOf(*gathered)] ? gather(*gathered) : std::nullopt;
            const bool stored = x->kind == OperandKind::Slice || !stepOf(*x) || !m_fusion.absorbed[indexOf(*stepOf(*x))];
            if ((!operand || operand->row != EdgeRow::Source) && !stored)
                continue;
            result.value = valueOf(*x, b);
            result.weights = valueOf(*y, b);
            return true;
        }
        return false;
    }

    std::size_t indexOf(const Step& step) const { return static_cast<std::size_t>(&step - m_f.steps.data()); }

    bool isSameWidth(const Step& view) const
    {
        return product(*rowDims(m_p[argument(view, "self")->value])) == product(*rowDims(m_p[m_p[view.op].outputs.front()]));
    }

    int add(Building& b, const FusedOperand& operand, std::int64_t width)
    {
        const auto [known, fresh] = b.known.try_emplace({operand.rows.value, static_cast<int>(operand.row) + 8 * operand.index.value.index}, 0);
        if (fresh) {
            known->second = static_cast<int>(b.fused.operands.size());
            b.fused.operands.push_back(operand);
            b.fused.program.operands.push_back({operand.row, width});
        }
        return known->second;
    }

    int emit(Building& b, const EdgeInstruction& instruction)
    {
        b.fused.program.code.push_back(instruction);
        return later + static_cast<int>(b.fused.program.code.size()) - 1;
    }

    // The value of edge rows, or of what is the same for all edges.
    int valueOf(const StepOperand& operand, Building& b)
    {
        const Step* step = stepOf(operand);
        if (operand.kind == OperandKind::Whole)
            return add(b, {EdgeRow::Same, operand, {}}, wholeWidth(operand.value));
        const std::int64_t width = product(*rowDims(m_p[operand.value]));
        if (!step || !m_fusion.absorbed[indexOf(*step)] || m_made.contains(indexOf(*step)))
            return add(b, {EdgeRow::Edge, operand, {}}, width);
        if (const auto known = b.steps.find(indexOf(*step)); known != b.steps.end())
            return known->second;
        const int value = stepValue(*step, b, width);
        b.steps[indexOf(*step)] = value;
        if (b.shared.contains(static_cast<int>(indexOf(*step))))
            b.made.emplace_back(indexOf(*step), value);
        return value;
    }

    std::int64_t wholeWidth(ValueId value) const
    {
        std::int64_t width = 1;
        for (const Dim& size : m_p[value].sizes)
            width *= size.value;
        return width;
    }

    int stepValue(const Step& step, Building& b, std::int64_t width)
    {
        if (const auto rows = gather(step))
            return add(b, *rows, width);
        if (isPlainView(step)) {
            const int value = valueOf(*argument(step, "self"), b);
            const auto from = *rowDims(m_p[argument(step, "self")->value]), to = *rowDims(m_p[m_p[step.op].outputs.front()]);
            return product(from) == product(to) ? value : emit(b, {EdgeCode::MultiplyNumber, {value, *repeatOf(from, to)}, {}, 1, width});
        }
        if (innerSum(step)) {
            const int value = valueOf(*argument(step, "self"), b);
            const int sum = emit(b, {EdgeCode::SumInner, {value}, {}, 0, width});
            const std::int64_t inner = product(*rowDims(m_p[argument(step, "self")->value])) / width;
            return m_p[step.op].target == "aten::sum" ? sum : emit(b, {EdgeCode::MultiplyNumber, {sum}, {}, 1 / static_cast<double>(inner), width});
        }
        const Value& out = m_p[m_p[step.op].outputs.front()];
        const auto term = [&](std::string_view name) -> EdgeTerm {
            const StepOperand& operand = *argument(step, name);
            return {valueOf(operand, b), *repeatOf(*dimsOf(operand, step.frame, out), *rowDims(out))};
        };
        const auto parts = *arithmeticOf(m_p[step.op]);
        int value = -1;
        for (const Arithmetic& a : parts) {
            const EdgeTerm x = value < 0 ? term(a.x) : EdgeTerm{value};
            const EdgeTerm y = a.y.empty() ? EdgeTerm{} : term(a.y);
            value = emit(b, {a.code, x, y, a.number, width});
        }
        if (isTimesItself(m_p[step.op]))
            value = emit(b, {EdgeCode::Multiply, term("self"), {value}, 0, width});
        return value;
    }

    void finish(Building& b, EdgeResult result)
    {
        EdgeProgram& program = b.fused.program;
        const int operands = static_cast<int>(program.operands.size());
        const auto number = [&](int& value) {
            if (value >= later)
                value += operands - later;
        };
        for (EdgeInstruction& instruction : program.code) {
            number(instruction.x.value);
            number(instruction.y.value);
        }
        number(result.value);
        number(result.weights);
        program.results.push_back(result);
        for (auto& [step, value] : b.made) {
            number(value);
            program.results.push_back({false, Reduce::Sum, value});
            b.fused.results.push_back({OperandKind::Step, m_p[m_f.steps[step].op].outputs.front(), 0, m_f.steps[step].frame});
            m_made.insert(step);
        }
        program.check();
    }

    const Analysis& m_a;
    const Program& m_p;
    const CutFunction& m_f;
    const Kernels m_kernels;
    const std::set<ValueId>& m_farRows;
    std::vector<std::size_t> m_readFarRows;                 // ascending
    std::map<std::pair<ValueId, int>, std::size_t> m_step;  // that makes a value in a frame
    std::set<std::size_t> m_made;                           // absorbed steps whose rows an earlier program gives
    EdgeFusion m_fusion;
};

}  // namespace

EdgeFusion fuseEdges(const Analysis& analysis, const CutFunction& function, Kernels kernels, const std::set<ValueId>& farRows)
{
    return Fusing(analysis, function, kernels, farRows).run();
}

std::vector<bool> liveSteps(const Program& program, const CutFunction& function, const EdgeFusion& fusion)
{
    std::vector<bool> live(function.steps.size());
    std::set<std::tuple<ValueId, int, IndexInto>> read;
    const auto reads = [&](const StepOperand& operand) {
        read.insert({operand.value, operand.from >= 0 ? operand.from : operand.frame, operand.into});
    };
    std::ranges::for_each(function.results, reads);
    auto fused = fusion.programs.rbegin();
    for (std::size_t i = function.steps.size(); i-- > 0;) {
        const Step& step = function.steps[i];
        if (fused != fusion.programs.rend() && fused->step == i) {
            for (const FusedOperand& operand : fused->operands)
                reads(operand.rows);
            if (fused->self)
                reads(*fused->self);
            ++fused;
        } else if (!fusion.absorbed[i]) {
            live[i] = std::ranges::any_of(program[step.op].outputs, [&](ValueId output) { return read.contains({output, step.frame, step.into}); });
            if (live[i])
                std::ranges::for_each(step.operands, reads);
        }
    }
    return live;
}

}  // namespace cleave
