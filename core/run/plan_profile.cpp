#include "core/run/plan_profile.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/base/stopping.h"
#include "core/plan/work.h"
#include "core/run/bind.h"
#include "core/run/executor.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

double bytesOf(const c10::IValue& value)
{
    return value.isTensor() ? bytesOfTensor(value.toTensor()) : 0;
}

class Builder {
public:
    Builder(const Model& model, const Constants& constants, const Bindings& inputs, const Profile& profile, const GraphCounts& counts,
            Kernels kernels)
        : m_a(*model.analysis), m_cut(*model.cut), m_constants(constants), m_inputs(inputs), m_profile(profile), m_counts(counts), m_kernels(kernels)
    {
        m_graph.name = m_a.program.name;
        m_graph.hasStages = true;
        for (std::size_t stage = 0; stage <= m_cut.functions.size(); ++stage)
            m_graph.stages.push_back(static_cast<int>(stage));
    }

    ProfileGraph build(double prologueSeconds)
    {
        addInputs(prologueSeconds);
        for (std::size_t f = 0; f < m_cut.functions.size(); ++f)
            addFunction(f);
        return std::move(m_graph);
    }

private:
    const Program& program() const { return m_a.program; }
    ProfileNode& node(int index) { return m_graph.nodes[at(index)]; }

    int addNode(std::string description, int stage)
    {
        const int index = static_cast<int>(m_graph.nodes.size());
        ProfileNode& added = m_graph.nodes.emplace_back();
        added.id = "node" + std::to_string(index + 1);
        added.description = std::move(description);
        added.stage = stage;
        return index;
    }

    void addEdge(int from, int to)
    {
        if (from != to && m_known.insert({from, to}).second)
            m_graph.edges.emplace_back(from, to);
    }

    void addInputs(double prologueSeconds)
    {
        std::vector<int> structure;
        for (const Input& input : program().inputs) {
            const int added = addNode(program()[input.value].name + " (input)", 0);
            if (const double bytes = bytesOf(m_inputs.at(input.value)); bytes > 0)
                node(added).activationBytes = {bytes};
            if (m_a.values[input.value].reach == Reach::Feature)
                m_stored[input.value] = added;
            else
                structure.push_back(added);
        }
        m_prologue = addNode("Prologue", 0);
        node(m_prologue).forwardSeconds = prologueSeconds;
        if (const double bytes = m_counts.structure.read + m_counts.structure.index; bytes > 0)
            node(m_prologue).activationBytes = {bytes};
        for (const int input : structure)
            addEdge(input, m_prologue);
    }

    void addFunction(std::size_t index)
    {
        m_index = index;
        m_f = &m_cut.functions[index];
        m_here.clear();
        m_blocks.reset();
        const EdgeFusion fusion = fuseEdges(m_a, *m_f, m_kernels);
        const std::vector<bool> live = liveSteps(program(), *m_f, fusion);
        auto fused = fusion.programs.begin();
        for (std::size_t i = 0; i < m_f->steps.size(); ++i) {
            const bool isProgram = fused != fusion.programs.end() && fused->step == i;
            fused += isProgram ? 1 : 0;
            if (isProgram || fusion.absorbed[i] || live[i])
                addStep(m_f->steps[i], isProgram || !fusion.absorbed[i]);
        }
        for (const ValueId saved : m_f->saves)
            if (const auto made = m_here.find(saved); made != m_here.end()) {
                const auto seconds = m_profile.writeSeconds.find(saved);
                node(made->second).forwardSeconds += seconds == m_profile.writeSeconds.end() ? 0 : seconds->second * frameRows(0);
                m_stored[saved] = made->second;
            }
    }

    double frameRows(int frame) const { return frame < 0 ? 0 : m_counts.functions[m_index].frames[at(frame)].total; }

    // One op may have several steps, on rows of several frames.
    void addStep(const Step& step, bool isTimed)
    {
        const Op& op = program()[step.op];
        if (step.kind == StepKind::LocalIndex || m_a.values[op.outputs.front()].reach != Reach::Feature)
            return;
        const auto known = m_here.find(op.outputs.front());
        const int added = known != m_here.end() ? known->second : addOp(step.op);
        const bool isOnce = m_f->isGlobal && !readsNodes(m_a, step.op) && m_a.ops[step.op].kind != OpKind::Scatter;
        if (const auto measured = m_profile.opSeconds.find(step.op); isTimed && measured != m_profile.opSeconds.end())
            node(added).forwardSeconds += measured->second * (isOnce ? 1 : frameRows(timedFrame(m_a, step)));
        addActivation(step, node(added));
        for (const StepOperand& operand : step.operands)
            if (const int from = source(operand); from >= 0)
                addEdge(from, added);
    }

