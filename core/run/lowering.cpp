#include "core/run/lowering.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <tuple>

#include "core/base/error.h"
#include "core/base/pages.h"
#include "core/plan/sparse_terms.h"
#include "core/run/lowered_graph.h"
#include "core/run/op_lowering.h"
#include "core/run/read_by_sources.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

namespace jit = torch::jit;

// Zero times what is not is no longer zero: sums and products by it do not change places.
bool isFinite(const c10::IValue& constant)
{
    const at::Tensor numbers = constant.toTensor().contiguous();
    if (numbers.scalar_type() != at::kFloat)
        return numbers.isfinite().all().item<bool>();
    const std::span<const float> all(numbers.data_ptr<float>(), static_cast<std::size_t>(numbers.numel()));
    return std::ranges::all_of(all, [](float number) { return std::isfinite(number); });
}

class FunctionLowering {
public:
    FunctionLowering(const Analysis& analysis, const CutFunction& function, const Constants& constants, const std::set<ValueId>& narrow)
        : m_a(analysis), m_f(function), m_constants(constants), m_narrow(narrow), m_graph(std::make_shared<jit::Graph>())
    {
    }

    // What gathers these values is run apart: it is left out here, or everything else that it does not need.
    void split(const std::set<ValueId>& values, bool gathers)
    {
        m_split = &values;
        m_gathers = gathers;
    }

    // Which outputs of the part that gathers the rest reads; they are taken in this order.
    struct GatheredRows {
        StepOperand rows;
        double empty;  // entries of targets without edges
    };
    const std::vector<GatheredRows>& gathered() const { return m_gathered; }
    void gatherOnly(const std::vector<GatheredRows>& outputs) { m_gathered = outputs; }
    bool canSplit() const { return m_canSplit; }

    // The part of a sum that is not reduced over edges, which becomes the only output; what the other part is scaled by; or everything behind the
    // sum, which is an input.
    enum class Side { Own, Scales, Rest };
    void take(Side side, const OwnSum& sum)
    {
        m_side = side;
        m_ownSum = &sum;
    }

    void runOn(c10::Device device) { m_device = device; }

    LoweredFunction run(const std::string& name, Kernels kernels)
    {
        if (m_ownSum)
            return runSide(name, kernels);
        const EdgeFusion fusion = fuseEdges(m_a, m_f, kernels, m_split ? *m_split : std::set<ValueId>{});
        std::map<std::size_t, std::vector<SparseTerm>> sums;  // by the step that adds the last of the terms
        std::set<std::size_t> later;  // steps that are run there
        for (const SparseTerm& term : m_device ? std::vector<SparseTerm>{} : findSparseTerms(m_a, m_f, fusion))
            if (isFinite(m_constants[term.weight]) && (!term.bias.valid() || isFinite(m_constants[term.bias]))) {
                later.insert(fusion.programs[term.program].step);
                later.insert(term.scales.begin(), term.scales.end());
                later.insert(term.product);
                sums[term.sum].push_back(term);
            }
        for (auto sum = sums.begin(); sum != sums.end();)
            sum = joined(sum, sums, later);
        m_canSplit = sums.empty() && std::ranges::any_of(fusion.programs, [&](const FusedEdges& fused) { return isApart(fused); });
        auto program = fusion.programs.begin();
        for (std::size_t i = 0; i < m_f.steps.size(); ++i) {
            const FusedEdges* fused = program != fusion.programs.end() && program->step == i ? &*program++ : nullptr;
            if (later.contains(i))
                continue;
            if (const auto sum = sums.find(i); sum != sums.end())
                add(sum->second, i, fusion);
            else if (fused)
                add(*fused);
            else if (!fusion.absorbed[i] && !(m_f.isGlobal && kernels != Kernels::None && addGlobal(m_f.steps[i])))
                add(m_f.steps[i]);
        }
        if (m_split && m_gathers)
            for (const GatheredRows& output : m_gathered)
                m_graph->registerOutput(m_reduced.at(key(output.rows)));
        else
            for (const StepOperand& result : m_f.results)
                m_graph->registerOutput(value(result));
        dropUnused();
        if (m_split && !m_gathers)
            numberGathered();
        return lowered(name);
    }

private:
    LoweredFunction lowered(const std::string& name)
    {
        multiplyFaster(*m_graph);
        if (pagesAreBound())
            gatherFromFiles(*m_graph, storedInputs());
        if (m_device)
            placeNewTensors(*m_graph, *m_device);
        std::vector<ReadBySources> readBySources = findReadBySources(*m_graph);
        return {std::move(m_inputs),    std::move(m_edgeOps),   std::move(m_relationSums),
                std::move(m_globalOps), Lowered(m_graph, name), std::move(readBySources)};
    }

