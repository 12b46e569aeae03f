#include "views/plan_costs.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/base/error.h"
#include "core/run/calibrate.h"
#include "views/text.h"

namespace cleave::views {

namespace {

constexpr std::array planners{Planner::MessageDegree, Planner::Greedy, Planner::Optimal};
constexpr std::array extremes{Planner::FullGraph, Planner::NodeWise};

// Costs point into the space of plans, so they keep it.
std::shared_ptr<const CostModel> costModel(const std::shared_ptr<const PlannedModel>& subject, const GraphCounts& counts, const Planning& planning)
{
    struct Kept {
        std::shared_ptr<const PlannedModel> subject;
        CostModel model;
    };
    auto kept = std::make_shared<const Kept>(Kept{subject, CostModel(subject->space, counts, planning.rates(), planning.profile())});
    return {kept, &kept->model};
}

std::shared_ptr<Planning> planningOf(const std::shared_ptr<const PlannedModel>& subject, const std::shared_ptr<const DataGraph>& graph,
                                     const RunOptions& options, const Progress& progress)
{
    struct Kept {
        std::shared_ptr<const PlannedModel> subject;
        std::shared_ptr<const DataGraph> graph;
        Planning planning;
    };
    const std::shared_ptr<Kept> kept(new Kept{subject, graph, Planning(*subject->model, *graph, options, readRates(ratesPath()), progress)});
    return {kept, &kept->planning};
}

std::vector<std::int64_t> curveSizes(std::int64_t nodes)
{
    constexpr int steps = 7;  // each half of the one before
    std::vector<std::int64_t> sizes;
    for (std::int64_t size = nodes, step = 0; step < steps && size > 1; ++step, size = (size + 1) / 2)
        sizes.push_back(size);
    std::ranges::reverse(sizes);
    return sizes;
}

// Batches are as large as the memory that runs may take allows, where nobody chose them; note: why it allows none.
PricedPlan inBounds(Planning& planning, const Constraints& constraints, const RunOptions& options, QString& note, const Progress& progress)
{
    PlanningRequest request{constraints, 0, options.batchSize, options.order};
    if (options.memoryBytes > 0 && options.batchSize == 0) {
        request.memoryBytes = static_cast<double>(options.memoryBytes);
        try {
            return planning.make(Planner::MessageDegree, request, progress);
        } catch (const Error& error) {
            progress.check();
            note = toText(error.what());
            request.memoryBytes = 0;
        }
    }
    return planning.make(Planner::MessageDegree, request, progress);
}

// With the functions on the device that are to run there.
DevicePlacement priced(const CostModel& model, const Plan& plan, const PlanCost& cost, const DeviceWishes& devices)
{
    std::vector<bool> there;
    for (const FunctionCost& f : cost.functions)
        there.push_back(!f.isGlobal && devices.functions.contains(DeviceWishes::nameOf(f)));
    DevicePlacement placement = Placing(model, plan, cost, model.rates().of(devices.device)).price(there);
    placement.device = devices.device;
    return placement;
}

}  // namespace

struct PlanCosts::Measured {
    std::shared_ptr<Planning> planning;  // used by one worker at a time
    std::vector<PricedPlan> plans;
    std::shared_ptr<const CostModel> model;
    QString note;  // why there is no plan
};

QString planText(const std::string& name)
{
    if (name == plannerName(Planner::MessageDegree))
        return PlanCosts::tr("Message degree");
    if (name == plannerName(Planner::Greedy))
        return PlanCosts::tr("Greedy");
    if (name == plannerName(Planner::Optimal))
        return PlanCosts::tr("Optimal");
    if (name == plannerName(Planner::FullGraph))
        return PlanCosts::tr("Full graph");
    return name == plannerName(Planner::NodeWise) ? PlanCosts::tr("Node-wise") : toText(name);
}

PlanCosts::~PlanCosts() = default;

void PlanCosts::setModel(std::shared_ptr<const PlannedModel> model)
{
    m_subject = std::move(model);
    m_constraints = {};
    measure(false);
}

void PlanCosts::setGraph(std::shared_ptr<const DataGraph> graph, const RunOptions& options)
{
    const bool sameCurve = graph == m_graph && options.order == m_options.order && options.randomFeatures == m_options.randomFeatures;
    m_graph = std::move(graph);
    m_options = options;
    measure(sameCurve);
}

void PlanCosts::setConstraints(const Constraints& constraints)
{
    if (m_constraints == constraints)
        return;
    m_constraints = constraints;
    if (m_model)
        plan();
    else if (m_job)
        measure(false);
}

std::optional<PlanCost> PlanCosts::costOf(const Plan& plan) const
{
    const CostModel* model = modelFor(plan.joined);
    return model == nullptr ? std::nullopt : std::optional(model->price(plan));
}

std::optional<DevicePlacement> PlanCosts::placementOf(const Plan& plan, const PlanCost& cost, const DeviceWishes& devices) const
{
    const CostModel* model = modelFor(plan.joined);
    return model == nullptr || devices.device.empty() ? std::nullopt : std::optional(priced(*model, plan, cost, devices));
}

std::optional<DevicePlacement> PlanCosts::placementOf(const PricedPlan& plan, const DeviceWishes& devices) const
{
    if (!m_model || devices.device.empty())
        return {};
    const Planned& planned = plan.planned;
    const CostModel* model = m_model.get();
    if (planned.plan.joined != m_model->counts().joined) {
        std::shared_ptr<const CostModel>& own = m_ofPlans[plan.name];
        if (!own)
            own = std::make_shared<CostModel>(m_model->space(), plan.counts, m_model->rates());
        model = own.get();
    }
    return priced(*model, planned.plan, planned.cost, devices);
}

DeviceWishes PlanCosts::placed(const Plan& plan, const PlanCost& cost, const std::string& device) const
{
    const CostModel* model = modelFor(plan.joined);
    if (model == nullptr)
        return {};
    DevicePlacement best = Placing(*model, plan, cost, model->rates().of(device)).best();
    best.device = device;
    return DeviceWishes::of(best, cost);
}

const CostModel* PlanCosts::modelFor(const std::set<int>& joined) const
{
    if (!m_model || m_model->counts().joined == joined)
        return m_model.get();
    const auto known = m_joined.find(joined);
    return known == m_joined.end() ? nullptr : known->second.get();
}

void PlanCosts::want(const std::set<int>& joined)
{
    const bool isUnderWay = m_joinedJob && m_wanted == joined;
    m_wanted = joined;
    if (!m_model || modelFor(joined) != nullptr || isUnderWay || m_isStopped)
        return;
    Job::retire(m_joinedJob, this);
    m_joinedJob = std::make_unique<Job>(
        tr("Counting rows of blocks"),
        [subject = m_subject, graph = m_graph, options = m_options, batchSize = m_model->counts().batchSize, joined](const Progress& progress) {
            Planning planning(*subject->model, *graph, options, readRates(ratesPath()), progress);
            Plan plan = subject->space.messageDegree();
            plan.joined = joined;
            return costModel(subject, planning.price(plan, {{}, 0, batchSize, options.order}, {}, progress).counts, planning);
        },
        [this, joined](std::shared_ptr<const CostModel> model) { m_joined[joined] = std::move(model); });
    watch(*m_joinedJob);
    connect(m_joinedJob.get(), &Job::failed, this, &PlanCosts::noted);
    connect(m_joinedJob.get(), &Job::finished, this, [this, joined] {
        const bool isKnown = modelFor(joined) != nullptr;
        finish(m_joinedJob);
        if (isKnown) {
            Q_EMIT changed();
            measureCurve(joined);
        }
    });
}

std::vector<PlanCosts::Point> PlanCosts::curve(const Plan& plan) const
{
    std::vector<Point> points;
    const auto add = [&](const CostModel& model) {
        const PlanCost cost = model.price(plan);
        points.push_back({model.counts().batchSize, cost.seconds(), cost.peakBytes()});
    };
    if (const auto known = m_curves.find(plan.joined); known != m_curves.end()) {
        for (const std::shared_ptr<const CostModel>& model : known->second)
            add(*model);
        if (m_model && m_model->counts().joined == plan.joined && std::ranges::count(points, m_model->counts().batchSize, &Point::batchSize) == 0)
            add(*m_model);
        std::ranges::sort(points, {}, &Point::batchSize);
    }
    return points;
}

std::int64_t PlanCosts::batchSize() const
{
    const bool isBound = m_options.memoryBytes > 0 && m_options.batchSize == 0;
    return isBound && m_model ? m_model->counts().batchSize : m_options.batchSize;
}

std::int64_t PlanCosts::numNodes() const
{
    return m_graph ? m_graph->numNodes : 0;
}

const std::string& PlanCosts::graphName() const
{
    static const std::string none;
    return m_graph ? m_graph->name : none;
}

void PlanCosts::watch(Job& job)
{
    connect(&job, &Job::progressed, this, [this, title = job.title()](double fraction, const QString&) { Q_EMIT working(title, fraction); });
    Q_EMIT working(job.title(), 0);
}

void PlanCosts::finish(std::unique_ptr<Job>& job)
{
    job.release()->deleteLater();
    const auto tell = [this] {
        if (!isWorking())
            Q_EMIT working({}, 0);
    };
    QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);  // most are followed by another
}

