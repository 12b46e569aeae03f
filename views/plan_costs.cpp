#include "views/plan_costs.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.h"
#include "core/run/calibrate.h"
#include "views/text.h"

namespace cleave::views {

namespace {

constexpr std::array planners{Planner::MessageDegree, Planner::Greedy, Planner::Optimal};

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

std::shared_ptr<Planning> planningOf(const std::shared_ptr<const PlannedModel>& subject, const std::shared_ptr<const DataGraph>& graph, const RunOptions& options,
                                     const Progress& progress)
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

}  // namespace

struct PlanCosts::Measured {
    std::shared_ptr<Planning> planning;  // used by one worker at a time
    std::vector<PricedPlan> plans;
    std::shared_ptr<const CostModel> model;
    QStringList notes;
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

const CostModel* PlanCosts::modelFor(const std::set<int>& joined) const
{
    if (!m_model || m_model->counts().joined == joined)
        return m_model.get();
    const auto known = m_joined.find(joined);
    return known == m_joined.end() ? nullptr : known->second.get();
}

void PlanCosts::want(const std::set<int>& joined)
{
    if (!m_model || modelFor(joined) != nullptr || (m_joinedJob && m_wanted == joined))
        return;
    Job::retire(m_joinedJob, this);
    m_wanted = joined;
    m_joinedJob = std::make_unique<Job>(
        tr("Counting rows of blocks"),
        [subject = m_subject, graph = m_graph, options = m_options, batchSize = m_model->counts().batchSize, joined](const Progress& progress) {
            Planning planning(*subject->model, *graph, options, readRates(ratesPath()), progress);
            Plan plan = subject->space.messageDegree();
            plan.joined = joined;
            return costModel(subject, planning.price(plan, {{}, 0, batchSize, options.order}, {}, progress).counts, planning);
        },
        [this, joined](std::shared_ptr<const CostModel> model) { m_joined[joined] = std::move(model); });
    connect(m_joinedJob.get(), &Job::failed, this, &PlanCosts::noted);
    connect(m_joinedJob.get(), &Job::finished, this, [this] {
        const bool isKnown = modelFor(m_wanted) != nullptr;
        finish(m_joinedJob);
        if (isKnown) {
            Q_EMIT changed();
            measureCurve(m_wanted);
        }
    });
}

std::vector<PlanCosts::Point> PlanCosts::curve(const Plan& plan) const
{
    std::vector<Point> points;
    if (const auto known = m_curves.find(plan.joined); known != m_curves.end())
        for (const std::shared_ptr<const CostModel>& model : known->second) {
            const PlanCost cost = model->price(plan);
            points.push_back({model->counts().batchSize, cost.seconds(), cost.peakBytes()});
        }
    return points;
}

const std::string& PlanCosts::graphName() const
{
    static const std::string none;
    return m_graph ? m_graph->name : none;
}

void PlanCosts::finish(std::unique_ptr<Job>& job) { job.release()->deleteLater(); }

// Rows counted, and what every plan costs; then the plans of all planners.
void PlanCosts::measure(bool keepCurve)
{
    Job::retire(m_job, this);
    Job::retire(m_joinedJob, this);
    m_planning.reset();
    m_plans.clear();
    m_model.reset();
    m_joined.clear();
    m_problem.clear();
    Q_EMIT changed();
    if (!keepCurve) {
        Job::retire(m_curveJob, this);
        m_curves.clear();
        Q_EMIT curveChanged();
    }
    if (!m_subject || !m_graph)
        return;
    m_job = std::make_unique<Job>(
        tr("Counting rows of blocks"),
        [subject = m_subject, graph = m_graph, options = m_options, constraints = m_constraints](const Progress& progress) {
            Measured measured;
            measured.planning = planningOf(subject, graph, options, progress);
            measured.plans.push_back(measured.planning->make(Planner::MessageDegree, {constraints, 0, options.batchSize, options.order}, progress));
            measured.model = costModel(subject, measured.plans.front().counts, *measured.planning);
            return measured;
        },
        [this](Measured measured) {
            m_plans = std::move(measured.plans);
            m_model = std::move(measured.model);
            m_planning = std::move(measured.planning);
        });
    connect(m_job.get(), &Job::failed, this, [this](const QString& sentence) {
        m_problem = sentence;
        Q_EMIT noted(sentence);
    });
    connect(m_job.get(), &Job::finished, this, [this] {
        finish(m_job);
        Q_EMIT changed();
        if (m_model)
            compare(std::exchange(m_planning, nullptr));
    });
}

void PlanCosts::compare(std::shared_ptr<Planning> counted)
{
    Job::retire(m_job, this);
    m_job = std::make_unique<Job>(
        tr("Planning"),
        [subject = m_subject, graph = m_graph, options = m_options, constraints = m_constraints, counted = std::move(counted)](const Progress& progress) {
            Measured measured;
            const std::shared_ptr<Planning> planning = counted ? counted : planningOf(subject, graph, options, progress);
            const PlanningRequest request{constraints, 0, options.batchSize, options.order};
            for (const Planner planner : planners)
                measured.plans.push_back(planning->make(planner, request, progress));
            // What only serves for comparison may not be possible.
            for (const Planner planner : {Planner::NodeWise, Planner::FullGraph})
                try {
                    measured.plans.push_back(planning->make(planner, request, progress));
                } catch (const Error& error) {
                    measured.notes.append(toText(error.what()));
                }
            return measured;
        },
        [this](Measured measured) {
            m_plans = std::move(measured.plans);
            for (const QString& note : measured.notes)
                Q_EMIT noted(note);
        });
    connect(m_job.get(), &Job::failed, this, &PlanCosts::noted);
    connect(m_job.get(), &Job::finished, this, [this] {
        finish(m_job);
        Q_EMIT changed();
        if (m_model)
            measureCurve(m_model->counts().joined);
    });
}

// The planners again, for other constraints: the rows are counted already.
void PlanCosts::plan()
{
    if (m_plans.size() < planners.size()) {
        compare(nullptr);
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
    connect(m_job.get(), &Job::failed, this, &PlanCosts::noted);
    connect(m_job.get(), &Job::finished, this, [this] {
        finish(m_job);
        Q_EMIT changed();
    });
}

void PlanCosts::measureCurve(const std::set<int>& joined)
{
    if (m_curves.contains(joined) || (m_curveJob && m_curveWanted == joined))
        return;
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
    connect(m_curveJob.get(), &Job::finished, this, [this] {
        finish(m_curveJob);
        Q_EMIT curveChanged();
    });
}

}  // namespace cleave::views
