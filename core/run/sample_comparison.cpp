#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>

#include "core/base/error.h"
#include "core/base/pages.h"
#include "core/base/stopping.h"
#include "core/run/bind.h"
#include "core/run/comparing.h"
#include "core/run/sample.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

// whole: all rows, of which these are compared. The worst are named where there is one for each node.
Comparison compareRows(const std::string& name, const at::Tensor& whole, const ValueFacts& facts, const std::vector<std::int64_t>& rows,
                       const at::Tensor& expected, const Tolerance& tolerance, Measure measure)
{
    const auto first = [&](const at::Tensor& tensor) { return toArray(tensor.movedim(facts.rowDim, 0).contiguous()); };
    Comparison c = compare({name, first(targetRows(whole, facts, at::tensor(rows, at::kLong)))}, first(expected), tolerance, measure);
    c.a = "layer-wise";
    c.outputRows = whole.size(facts.rowDim);
    if (facts.rowDim != 0 || facts.outer * facts.inner != 1) {
        c.worstRows.clear();
        c.worstGaps.clear();
    }
    for (std::int64_t& row : c.worstRows)
        row = rows[static_cast<std::size_t>(row)];
    return c;
}

// The uncut model on what of the graph some nodes depend on, against the answers of the cut one.
class SampleComparison {
public:
    SampleComparison(VerifyResult& result, const Model& model, const DataGraph& graph, const VerifyOptions& options, std::int64_t most,
                     const Progress& progress)
        : m_result(result),
          m_model(model),
          m_graph(graph),
          m_options(options),
          m_most(most),
          m_progress(progress),
          m_inputs(bindInputs(model, graph, options.run)),
          m_constants(evaluateConstants(model.uncut())),
          m_targets(targetsOf(model.uncut(), options.run))
    {
    }

    // From the inputs to the outputs; whyNotWhole tells where that is not possible.
    void compareOutputs()
    {
        try {
            guarded("Comparing a sample of the nodes failed", [&] {
                const Stage stage = Stage::whole(m_model.uncut());
                Sampler sampler(m_model.uncut(), m_constants, m_inputs);
                const auto [enough, widest] = Neighbourhoods(m_model.uncut(), m_constants, {stage}, m_progress).of(stage);
                const SampledRows sampled = sampler.rows(stage, {}, enough, m_targets, m_most, m_progress);
                add(sampled);
                if (isWorthWidening(m_result.comparisons, enough, widest))
                    widen(
                        sampled, [&] { return sampler.rows(stage, {}, widest, m_targets, m_most, m_progress); },
                        [&](const SampledRows& wider) { add(wider); });
            });
        } catch (const Error& error) {
            m_result.sample->whyNotWhole = error.what();
        }
    }

    // Fewer nodes than were drawn could be compared through all functions.
    bool isShort() const { return m_drawn == 0 || m_result.sample->targets < m_drawn; }

    // Outputs, by name, that depend on features and of which no rows were compared.
    std::vector<std::string> notCompared() const
    {
        const Program& program = m_model.program();
        const Targets targets = targetsOf(*m_model.analysis, m_options.run);
        std::vector<std::string> names;
        for (const ValueId output : program.outputs)
            if (const std::string& name = program[output].name;
                m_model.analysis->values[output].reach == Reach::Feature && isAsked(*m_model.analysis, output, targets) &&
                std::ranges::find(m_result.comparisons, name, &Comparison::output) == m_result.comparisons.end())
                names.push_back(name);
        return names;
    }

    // What has been compared stays, whatever happens.
    void compareFunctionsIfPossible()
    {
        const std::size_t before = m_result.comparisons.size();
        try {
            compareFunctions();
        } catch (const Error& error) {
            if (before == 0)
                throw;
            for (std::size_t f = m_functionsMet; f < m_model.cut->functions.size(); ++f)
                m_result.sample->functionsNotCompared.push_back({m_result.layerWise.functions[f].name, error.what()});
        }
    }

    // Function by function, each from the save points before it as the run has them.
    void compareFunctions()
    {
        const Analysis& analysis = *m_model.analysis;
        const std::vector<CutFunction>& functions = m_model.cut->functions;
        std::vector<Stage> stages;
        std::ranges::transform(functions, std::back_inserter(stages), [&](const CutFunction& f) { return Stage::of(analysis, f); });
        const Constants constants = evaluateConstants(analysis);
        const Neighbourhoods neighbourhoods(analysis, constants, stages, m_progress);
        Sampler sampler(analysis, constants, m_inputs);
        RunOptions again = m_options.run;
        again.store.clear();
        again.resume = again.warmsUp = false;
        runObserved(
            m_model, m_graph, again,
            [&](std::size_t f, const Tensors& store) {
                try {
                    guarded("Comparing a function failed", [&] {
                        if (functions[f].isGlobal)
                            compareGlobal(stages[f], store, analysis, constants);
                        else
                            compareFunction(stages[f], store, analysis, sampler, neighbourhoods);
                    });
                    ++m_result.sample->functions;
                } catch (const Error& error) {
                    m_result.sample->functionsNotCompared.push_back({m_result.layerWise.functions[f].name, error.what()});
                }
                m_functionsMet = f + 1;
            },
            m_progress);
    }

private:
    // What was enough on random graphs need not be everywhere: a difference counts on the widest neighbourhood.
    bool isWorthWidening(const std::vector<Comparison>& found, const Neighbourhood& enough, const Neighbourhood& widest) const
    {
        return !std::ranges::all_of(found, &Comparison::equal) && enough != widest && !m_options.run.narrowStore;
    }