// What is known stays.
void PlanCosts::stop()
{
    if (!isWorking())
        return;
    m_isStopped = true;
    for (std::unique_ptr<Job>* job : {&m_job, &m_joinedJob, &m_curveJob})
        Job::retire(*job, this);
    Q_EMIT changed();
    Q_EMIT working({}, 0);
}

void PlanCosts::makeWay()
{
    if (!m_model || m_isStopped || !isWorking())
        return;
    m_makesWay = true;
    stop();
}

void PlanCosts::goOnAfterwards()
{
    if (std::exchange(m_makesWay, false))
        goOn();
}

void PlanCosts::goOn()
{
    if (!std::exchange(m_isStopped, false))
        return;
    if (!m_model)
        measure(true);
    else if (m_plans.size() < planners.size())
        compare();
    else if (!measureCurve(m_model->counts().joined))
        compareExtremes();
    want(std::set(m_wanted));
    Q_EMIT changed();
}

// Rows counted, and what every plan costs; then the plans of all planners.
void PlanCosts::measure(bool keepCurve)
{
    Job::retire(m_job, this);
    Job::retire(m_joinedJob, this);
    m_planning.reset();
    m_isStopped = m_makesWay = false;
    m_tried.clear();
    m_plans.clear();
    m_ofPlans.clear();
    m_model.reset();
    m_joined.clear();
    m_problem.clear();
    // What is priced from here on may have other functions than what was measured.
    if (!keepCurve) {
        Job::retire(m_curveJob, this);
        m_curves.clear();
    }
    Q_EMIT changed();
    if (!keepCurve)
        Q_EMIT curveChanged();
    Q_EMIT working({}, 0);
    if (!m_subject || !m_graph)
        return;
    m_job = std::make_unique<Job>(
        tr("Counting rows of blocks"),
        [subject = m_subject, graph = m_graph, options = m_options, constraints = m_constraints](const Progress& progress) {
            Measured measured;
            measured.planning = planningOf(subject, graph, options, progress);
            measured.plans.push_back(inBounds(*measured.planning, constraints, options, measured.note, progress));
            measured.model = costModel(subject, measured.plans.front().counts, *measured.planning);
            return measured;
        },
        [this](Measured measured) {
            m_plans = std::move(measured.plans);
            m_ofPlans.clear();
            m_model = std::move(measured.model);
            m_planning = std::move(measured.planning);
            if (!measured.note.isEmpty())
                Q_EMIT noted(measured.note);
        });
    watch(*m_job);
    connect(m_job.get(), &Job::failed, this, [this](const QString& sentence) {
        m_problem = sentence;
        Q_EMIT failed(sentence);
    });
    connect(m_job.get(), &Job::finished, this, [this] {
        finish(m_job);
        Q_EMIT changed();
        if (m_model)
            compare();
    });
}