    LoweredFunction runSide(const std::string& name, Kernels kernels)
    {
        const EdgeFusion fusion = fuseEdges(m_a, m_f, kernels, *m_split);
        const SparseTerm& term = m_ownSum->term;
        const auto sum = m_a.program[m_f.steps[term.sum].op].outputs.front();
        for (std::size_t i = 0; i < m_f.steps.size(); ++i) {
            if (i == term.sum && m_side != Side::Rest)
                break;
            if (i == term.sum) {
                m_values[key({OperandKind::Step, sum, -1, 0})] = addInput(*m_graph, ValueKind::Tensor);
                m_inputs.push_back({.gathered = 0});
            } else if ((i != term.product || !m_ownSum->hasProduct) && i != fusion.programs.front().step && !fusion.absorbed[i] &&
                       std::ranges::count(term.scales, i) == 0) {
                add(m_f.steps[i]);
            }
        }
        if (m_side == Side::Own)
            m_graph->registerOutput(value(term.other));
        else if (m_side == Side::Scales)
            for (const StepOperand& scale : scalesOf(term, fusion.programs.front()))
                m_graph->registerOutput(value(scale));
        else
            for (const StepOperand& result : m_f.results)
                m_graph->registerOutput(value(result));
        dropUnused();
        return lowered(name);
    }

    using Key = std::tuple<OperandKind, ValueId, int, int, IndexInto, int, int>;

    static Key key(const StepOperand& o)
    {
        // Whole values are the same in every frame.
        const bool whole = o.kind == OperandKind::Whole || o.kind == OperandKind::StoredWhole || o.kind == OperandKind::OfGraph;
        return {o.kind, o.value, o.kind == OperandKind::Step || whole ? -1 : o.rowDim, whole ? 0 : o.frame, o.into, o.from, o.ofType};
    }

    jit::Value* value(const StepOperand& operand)
    {
        const auto known = m_values.find(key(operand));
        if (known != m_values.end())
            return known->second;
        assert(operand.kind != OperandKind::Step && "a step must come after the steps it reads");
        jit::Value* added;
        if (operand.kind == OperandKind::Leading) {
            added = leading(operand);
        } else if (operand.kind == OperandKind::Numbered) {
            added = numbered(operand);
        } else if (operand.kind == OperandKind::Whole && m_a.values[operand.value].reach == Reach::Constant) {
            const c10::IValue& made = m_constants[operand.value];
            // Dense, so that the copy is done when this returns: what else a device would do for it comes in a stream of its own.
            added = constantAtStart(*m_graph, m_device && made.isTensor() ? c10::IValue(made.toTensor().contiguous().to(*m_device)) : made);
        } else {
            added = addInput(*m_graph, m_a.program[operand.value].kind);
            m_inputs.push_back({.operand = operand});
        }
        return m_values[key(operand)] = added;
    }