    // Only where that fits into memory for every node that was compared: one that differs must not be left out.
    template <class Sample, class Take>
    static void widen(const SampledRows& before, Sample sample, Take take)
    {
        try {
            if (const SampledRows wider = sample(); wider.rows == before.rows)
                take(wider);
        } catch (const NotEnoughMemory&) {
        }
    }

    void add(const SampledRows& sampled)
    {
        const Program& program = m_model.program();
        Sample& sample = *m_result.sample;
        sample.targets = sampled.targets;
        sample.of = sampled.of;
        m_drawn = sampled.drawn;
        sample.hops = sampled.neighbourhood.hops;
        sample.bothWays = sampled.neighbourhood.bothWays;
        sample.nodes = sampled.nodes;
        sample.edges = sampled.edges;
        m_result.full.outputs.clear();
        m_result.full.seconds = sampled.seconds;
        m_result.full.peakBytes = sampled.peakBytes;
        m_result.comparisons.clear();
        for (std::size_t i = 0; i < sampled.rows.size(); ++i) {
            if (!sampled.values[i].defined())
                continue;
            const ValueFacts& facts = m_model.uncut().values[m_model.uncut().program.outputs[i]];
            const at::Tensor whole = toTensor(m_result.layerWise.outputs[i].array);
            const std::string& name = program[program.outputs[i]].name;
            m_result.full.outputs.push_back({name, toArray(sampled.values[i])});
            m_result.comparisons.push_back(compareRows(name, whole, facts, sampled.rows[i], sampled.values[i], m_result.tolerance, Measure::Entry));
            m_result.comparisons.back().b = "neighbourhoods";
        }
    }

    std::vector<Comparison> comparisons(const Stage& stage, const SampledRows& sampled, const Tensors& store, const Analysis& analysis) const
    {
        std::vector<Comparison> all;
        for (std::size_t i = 0; i < sampled.rows.size(); ++i) {
            if (!sampled.values[i].defined())
                continue;
            const ValueFacts& facts = analysis.values[stage.wanted[i]];
            all.push_back(compareRows(analysis.program[stage.wanted[i]].name, store.at(stage.wanted[i]), facts, sampled.rows[i], sampled.values[i],
                                      m_result.tolerance, Measure::Row));
            all.back().b = "op by op";
        }
        return all;
    }

    void compareFunction(const Stage& stage, const Tensors& store, const Analysis& analysis, Sampler& sampler, const Neighbourhoods& neighbourhoods)
    {
        const auto [enough, widest] = neighbourhoods.of(stage);
        const SampledRows sampled = sampler.rows(stage, store, enough, {}, m_most, m_progress);
        std::vector<Comparison> found = comparisons(stage, sampled, store, analysis);
        if (isWorthWidening(found, enough, widest))
            widen(
                sampled, [&] { return sampler.rows(stage, store, widest, {}, m_most, m_progress); },
                [&](const SampledRows& wider) { found = comparisons(stage, wider, store, analysis); });
        m_result.sample->functionTargets = std::max(m_result.sample->functionTargets, sampled.targets);
        std::ranges::move(found, std::back_inserter(m_result.comparisons));
    }

    // Global ops need all rows, and give few or as many.
    void compareGlobal(const Stage& stage, const Tensors& store, const Analysis& analysis, const Constants& constants)
    {
        const PagesLimit limit = PagesLimit::ofSystem();
        Bindings given = m_inputs;
        for (const ValueId id : stage.given)
            given[id] = store.at(id);
        std::vector<c10::IValue> expected;
        guarded("Running global ops on all rows failed",
                [&] { expected = runProgram(analysis.program, constants, given, stage.wanted, "Running global ops", m_progress); });
        for (std::size_t i = 0; i < stage.wanted.size(); ++i) {
            m_result.comparisons.push_back(compare({analysis.program[stage.wanted[i]].name, toArray(store.at(stage.wanted[i]))},
                                                   toArray(expected[i].toTensor()), m_result.tolerance, Measure::Row));
            m_result.comparisons.back().a = "layer-wise";
            m_result.comparisons.back().b = "op by op";
        }
    }

    VerifyResult& m_result;
    const Model& m_model;
    const DataGraph& m_graph;
    const VerifyOptions& m_options;
    const std::int64_t m_most;
    const Progress& m_progress;
    const Bindings m_inputs;
    const Constants m_constants;
    const Targets m_targets;
    std::int64_t m_drawn = 0;
    std::size_t m_functionsMet = 0;  // compared or not
};

}  // namespace

void compareSample(VerifyResult& result, const Model& model, const DataGraph& graph, const VerifyOptions& options, std::int64_t most,
                   double freeBytes, const Progress& progress)
{
    const Stoppable stoppable(progress.stop);
    useThreads(options.run);
    result.sample.emplace();
    result.sample->of = options.run.targets.empty() ? graph.numNodes : std::ssize(options.run.targets);
    result.sample->freeBytes = freeBytes;
    guarded("Comparing a sample of the nodes failed", [&] {
        SampleComparison sample(result, model, graph, options, most, progress);
        const PagesLimit limit = PagesLimit::ofSystem();
        sample.compareOutputs();
        const bool hasAllRows = options.run.targets.empty() && options.run.device == "cpu" && !options.run.narrowStore;
        if (hasAllRows && (sample.isShort() || !sample.notCompared().empty()))
            sample.compareFunctionsIfPossible();
        result.sample->notCompared = sample.notCompared();
        result.sample->ofFunctions = static_cast<int>(model.cut->functions.size());
        if (result.comparisons.empty())
            throw Error(result.sample->whyNotWhole);
    });
}

}  // namespace cleave