void PlanCosts::compare()
{
    Job::retire(m_job, this);
    m_job = std::make_unique<Job>(
        tr("Planning"),
        [subject = m_subject, graph = m_graph, options = m_options, constraints = m_constraints, size = batchSize(),
         counted = std::exchange(m_planning, nullptr)](const Progress& progress) {
            Measured measured;
            measured.planning = counted ? counted : planningOf(subject, graph, options, progress);
            for (const Planner planner : planners)
                measured.plans.push_back(measured.planning->make(planner, {constraints, 0, size, options.order}, progress));
            return measured;
        },
        [this](Measured measured) {
            m_plans = std::move(measured.plans);
            m_ofPlans.clear();
            m_planning = std::move(measured.planning);
        });
    watch(*m_job);
    connect(m_job.get(), &Job::failed, this, &PlanCosts::noted);
    connect(m_job.get(), &Job::finished, this, [this] {
        finish(m_job);
        Q_EMIT changed();
        if (m_model && !measureCurve(m_model->counts().joined))
            compareExtremes();
    });
}

// What only serves for comparison comes last, one after the other: it may take long, and may not be possible.
void PlanCosts::compareExtremes()
{
    if (m_job || m_isStopped || !m_model || m_plans.size() < planners.size())
        return;
    const auto next = std::ranges::find_if(extremes, [&](Planner planner) { return !m_tried.contains(planner); });
    if (next == extremes.end())
        return;
    const Planner planner = *next;
    m_job = std::make_unique<Job>(
        tr("Counting rows for “%1”").arg(planText(std::string(plannerName(planner)))),
        [subject = m_subject, graph = m_graph, options = m_options, constraints = m_constraints, planner, size = batchSize(),
         counted = std::exchange(m_planning, nullptr)](const Progress& progress) {
            Measured measured;
            measured.planning = counted ? counted : planningOf(subject, graph, options, progress);
            try {
                measured.plans.push_back(measured.planning->make(planner, {constraints, 0, size, options.order}, progress));
            } catch (const Error& error) {
                measured.note = toText(error.what());
            }
            return measured;
        },
        [this, planner](Measured measured) {
            m_tried.insert(planner);
            m_planning = std::move(measured.planning);
            if (!measured.note.isEmpty())
                Q_EMIT noted(measured.note);
            // Node-wise stands before the full graph.
            m_plans.insert(m_plans.begin() + static_cast<std::ptrdiff_t>(planners.size()), std::make_move_iterator(measured.plans.begin()),
                           std::make_move_iterator(measured.plans.end()));
        });
    watch(*m_job);
    connect(m_job.get(), &Job::failed, this, [this, planner](const QString& sentence) {
        m_tried.insert(planner);
        Q_EMIT noted(sentence);
    });
    connect(m_job.get(), &Job::finished, this, [this] {
        finish(m_job);
        Q_EMIT changed();
        compareExtremes();
    });
}