    int addOp(OpId id)
    {
        const Op& op = program()[id];
        const std::string path = op.module.valid() ? program()[op.module].path : std::string();
        const int added = addNode(op.name + " (" + op.target + (path.empty() ? "" : ", " + path) + ")", static_cast<int>(m_index) + 1);
        for (const ValueId output : op.outputs)
            m_here[output] = added;
        std::set<ValueId> parameters;
        forEachOperand(op, [&](ValueId operand) {
            if (m_a.values[operand].reach == Reach::Constant)
                parameters.insert(operand);
        });
        for (const ValueId parameter : parameters)
            node(added).parameterBytes += bytesOf(m_constants[parameter]);
        return added;
    }

    void addActivation(const Step& step, ProfileNode& made) const
    {
        const std::vector<ValueId>& outputs = program()[step.op].outputs;
        made.activationBytes.resize(outputs.size());
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const ValueFacts& facts = m_a.values[outputs[i]];
            const bool isOfGraph = facts.rows == Rows::Graph || facts.rowDim < 0;
            made.activationBytes[i] +=
                isOfGraph ? wholeBytes(m_a, outputs[i], m_counts) : frameRows(step.frame) * rowBytes(m_a, outputs[i], facts.rowDim);
        }
    }

    // The node that an operand comes from; -1: parameters.
    int source(const StepOperand& operand)
    {
        if (const auto made = m_here.find(operand.value); made != m_here.end())
            return made->second;
        if (const auto stored = m_stored.find(operand.value); stored != m_stored.end())
            return stored->second;
        return m_a.values[operand.value].reach == Reach::Structure ? blocks() : -1;
    }

    // What cuts the batches' blocks out of the prologue's results and slices structure for them.
    int blocks()
    {
        if (m_blocks)
            return *m_blocks;
        m_blocks = addNode("Blocks of " + functionName(*m_f), static_cast<int>(m_index) + 1);
        const auto perRow = m_profile.prepareSeconds.find(m_f->isOfLevel() ? m_f->level : -1 - static_cast<int>(m_index));
        double rows = 0;
        for (const RowCount& frame : m_counts.functions[m_index].frames)
            rows += frame.total;
        node(*m_blocks).forwardSeconds = perRow == m_profile.prepareSeconds.end() ? 0 : perRow->second * rows;
        addEdge(m_prologue, *m_blocks);
        return *m_blocks;
    }

    const Analysis& m_a;
    const CutProgram& m_cut;
    const Constants& m_constants;
    const Bindings& m_inputs;
    const Profile& m_profile;
    const GraphCounts& m_counts;
    Kernels m_kernels;
    ProfileGraph m_graph;
    std::set<std::pair<int, int>> m_known;  // edges
    std::map<ValueId, int> m_stored;        // input features, and what functions save: their node
    int m_prologue = 0;

    // Of the function at hand.
    std::size_t m_index = 0;
    const CutFunction* m_f = nullptr;
    std::map<ValueId, int> m_here;
    std::optional<int> m_blocks;
};

}  // namespace

ProfileGraph profilePlan(const Model& planned, const DataGraph& graph, const RunOptions& options, const Progress& progress)
{
    const Stoppable stoppable(progress.stop);
    options.check();
    useThreads(options);
    const Bindings inputs = bindInputs(planned, graph, options);
    const Constants constants = evaluateConstants(*planned.analysis);
    ProfileGraph result;
    guarded("Measuring the plan on this graph failed", [&] {
        // What the store holds is made up while ops are measured, so the object that counts does not measure.
        LayerWise counted(*planned.analysis, *planned.cut, constants, inputs, options.kernels, progress);
        LayerWise measured(*planned.analysis, *planned.cut, constants, inputs, options.kernels, progress);
        const std::int64_t batchSize =
            options.batchSize > 0 ? options.batchSize : chosenBatchSize(counted.graph().mostNodes(), counted.graph().mostEdgesPerNode(), options);
        const auto orders = ordersFor(planned, inputs, options.order, batchSize, counted.graph().nodesOfTypes(), progress);
        for (LayerWise* run : {&counted, &measured}) {
            run->setBatchesAtOnce(options.batchesAtOnce);
            run->setOrders(orders);
            if (!options.targets.empty())
                run->setTargets(targetsOf(*planned.analysis, options), progress);
        }
        const GraphCounts counts = counted.count(batchSize, exactEdges, progress);
        const Profile profile = measured.profile(batchSize, sampleBlocks, progress);
        result = Builder(planned, constants, inputs, profile, counts, options.kernels).build(counted.prologueSeconds());
    });
    return result;
}

}  // namespace cleave
