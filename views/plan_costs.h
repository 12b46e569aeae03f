#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/plan/plan_file.h"
#include "core/run/planning.h"
#include "views/job.h"

namespace cleave::views {

/// A model and all its plans; shared with workers.
struct PlannedModel {
    explicit PlannedModel(std::shared_ptr<const Model> m) : model(std::move(m)), space(*model->analysis) {}

    std::shared_ptr<const Model> model;
    PlanSpace space;
};

QString planText(const std::string& name);  ///< of a PricedPlan: "Message degree"

/// What plans cost on the open graph, and which ones the planners make. Rows are counted and plans are made in the background, anew for another
/// model, graph, batch size or constraint.
class PlanCosts : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;
    ~PlanCosts() override;

    void setModel(std::shared_ptr<const PlannedModel> model);  ///< null: none
    void setGraph(std::shared_ptr<const DataGraph> graph, const RunOptions& options);
    void measureAgain() { measure(false); }  ///< for other rates of this machine
    void setConstraints(const Constraints& constraints);  ///< that the planners keep

    const std::vector<PricedPlan>& plans() const { return m_plans; }  ///< of all planners; empty until they are known
    const CostModel* model() const { return m_model.get(); }         ///< null until the rows are counted
    const CostModel* modelFor(const std::set<int>& joined) const;    ///< of plans that join these functions; null until their rows are counted
    void want(const std::set<int>& joined);                          ///< counts them in the background, and then their curve, if they are not known
    /// for the same batch size as theirs; nothing without a graph or until it is known
    std::optional<PlanCost> costOf(const Plan& plan) const;

    /// nothing without a device
    std::optional<DevicePlacement> placementOf(const Plan& plan, const PlanCost& cost, const DeviceWishes& devices) const;
    std::optional<DevicePlacement> placementOf(const PricedPlan& plan, const DeviceWishes& devices) const;  ///< of plans()
    DeviceWishes placed(const Plan& plan, const PlanCost& cost, const std::string& device) const;  ///< where that is faster

    struct Point {
        std::int64_t batchSize = 0;
        double seconds = 0, peakBytes = 0;
    };
    std::vector<Point> curve(const Plan& plan) const;  ///< over batch sizes, from small to large, the present one among them; empty until it is known

    bool isMeasuring() const { return m_job != nullptr; }
    bool isWorking() const { return m_job || m_curveJob || m_joinedJob; }
    void stop();   ///< what is still to be counted and planned; what is known stays
    void goOn();   ///< with that
    bool isStopped() const { return m_isStopped; }
    /// While something runs that is to be neither slowed down nor left with less memory: what only serves for comparison is put off.
    void makeWay();
    void goOnAfterwards();
    bool makesWay() const { return m_makesWay; }
    bool hasGraph() const { return m_graph != nullptr; }
    std::int64_t numNodes() const;                        ///< of the graph; 0 without one
    const QString& problem() const { return m_problem; }  ///< why there are no costs for the graph, in a sentence
    const std::string& graphName() const;

Q_SIGNALS:
    void changed();       ///< the cost of every plan, or there are none any more
    void curveChanged();  ///< there is one, or none any more
    void noted(const QString& sentence);                 ///< of planners that made no plan
    void failed(const QString& sentence);                ///< problem()
    void working(const QString& what, double fraction);  ///< in the background; empty: not any more

private:
    struct Measured;
    using Models = std::vector<std::shared_ptr<const CostModel>>;

    void measure(bool keepCurve);
    void compare();
    void compareExtremes();
    void plan();
    bool measureCurve(const std::set<int>& joined);  // false: it is known
    void watch(Job& job);
    void finish(std::unique_ptr<Job>& job);

    std::shared_ptr<const PlannedModel> m_subject;
    std::shared_ptr<const DataGraph> m_graph;
    RunOptions m_options;
    Constraints m_constraints;
    std::int64_t batchSize() const;  // of all plans; 0: not chosen yet

    std::shared_ptr<Planning> m_planning;  // that has counted the rows; null while a job uses it
    std::set<Planner> m_tried;             // of those that serve for comparison
    std::vector<PricedPlan> m_plans;
    std::shared_ptr<const CostModel> m_model;
    std::map<std::set<int>, std::shared_ptr<const CostModel>> m_joined;
    mutable std::map<std::string, std::shared_ptr<const CostModel>> m_ofPlans;  // of those among plans() that batches of their own are for
    std::set<int> m_wanted;  // the functions joined in the plan at hand
    bool m_isStopped = false;
    bool m_makesWay = false;  // stopped until then
    std::map<std::set<int>, Models> m_curves;
    std::set<int> m_curveWanted;
    QString m_problem;
    std::unique_ptr<Job> m_job, m_curveJob, m_joinedJob;
};

}  // namespace cleave::views
