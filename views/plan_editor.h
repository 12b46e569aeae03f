#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/plan/code.h"
#include "core/plan/plan_file.h"
#include "views/plan_costs.h"

namespace cleave::views {

/// How nodes are put into batches.
struct Batches {
    std::int64_t size = 0;  ///< 0: chosen by the program
    NodeOrder order = NodeOrder::Natural;

    bool operator==(const Batches&) const = default;
};

/// What a person does to the plan of the open model: each change is one step that can be undone. Knows what every plan costs on the open graph.
class PlanEditor : public QObject {
    Q_OBJECT

public:
    explicit PlanEditor(QObject* parent = nullptr);
    ~PlanEditor() override;

    /// null: none. Begins at message degree, with nothing to undo
    void setModel(std::shared_ptr<const Model> model, const std::set<Rewrite>& rewrites = {});
    /// One undo step: the same model after other rewrites, of which not all need apply to it; cut at message degree.
    void takeProgram(std::shared_ptr<const Model> model, const std::set<Rewrite>& rewrites, const QString& text);
    void setGraph(std::shared_ptr<const DataGraph> graph, const RunOptions& options);  ///< costs are measured in the background; null: none
    void measureAgain() { m_costs.measureAgain(); }                                    ///< for other rates
    void stopMeasuring() { m_costs.stop(); }
    void goOnMeasuring() { m_costs.goOn(); }
    void makeWay() { m_costs.makeWay(); }
    void goOnAfterwards() { m_costs.goOnAfterwards(); }

    std::shared_ptr<const Model> model() const { return m_now.subject ? m_now.subject->model : nullptr; }
    const std::set<Rewrite>& rewrites() const { return m_now.rewrites; }  ///< that were asked for
    const PlanSpace* space() const;                                       ///< null without a model
    const Plan& plan() const { return m_now.plan; }                       ///< that is run and saved
    const Plan& base() const { return m_now.base; }                       ///< at message degree
    const DeviceWishes& devices() const { return m_now.devices; }         ///< which functions run elsewhere than on the processor
    Batches batches() const { return {m_options.batchSize, m_options.order}; }
    std::size_t memoryBound() const { return m_options.memoryBytes; }  ///< bytes that runs may take; 0: there is none
    const Plan& shown() const { return m_preview ? *m_preview : m_now.plan; }
    bool hasMoves() const { return m_now.subject && !(m_now.plan == m_now.base); }  ///< is another plan than the program's own
    bool isModified() const { return !m_history.isClean(); }
    QUndoStack& history() { return m_history; }

    /// The model, cut as the plan says; the cut at message degree is the model's own. Null without a model.
    std::shared_ptr<const Model> plannedModel() const;
    PlanCode code() const;  ///< none without a model

    // Each is one undo step, or a sentence of refused() and no step.
    bool moveOps(const std::vector<OpId>& ops, Position to);
    bool setSaved(ValueId tensor, int cut, bool saved);
    bool pin(OpId op);    ///< to the function that it runs in now
    bool unpin(OpId op);
    bool keepTogether(OpId a, OpId b);  ///< in one function from now on
    bool letGo(OpId op);                ///< of those that it is kept together with
    /// the functions above and below it run together: nothing is saved between them, over blocks of one hop more
    bool setJoined(int cut, bool joined);
    /// A legal one, and the batches and devices that it is for.
    bool take(const Plan& plan, const QString& text, std::optional<Batches> taken = {}, std::optional<DeviceWishes> devices = {},
              std::optional<StoredPlan> loaded = {});
    /// A planner's: one that needs batches of its own brings them, and the next one brings back those that were there before.
    bool take(const PricedPlan& plan, const QString& text);
    bool takeBatches(const Batches& batches);  ///< of which one thing is new
    bool takeDevices(const DeviceWishes& devices, const QString& text);
    bool runOn(const std::string& device);        ///< all functions; "cpu": none on a device
    bool runWhereFaster(const std::string& device);  ///< by the costs that are known: false without them
    bool runOn(const std::string& device, const DeviceWishes::Function& function, bool isThere);