    // The nodes of a frame come first in every wider block; among several entries of a row, first in each of the outer parts.
    jit::Value* leading(const StepOperand& operand)
    {
        const ValueFacts& facts = m_a.values[operand.value];
        const StepOperand made{OperandKind::Step, operand.value, operand.rowDim, operand.from};
        jit::Value* block =
            m_values.contains(key(made)) ? m_values.at(key(made)) : value({OperandKind::Stored, operand.value, operand.rowDim, operand.from});
        jit::Value* dim = m_graph->insertConstant(operand.rowDim);
        jit::Value* count = times(rowCount(operand.frame), facts.inner);
        const auto first = [&](jit::Value* rows) {
            return m_graph->insert(c10::aten::narrow, {rows, dim, m_graph->insertConstant(0), count});
        };
        if (facts.outer == 1)
            return first(block);
        jit::Value* chunks = m_graph->insert(c10::aten::chunk, {block, m_graph->insertConstant(facts.outer), dim});
        jit::Node* unpacked = m_graph->insertNode(m_graph->createListUnpack(chunks, static_cast<std::size_t>(facts.outer)));
        std::vector<jit::Value*> parts;
        for (jit::Value* part : unpacked->outputs())
            parts.push_back(first(part));
        return m_graph->insert(c10::aten::cat, {m_graph->insertNode(m_graph->createList(c10::TensorType::get(), parts))->output(), dim});
    }

    jit::Value* numbered(const StepOperand& operand)
    {
        jit::Value* block = value({OperandKind::Step, operand.value, operand.rowDim, operand.from});
        jit::Value* numbers = addInput(*m_graph, ValueKind::Tensor);
        m_inputs.push_back({.numbersOf = operand.frame, .numbersType = operand.ofType});
        return m_graph->insert(c10::aten::index_select, {block, m_graph->insertConstant(operand.rowDim), numbers});
    }

    jit::Value* times(jit::Value* number, std::int64_t factor)
    {
        return factor == 1 ? number : m_graph->insert(c10::aten::mul, {number, m_graph->insertConstant(factor)});
    }

    jit::Value* rowCount(int frame)
    {
        const auto [known, fresh] = m_counts.try_emplace(frame, nullptr);
        if (fresh) {
            known->second = addInput(*m_graph, ValueKind::Int);
            m_inputs.push_back({.countOf = frame});
        }
        return known->second;
    }

    jit::Value* entryCount(const Step& step) { return times(rowCount(step.frame), step.entries); }

    // What only absorbed steps read: indices of each edge, tensors that results were put into.
    void dropUnused()
    {
        dropUnread(*m_graph);
        for (std::size_t i = m_inputs.size(); i-- > 0;)
            if (!m_graph->inputs()[i]->hasUses()) {
                m_graph->eraseInput(i);
                m_inputs.erase(m_inputs.begin() + static_cast<std::ptrdiff_t>(i));
            }
    }

    std::set<const jit::Value*> storedInputs() const
    {
        std::set<const jit::Value*> stored;
        for (std::size_t i = 0; i < m_inputs.size(); ++i)
            if (m_inputs[i].operand && m_inputs[i].operand->kind == OperandKind::StoredWhole)
                stored.insert(m_graph->inputs()[i]);
        return stored;
    }

    // Whether it reduces rows of the store that are to be run apart.
    bool isApart(const FusedEdges& fused) const
    {
        return m_split && isIntoTargets(m_f, fused.frame) && std::ranges::any_of(fused.operands, [&](const FusedOperand& operand) {
            return operand.row == EdgeRow::Source && operand.rows.kind == OperandKind::StoredWhole && operand.index.kind == OperandKind::Slice &&
                   m_split->contains(operand.rows.value);
        });
    }

    // What is left of the inputs that are gathered elsewhere.
    void numberGathered()
    {
        std::vector<GatheredRows> used;
        for (FunctionInput& in : m_inputs)
            if (in.gathered >= 0) {
                used.push_back(m_gathered[static_cast<std::size_t>(in.gathered)]);
                in.gathered = static_cast<int>(used.size()) - 1;
            }
        m_gathered = std::move(used);
    }

