#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/plan/plan_file.h"
#include "core/run/planning.h"
#include "views/job.h"

namespace cleave::views {

/// What a person does to the plan of the open model: each change is one step that can be undone. Knows what every plan costs on the open graph.
class PlanEditor : public QObject {
    Q_OBJECT

public:
    explicit PlanEditor(QObject* parent = nullptr);
    ~PlanEditor() override;

    void setModel(std::shared_ptr<const Model> model);  ///< null: none. Begins at message degree, with nothing to undo
    /// Costs are measured in the background from now on. graph null: none
    void setGraph(std::shared_ptr<const DataGraph> graph, const RunOptions& options);

    const PlanSpace* space() const;  ///< null without a model
    const Plan& plan() const { return m_plan; }
    bool isAtMessageDegree() const;
    QUndoStack& history() { return m_history; }

    /// The model, cut as the plan says; the cut at message degree is the model's own. Null without a model.
    std::shared_ptr<const Model> plannedModel() const;

    // Each is one undo step, or a sentence of refused() and no step.
    bool moveOp(OpId op, Position to);
    bool setSaved(ValueId tensor, int cut, bool saved);
    bool take(const Plan& plan, const QString& text);  ///< a legal one

    QString positionText(Position position) const;  ///< "before message passing 2", "to function 2": as the picture numbers functions
    int functionNumber(int place) const;            ///< of one of PlanSpace's functions

    // A plan that is looked at, without a step, until it is taken or another is.
    void preview(const Plan& plan) { setPlan(plan); }
    bool keepPreview(const Plan& before, const QString& text);  ///< as one step from before

    void save(const std::filesystem::path& path);        ///< Error if it cannot be written; nothing is left behind then
    StoredPlan load(const std::filesystem::path& path);  ///< one undo step. Error without a model, or for a file that is no plan of it

    const std::vector<PricedPlan>& plans() const { return m_plans; }  ///< of all planners; empty until they are known
    std::optional<PlanCost> cost() const { return costOf(m_plan); }   ///< of the plan at hand, for the same batch size as theirs
    std::optional<PlanCost> costOf(const Plan& plan) const;           ///< nothing without a graph, or before its rows are counted
    bool isMeasuring() const { return m_job != nullptr; }

Q_SIGNALS:
    void changed();       ///< the plan
    void costsChanged();  ///< of every plan, or there are none any more
    void refused(const QString& sentence);
    void noted(const QString& sentence);  ///< of planners that made no plan

private:
    struct Subject;
    struct Costs;
    class Step;

    void setPlan(const Plan& plan);
    bool apply(const Move& move, OpId named, const QString& text);
    void measure();

    std::shared_ptr<const Subject> m_subject;
    std::shared_ptr<const DataGraph> m_graph;
    RunOptions m_options;
    Plan m_plan;
    QUndoStack m_history;
    std::vector<PricedPlan> m_plans;
    std::shared_ptr<const CostModel> m_costs;
    std::unique_ptr<Job> m_job;
};

}  // namespace cleave::views