    // A plan that is shown, but neither run nor saved until it is kept; any change of the plan ends it.
    void preview(const Plan& plan);
    bool previewCut(int cut, bool up);  ///< moved from where it is shown to the next legal place, or a sentence of refused()
    void endPreview();
    bool keepMovedCut(int cut);  ///< the preview, as one undo step that says what the cut saves now
    bool keepPreview();          ///< likewise of the cut that is previewed, if one is: what is run or saved is what is shown
    bool hasPreview() const { return m_preview.has_value(); }

    void write(const std::filesystem::path& path) const;  ///< Error if it cannot be written; nothing is left behind then
    void save(const std::filesystem::path& path);         ///< write(), and the plan is as saved
    /// One undo step. isSaved: the plan is as saved. Error without a model, or for a file that is no plan of it.
    StoredPlan load(const std::filesystem::path& path, bool isSaved = true);

    /// Another plan of the model, to be shown beside this one. Error without a model, or for a file that is no plan of it.
    void compareWith(const std::filesystem::path& path);
    void endComparison();
    struct Other {
        QString name;
        Plan plan;
    };
    const std::optional<Other>& other() const { return m_other; }
    QStringList differences() const;  ///< of the kept plan from the other one, a sentence for each op that stands elsewhere

    QString opsText(const std::vector<OpId>& ops) const;  ///< "linear_1 and 2 more"
    QString positionText(Position position) const;  ///< "before message passing 2", "to function 2"

    const PlanCosts& costs() const { return m_costs; }
    const std::optional<PlanCost>& cost() const { return m_cost; }  ///< of the shown plan
    const std::optional<DevicePlacement>& placement() const { return m_placement; }  ///< of the shown plan, where a device has functions of it
    bool showsCosts() const { return m_showsCosts; }                ///< to the person, who may have to guess first
    void setShowsCosts(bool shows);
    void showAgain();  ///< all costs, in units that were changed

Q_SIGNALS:
    void programChanged();  ///< to that of model(), before its plan is shown
    void changed();       ///< the plan: what was run was another one
    void shownChanged();  ///< the plan, or another is looked at
    void costsChanged();  ///< of every plan, or there are none any more
    void curveChanged();  ///< over batch sizes
    void comparisonChanged();
    void batchesWanted(cleave::views::Batches batches);  ///< by a plan that was taken, or taken back
    void refused(const QString& sentence);
    void noted(const QString& sentence);   ///< of planners that made no plan
    void failed(const QString& sentence);  ///< costs().problem()

private:
    class Step;

    struct State {
        std::shared_ptr<const PlannedModel> subject;
        std::set<Rewrite> rewrites;
        Plan base, plan;
        DeviceWishes devices;
        std::optional<StoredPlan> loaded;  // last, for what it copies where costs do not say
    };

    static State stateOf(std::shared_ptr<const Model> model, const std::set<Rewrite>& rewrites);
    void setState(const State& state, bool isOtherProgram);
    void price();
    void show();
    bool apply(const Move& move, const std::vector<OpId>& named, const QString& text);
    QString nameOf(OpId op) const;
    QString movedCutText(int cut, const Plan& after) const;
    std::set<BlockCopy> copied() const;

    std::optional<Batches> batchesBefore() const;  // those that a plan brought, if they are still there

    struct BroughtBatches {
        Batches before, now;
    };

    State m_now;
    std::optional<BroughtBatches> m_brought;
    RunOptions m_options;
    std::optional<Plan> m_preview;
    std::optional<int> m_previewedCut;  // by keys; none while a mouse drags
    std::optional<Other> m_other;
    QUndoStack m_history;
    PlanCosts m_costs;
    std::optional<PlanCost> m_cost;
    std::optional<DevicePlacement> m_placement;
    bool m_showsCosts = true;
};

QString functionText(const FunctionCost& f);   ///< "function 2"
bool isIdle(const FunctionCost& f);            ///< of a message degree at which nothing is done: no function of the plan
QString functionTitle(const FunctionCost& f);  ///< "Function 2"
std::vector<std::size_t> inOrderOfRuns(const PlanCost& cost);  ///< places of its functions, first what runs first: global ops before their level

}  // namespace cleave::views