    void addGathered(const FusedEdges& fused)
    {
        for (std::size_t i = 0; i < fused.results.size(); ++i) {
            jit::Value* rows = addInput(*m_graph, ValueKind::Tensor);
            m_inputs.push_back({.gathered = static_cast<int>(m_gathered.size())});
            m_gathered.push_back({fused.results[i], fused.program.results[i].empty});
            m_gathered.back().rows.frame = fused.program.results[i].reduced ? 0 : fused.frame;
            m_values[key(fused.results[i])] = rows;
        }
        if (fused.self)
            m_values[key(fused.results.front())] = m_graph->insert(c10::aten::add, {value(*fused.self), m_values.at(key(fused.results.front()))});
    }

    void add(const FusedEdges& fused)
    {
        if (isApart(fused) && !m_gathers) {
            addGathered(fused);
            return;
        }
        auto op = std::make_unique<EdgeOp>(edgeOp(m_a.program, fused));
        const auto [operands, sources] = operandsOf(fused);
        jit::Value* list = insertEdgeOp(*m_graph, *op, beginOf(fused.frame), operands, sources);
        const auto results = m_graph->insertNode(m_graph->createListUnpack(list, fused.results.size()))->outputs();
        for (std::size_t i = 0; i < fused.results.size(); ++i) {
            StepOperand output = fused.results[i];
            m_values[key(output)] = results[i];
            output.frame = fused.program.results[i].reduced ? 0 : fused.frame;
            m_reduced[key(output)] = results[i];
        }
        if (fused.self)
            m_values[key(fused.results.front())] = m_graph->insert(c10::aten::add, {value(*fused.self), results.front()});
        m_edgeOps.push_back(std::move(op));
    }

    std::pair<std::vector<jit::Value*>, std::vector<jit::Value*>> operandsOf(const FusedEdges& fused)
    {
        std::vector<jit::Value*> operands, sources;
        for (const FusedOperand& operand : fused.operands) {
            operands.push_back(value(operand.rows));
            if (operand.row == EdgeRow::Source)
                sources.push_back(sourcesOf(operand.index));
        }
        return {operands, sources};
    }

    using Sums = std::map<std::size_t, std::vector<SparseTerm>>;

    // The sum that reads this one alone takes its terms over. Returns the next to look at.
    Sums::iterator joined(Sums::iterator sum, Sums& sums, std::set<std::size_t>& later) const
    {
        const Step& step = m_f.steps[sum->first];
        const auto next = std::next(sum);
        const auto reader = std::find_if(next, sums.end(), [&](const auto& candidate) {
            const SparseTerm& first = candidate.second.front();
            return first.ownsOther && first.other.value == m_a.program[step.op].outputs.front() && first.other.frame == step.frame;
        });
        if (reader != sums.end()) {
            later.insert(sum->first);
            std::ranges::move(reader->second, std::back_inserter(sum->second));
            reader->second = std::move(sum->second);
            sums.erase(sum);
        }
        return next;
    }

    void add(const std::vector<SparseTerm>& terms, std::size_t last, const EdgeFusion& fusion)
    {
        auto sum = std::make_unique<RelationSum>();
        std::vector<RelationInputs> inputs;
        for (const SparseTerm& term : terms) {
            sum->terms.push_back(relationTerm(term, fusion));
            inputs.push_back(relationInputs(term, fusion));
        }
        const Step& step = m_f.steps[last];
        m_values[key({OperandKind::Step, m_a.program[step.op].outputs.front(), -1, step.frame})] =
            insertRelations(*m_graph, *sum, value(terms.front().other), inputs);
        m_relationSums.push_back(std::move(sum));
    }

    RelationTerm relationTerm(const SparseTerm& term, const EdgeFusion& fusion) const
    {
        RelationTerm made;
        made.edges = edgeOp(m_a.program, fusion.programs[term.program]);
        made.matrix = m_constants[term.weight].toTensor().contiguous();
        for (const std::size_t scale : term.scales)
            made.divides.push_back(m_a.program[m_f.steps[scale].op].target == "aten::div");
        made.transposed = m_a.program[m_f.steps[term.product].op].target == "aten::linear";
        if (term.bias.valid())
            made.bias = m_constants[term.bias].toTensor().contiguous();
        return made;
    }

