#include "core/run/measure.h"

#include <ATen/ATen.h>

#include <map>
#include <tuple>

#include "core/base/error.h"
#include "core/base/stopping.h"
#include "core/plan/plan_space.h"
#include "core/run/bind.h"
#include "core/run/executor.h"
#include "core/run/tensors.h"

namespace cleave {

struct GraphMeasure::Impl {
    // One cut on the graph; the objects refer to each other, so they stay where they are.
    struct Session {
        CutProgram cut;
        std::unique_ptr<LayerWise> run;
        std::optional<NodeOrder> order = NodeOrder::Natural;  // none: the change to another was cancelled
        std::int64_t orderBatch = 0;
    };

    const Model model;
    PlanSpace space;
    Constants constants;
    Bindings inputs;
    RunOptions options;
    std::map<std::set<int>, Session> sessions;
    std::map<std::tuple<std::int64_t, NodeOrder, std::set<int>>, GraphCounts> counted;  // planners ask for the same ones

    Impl(const Model& m, const RunOptions& o) : model(m), space(*model.analysis), options(o) {}

    Session& session(const std::set<int>& joined, const Progress& progress)
    {
        Session& s = sessions[joined];
        if (!s.run) {
            Plan plan = space.messageDegree();
            plan.joined = joined;
            s.cut = space.cut(plan);
            guarded("The graph cannot be measured",
                    [&] {
                        auto run = std::make_unique<LayerWise>(*model.analysis, s.cut, constants, inputs, options.kernels, progress);
                        run->setBatchesAtOnce(options.batchesAtOnce);
                        if (!options.targets.empty())
                            run->setTargets(targetsOf(*model.analysis, options), progress);
                        s.run = std::move(run);
                    });
        }
        return s;
    }
};

GraphMeasure::GraphMeasure(const Model& model, const DataGraph& graph, const RunOptions& options, const Progress& progress)
    : m(std::make_unique<Impl>(model, options))
{
    const Stoppable stoppable(progress.stop);
    options.check();
    useThreads(options);
    m->inputs = bindInputs(model, graph, options);
    m->constants = evaluateConstants(*model.analysis);
    m->session({}, progress);
}

GraphMeasure::~GraphMeasure() = default;

std::int64_t GraphMeasure::numNodes() const
{
    return m->sessions.at({}).run->graph().mostNodes();
}

std::int64_t GraphMeasure::chosenBatchSize() const
{
    const OrderedGraph& graph = m->sessions.at({}).run->graph();
    return cleave::chosenBatchSize(graph.mostNodes(), graph.mostEdgesPerNode(), m->options);
}

NodeOrders GraphMeasure::orders(NodeOrder order, std::int64_t batchSize, const Progress& progress) const
{
    return ordersFor(m->model, m->inputs, order, batchSize, m->sessions.at({}).run->graph().nodesOfTypes(), progress);
}

GraphCounts GraphMeasure::counts(std::int64_t batchSize, NodeOrder order, const std::set<int>& joined, const Progress& progress)
{
    if (batchSize < 1)
        throw Error("The batch size must be at least 1.");
    const std::tuple asked(batchSize, order, joined);
    if (const auto known = m->counted.find(asked); known != m->counted.end())
        return known->second;
    Impl::Session& session = m->session(joined, progress);
    if (session.order != order || (order == NodeOrder::Metis && session.orderBatch != batchSize)) {
        session.order.reset();
        session.run->setOrders(orders(order, batchSize, progress));
        if (!m->options.targets.empty())
            session.run->setTargets(targetsOf(*m->model.analysis, m->options), progress);
        session.order = order;
        session.orderBatch = batchSize;
    }
    GraphCounts counts = session.run->count(batchSize, exactEdges, progress);
    counts.joined = joined;
    counts.order = orderName(order);
    m->counted.emplace(asked, counts);
    return counts;
}

Profile GraphMeasure::profile(std::int64_t batchSize, const Progress& progress)
{
    if (batchSize < 1)
        throw Error("The batch size must be at least 1.");
    Profile profile;
    guarded("Measuring the ops on this graph failed", [&] {
        // What the store holds is made up, so the object that counts does not measure.
        LayerWise run(*m->model.analysis, m->session({}, progress).cut, m->constants, m->inputs, m->options.kernels, progress);
        run.setBatchesAtOnce(m->options.batchesAtOnce);
        if (!m->options.targets.empty())
            run.setTargets(targetsOf(*m->model.analysis, m->options), progress);
        profile = run.profile(batchSize, sampleBlocks, progress);
    });
    return profile;
}

}  // namespace cleave