// The planners again, for other constraints: the rows are counted already.
void PlanCosts::plan()
{
    if (m_plans.size() < planners.size()) {
        compare();
        return;
    }
    Job::retire(m_job, this);
    m_job = std::make_unique<Job>(
        tr("Planning"),
        [subject = m_subject, model = m_model, constraints = m_constraints](const Progress& progress) {
            std::vector<Planned> plans;
            for (const Planner planner : planners)
                plans.push_back(makePlan(planner, *model, {constraints}, progress));
            return plans;
        },
        [this](std::vector<Planned> plans) {
            for (std::size_t i = 0; i < plans.size(); ++i)
                m_plans[i].planned = std::move(plans[i]);
        });
    watch(*m_job);
    connect(m_job.get(), &Job::failed, this, &PlanCosts::noted);
    connect(m_job.get(), &Job::finished, this, [this] {
        finish(m_job);
        Q_EMIT changed();
        if (!m_curveJob)
            compareExtremes();
    });
}

bool PlanCosts::measureCurve(const std::set<int>& joined)
{
    if (m_curveJob && m_curveWanted == joined)
        return true;
    if (m_curves.contains(joined))
        return false;
    Job::retire(m_curveJob, this);
    m_curveWanted = joined;
    m_curveJob = std::make_unique<Job>(
        tr("Comparing batch sizes"),
        [subject = m_subject, graph = m_graph, options = m_options, joined](const Progress& progress) {
            Models models;
            Planning planning(*subject->model, *graph, options, readRates(ratesPath()), progress);
            Plan plan = subject->space.messageDegree();
            plan.joined = joined;
            for (const std::int64_t size : curveSizes(graph->numNodes))
                models.push_back(costModel(subject, planning.price(plan, {{}, 0, size, options.order}, {}, progress).counts, planning));
            return models;
        },
        [this, joined](Models models) { m_curves[joined] = std::move(models); });
    watch(*m_curveJob);
    connect(m_curveJob.get(), &Job::finished, this, [this] {
        finish(m_curveJob);
        Q_EMIT curveChanged();
        compareExtremes();
    });
    return true;
}

}  // namespace cleave::views