    RelationInputs relationInputs(const SparseTerm& term, const EdgeFusion& fusion)
    {
        const FusedEdges& fused = fusion.programs[term.program];
        RelationInputs made{beginOf(fused.frame), {}, {}, {}};
        std::tie(made.operands, made.sources) = operandsOf(fused);
        for (const StepOperand& scale : scalesOf(term, fused))
            made.scales.push_back(value(scale));
        return made;
    }

    std::vector<StepOperand> scalesOf(const SparseTerm& term, const FusedEdges& fused) const
    {
        std::vector<StepOperand> scales;
        ValueId rows = fused.results.front().value;
        for (const std::size_t s : term.scales) {
            for (const StepOperand& operand : m_f.steps[s].operands)
                if (operand.value != rows)
                    scales.push_back(operand);
            rows = m_a.program[m_f.steps[s].op].outputs.front();
        }
        return scales;
    }

    jit::Value* beginOf(int frame)
    {
        const auto [known, fresh] = m_begins.try_emplace(frame, nullptr);
        if (fresh) {
            known->second = addInput(*m_graph, ValueKind::Tensor);
            m_inputs.push_back({.beginOf = frame});
        }
        return known->second;
    }

    jit::Value* sourcesOf(const StepOperand& index)
    {
        const auto [known, fresh] = m_sources.try_emplace(key(index), nullptr);
        if (fresh) {
            known->second = addInput(*m_graph, ValueKind::Tensor);
            m_inputs.push_back({.sourcesOf = index});
        }
        return known->second;
    }

    jit::Value* concatenated(const Step& step)
    {
        jit::Value* dim = m_graph->insertConstant(step.rowDims.front());
        std::vector<jit::Value*> parts;
        for (const StepOperand& operand : step.operands)
            parts.push_back(value(operand));
        jit::Value* list = m_graph->insertNode(m_graph->createList(c10::TensorType::get(), parts))->output();
        jit::Value* order = addInput(*m_graph, ValueKind::Tensor);
        m_inputs.push_back({.orderOf = step.parts});
        return m_graph->insert(c10::aten::index_select, {m_graph->insert(c10::aten::cat, {list, dim}), dim, order});
    }

    void add(const Step& step)
    {
        const Op& op = m_a.program[step.op];
        if (step.kind == StepKind::Concat || step.kind == StepKind::Forward) {
            jit::Value* rows = step.kind == StepKind::Concat ? concatenated(step) : value(step.operands.front());
            m_values[key({OperandKind::Step, op.outputs.front(), -1, step.frame})] = rows;
            return;
        }
        std::optional<RowEntry> rows;
        if (!m_f.isGlobal && !step.rowDims.empty() && step.rowDims.front() >= 0)
            rows = RowEntry{step.rowDims.front(), entryCount(step)};
        const auto outputs = lowerOp(*m_graph, m_a.program, step.op,
                                     [&](std::size_t position, ValueId) { return value(step.operands.at(position)); }, rows);
        const bool isNarrow = std::ranges::any_of(
            step.operands, [&](const StepOperand& o) { return o.kind == OperandKind::StoredWhole && m_narrow.contains(o.value); });
        for (std::size_t i = 0; i < op.outputs.size() && i < outputs.size(); ++i)
            m_values[key({OperandKind::Step, op.outputs[i], -1, step.frame, step.into})] = isNarrow ? widened(outputs[i]) : outputs[i];
    }

    // An op that goes through rows of the store piece by piece takes them as they lie there; false for those that need all at once.
    bool addGlobal(const Step& step)
    {
        auto op = globalOp(m_a, step.op);
        if (!op)
            return false;
        std::vector<jit::Value*> operands;
        for (StepOperand operand : step.operands) {
            if (operand.kind == OperandKind::Stored)
                operand.kind = OperandKind::StoredWhole;
            operands.push_back(value(operand));
        }
        m_globalOps.push_back(std::make_unique<GlobalOp>(std::move(*op)));
        const auto outputs = insertGlobalOp(*m_graph, *m_globalOps.back(), operands);
        for (std::size_t i = 0; i < outputs.size(); ++i)
            m_values[key({OperandKind::Step, m_a.program[step.op].outputs[i], -1, step.frame})] = outputs[i];
        return true;
    }

    jit::Value* widened(jit::Value* rows)
    {
        return m_graph->insert(c10::aten::to, {rows, m_graph->insertConstant(static_cast<std::int64_t>(at::kFloat)), m_graph->insertConstant(false),
                                               m_graph->insertConstant(false)});
    }

    const Analysis& m_a;
    const CutFunction& m_f;
    const Constants& m_constants;
    const std::set<ValueId>& m_narrow;
    std::shared_ptr<jit::Graph> m_graph;
    std::map<Key, jit::Value*> m_values, m_reduced;
    const std::set<ValueId>* m_split = nullptr;
    bool m_gathers = false, m_canSplit = false;
    std::optional<c10::Device> m_device;
    const OwnSum* m_ownSum = nullptr;
    Side m_side = Side::Own;
    std::vector<GatheredRows> m_gathered;
    std::map<int, jit::Value*> m_counts, m_begins;
    std::map<Key, jit::Value*> m_sources;
    std::vector<std::unique_ptr<EdgeOp>> m_edgeOps;
    std::vector<std::unique_ptr<RelationSum>> m_relationSums;
    std::vector<std::unique_ptr<GlobalOp>> m_globalOps;
    std::vector<FunctionInput> m_inputs;
};

}  // namespace

struct Lowered::Compiled {
    std::shared_ptr<jit::Graph> graph;
    std::string name;
    std::once_flag once;
    jit::Code code;
};

Lowered::Lowered(std::shared_ptr<jit::Graph> graph, std::string name) : m_compiled(std::make_shared<Compiled>())
{
    m_compiled->graph = std::move(graph);
    m_compiled->name = std::move(name);
}

std::vector<c10::IValue> Lowered::run(std::vector<c10::IValue> inputs) const
{
    std::call_once(m_compiled->once, [&] {
        m_compiled->graph->lint();
        m_compiled->code = jit::Code(m_compiled->graph, m_compiled->name);
        m_compiled->graph.reset();
    });
    jit::InterpreterState(m_compiled->code).run(inputs);
    return inputs;
}

LoweredFunction lowerFunction(const Analysis& analysis, const CutFunction& function, const Constants& constants, const std::string& name,
                              Kernels kernels, const std::set<ValueId>& narrow, std::optional<c10::Device> device)
{
    FunctionLowering lowering(analysis, function, constants, narrow);
    if (device)
        lowering.runOn(*device);
    return lowering.run(name, kernels);
}

std::vector<FunctionInput> OwnRowsFunction::inputs() const
{
    std::vector<FunctionInput> all{begin};
    all.insert(all.end(), operands.begin(), operands.end());
    for (const std::optional<FunctionInput>& index : sources)
        if (index)
            all.push_back(*index);
    return all;
}

namespace {

// What targets make of their own rows: of tensors of the store, constants, and structure that has a row for each of them.
bool isOfTargets(const LoweredFunction& own)
{
    const auto isOne = [](const FunctionInput& in) {
        return in.countOf == 0 ||
               (in.operand && in.operand->frame == 0 && in.operand->rowDim <= 0 &&
                (in.operand->kind == OperandKind::Stored || in.operand->kind == OperandKind::Slice || in.operand->kind == OperandKind::Whole));
    };
    return std::ranges::all_of(own.inputs, isOne);
}

bool reads(const LoweredFunction& function, ValueId tensor)
{
    return std::ranges::any_of(function.inputs, [&](const FunctionInput& in) { return in.operand && in.operand->value == tensor; });
}

std::optional<OwnRowsFunction> lowerOwnRows(const Analysis& analysis, const CutFunction& function, const Constants& constants,
                                            const std::string& name, Kernels kernels, const std::set<ValueId>& values,
                                            const std::set<ValueId>& narrow)
{
    const EdgeFusion fusion = fuseEdges(analysis, function, kernels, values);
    const std::optional<OwnSum> sum = findOwnSum(analysis, function, fusion, values);
    if (!sum)
        return {};
    using Side = FunctionLowering::Side;
    const auto side = [&](Side which, const std::string& suffix) {
        FunctionLowering lowering(analysis, function, constants, narrow);
        lowering.split(values, false);
        lowering.take(which, *sum);
        return lowering.run(name + suffix, kernels);
    };
    OwnRowsFunction made;
    made.own = side(Side::Own, "_own");
    made.scales = side(Side::Scales, "_scales");
    made.rest = side(Side::Rest, "_rest");
    // There is nothing to win where batches read the rows nevertheless.
    if (!isOfTargets(made.own) || !isOfTargets(made.scales) || !reads(made.own, sum->tensor) || reads(made.rest, sum->tensor))
        return {};
    for (const std::size_t scale : sum->term.scales)
        made.divides.push_back(analysis.program[function.steps[scale].op].target == "aten::div");
    const FusedEdges& fused = fusion.programs.front();
    const std::int64_t heads = fused.program.results.front().weights < 0 ? 1 : fused.program.width(fused.program.results.front().weights);
    made.edges = edgeOp(analysis.program, fused);
    if (sum->hasProduct) {
        // Weights of several heads are of columns that the matrix mixes.
        if (heads != 1)
            return {};
        const bool isLinear = analysis.program[function.steps[sum->term.product].op].target == "aten::linear";
        const at::Tensor matrix = constants[sum->term.weight].toTensor();
        if (!isFinite(constants[sum->term.weight]) || (sum->term.bias.valid() && !isFinite(constants[sum->term.bias])))
            return {};
        made.matrix = isLinear ? matrix : matrix.t().contiguous();
        if (sum->term.bias.valid())
            made.bias = constants[sum->term.bias].toTensor();
        made.edges.sizes = {{made.matrix.size(0)}};
        made.edges.program.operands[sum->operand].width = made.matrix.size(0);
    }
    made.operand = sum->operand;
    made.tensor = sum->tensor;
    made.isMean = made.edges.program.results.front().reduce == Reduce::Mean;
    made.edges.program.results.front().reduce = Reduce::Sum;
    made.begin = {.beginOf = fused.frame};
    for (const FusedOperand& operand : fused.operands) {
        made.operands.push_back({.operand = operand.rows});
        made.sources.push_back(operand.row == EdgeRow::Source ? std::optional(FunctionInput{.sourcesOf = operand.index}) : std::nullopt);
    }
    return made;
}

}  // namespace

std::optional<GatheringFunction> lowerGathering(const Analysis& analysis, const CutFunction& function, const Constants& constants,
                                                const std::string& name, Kernels kernels, const std::set<ValueId>& values,
                                                const std::set<ValueId>& narrow)
{
    if (values.empty() || function.isGlobal || function.rowsOf.valid())
        return {};
    GatheringFunction parts;
    FunctionLowering rest(analysis, function, constants, narrow), gathering(analysis, function, constants, narrow);
    rest.split(values, false);
    parts.rest = rest.run(name, kernels);
    if (!rest.canSplit() || rest.gathered().empty())
        return {};
    gathering.split(values, true);
    gathering.gatherOnly(rest.gathered());
    parts.gathering = gathering.run(name + "_gathering", kernels);
    for (const auto& [rows, empty] : rest.gathered())
        parts.outputs.push_back({rows.frame, empty});
    parts.withOwnRows = lowerOwnRows(analysis, function, constants, name, kernels, values, narrow);
    return parts;
}

}  // namespace cleave
