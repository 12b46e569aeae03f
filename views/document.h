#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/graph/degrees.h"
#include "core/run/verify.h"
#include "views/job.h"
#include "views/plan_editor.h"

namespace cleave::views {

class ViewedGraph;

/// What changed in a document.
enum class Change : std::uint8_t {
    Model,    ///< another model, or profile graph, or none
    Graph,    ///< another graph, or none
    Options,  ///< batch size, tolerance or what Verify compares with
    Result,   ///< a run or its comparison, or none
    Tasks,    ///< what is being worked on
};

enum class Task : std::uint8_t { OpenModel, Check, Look, OpenGraph, OpenExpected, Run, Calibrate };
constexpr std::size_t taskCount = 7;

/// What a person has said of the inputs of a model file, instead of the guess or where the file leaves it open.
struct InputHints {
    std::map<std::string, Role> roles;
    std::map<std::string, std::int64_t> widths;  ///< OpenOptions::widths
    std::map<std::string, std::string> arrays;   ///< RunOptions::inputs
};

/// What was found out about a plan as it is: by the last run, and by the last Verify, which is a run too.
struct Report {
    std::optional<RunResult> layerWise;
    std::optional<VerifyResult> verify;

    const RunResult* run() const { return layerWise ? &*layerWise : verify ? &verify->layerWise : nullptr; }  ///< the last; null: none
    bool isOfVerify() const { return verify && !layerWise; }                                                  ///< the last
};

/// The loaded model, the graph and what they gave, and the work on them. Snapshots are shared with workers and never changed.
class Document : public QObject {
    Q_OBJECT

public:
    explicit Document(QObject* parent = nullptr);
    ~Document() override;

    const std::shared_ptr<const Model>& model() const { return m_model; }
    const std::shared_ptr<const ViewedGraph>& viewed() const
    {
        return m_viewed;
    }  ///< what is looked at instead of a model: a profile graph, or one that was refused
    const QString& modelPath() const { return m_modelPath; }
    const std::shared_ptr<const DataGraph>& graph() const { return m_graph; }
    const QString& graphPath() const { return m_graphPath; }
    const std::optional<DegreeSummary>& degrees() const { return m_degrees; }  ///< of the graph
    std::vector<std::filesystem::path> filesRead() const;                      ///< model, graph and expected outputs, where they come from files
    const QString& expectedPath() const { return m_expectedPath; }  ///< empty: none
    const VerifyOptions& options() const { return m_options; }
    const Report& report() const { return m_report; }
    /// Also of another plan than that which is there now.
    const Report& lastReport() const { return m_report.run() != nullptr ? m_report : m_setAside; }
    PlanEditor& planEditor() { return m_planEditor; }  ///< of the model that is open; runs are of its plan
    const PlanEditor& planEditor() const { return m_planEditor; }

    void setHints(InputHints hints);  ///< of the file that is opened next
    const InputHints& hints() const { return m_hints; }  ///< of the model that is open
    void setRole(const QString& input, Role role);  ///< of the model that is open, which is read anew
    void setArray(const QString& input, const QString& array);  ///< of the graph that runs take for it; empty: that of its name
    void tryRole(const QString& input, Role role);  ///< of the file that was to be opened last
    void tryWidth(const QString& input, std::int64_t width);
    void open(const QString& path);  ///< by what it holds or ends with: a profile graph, a graph, a plan, otherwise a model
    void openModel(const QString& path);
    void reload();                         ///< the files that are open, which may have been written anew
    void openStages(const QString& path);  ///< a profile graph
    void openGraph(const QString& path);
    void openKarateClub();  ///< with random features, as wide as the model wants them
    /// Outputs recorded elsewhere, which Verify compares with as well, until they are closed or another model or graph is opened.
    void openExpected(const QString& path);
    void closeExpected();
    void openPlan(const QString& path);      ///< of the model that is open or being opened, with its rewrites, batch size and node order
    /// openPlan() of one that nobody saved; savedPath: the file that it was read from before, may be empty
    void restorePlan(const QString& path, const QString& savedPath);
    const QString& planPath() const { return m_planPath; }            ///< file that the plan was last read from or written to; empty: none
    bool savePlan(const QString& path);
    void comparePlan(const QString& path);  ///< shown beside the plan at hand; what differs is noted
    void setModel(std::shared_ptr<const Model> model, const QString& path, InputHints hints = {});
    void setViewed(std::shared_ptr<const ViewedGraph> viewed, const QString& path);
    void setGraph(std::shared_ptr<const DataGraph> graph, const QString& path);  ///< which may be empty: it was not read from a file
    void setBatchSize(std::int64_t batchSize);  ///< 0: chosen by the program
    void chooseBatchSize(std::int64_t batchSize);  ///< as a step of the plan's history, if there is a plan
    void setMemoryBound(std::size_t bytes);     ///< of runs layer by layer; 0: none
    void setNodeOrder(NodeOrder order);
    void chooseNodeOrder(NodeOrder order);  ///< likewise
    void setRandomFeatures(bool random);        ///< for node features that the graph lacks
    void compareAfterRewrites(const QString& path, const std::set<Rewrite>& rewrites);  ///< comparePlan, once the program is so
    /// of the model that is open, from its traced program, as one undo step; and of those opened from now on
    void setRewrites(std::set<Rewrite> rewrites);
    const std::set<Rewrite>& rewrites() const { return m_rewrites; }
    void chooseRewrites();  ///< all but those that would lose time on the graph at hand; without a graph, all
    Tolerance tolerance() const;  ///< usualTolerance of the model that is open, if no other was set
    void setTolerance(const Tolerance& tolerance);

    bool isChecked() const { return m_isChecked; }  ///< the cut of the model that is open gives the whole model's answers on small graphs
    bool canRun() const { return m_model && m_graph && !isBusy(); }
    void runLayerWise();
    void verify();
    void calibrate();  ///< measures this machine's rates, keeps them for every cost from now on and prices all plans anew
    void writeProfile(const QString& path);  ///< of the plan on the graph, measured anew: a profile graph

    const Job* job(Task task) const { return m_jobs[static_cast<std::size_t>(task)].get(); }
    bool isBusy() const;
    void showAgain();  ///< everything, in units that were changed
    void cancel();  ///< everything that is being worked on; what a single operator of LibTorch holds up ends behind the scenes

Q_SIGNALS:
    void starting(cleave::views::Task task);
    void modelAboutToChange();  ///< to another file's, with the plan that it has
    void planOpened(const QString& path);
    void planPathChanged();
    void rewritesDiffer(const QString& path, const std::set<Rewrite>& made);  ///< those of a plan to compare with are not those of the open program
    void planDiffers(const QStringList& remarks);  ///< that was opened: it was made for another model file
    void planNotOpened(const QString& path);  ///< neither is its model
    void changed(cleave::views::Change change);
    void progressed(double fraction, const QString& what);
    void failed(const QString& sentence);
    void modelRefused(const QString& path, const QString& sentence);  ///< that was to be opened
    void noted(const QString& sentence);  ///< for the list of messages
    void cancelled(const QString& sentence);  ///< by somebody, who is told

private:
    struct PlanFile {
        QString path;
        bool isSaved = true;
        QString savedPath;  ///< of one that is not
        std::optional<std::set<Rewrite>> rewritesBefore = {};  ///< that others were made instead of, for this plan
        int stepsBefore = 0;                                   ///< of the history, then
    };

    template <class Work, class Apply>
    void start(Task task, const QString& title, Work work, Apply apply)
    {
        take(task, std::make_unique<Job>(title, std::move(work), std::move(apply)));
    }
    void take(Task task, std::unique_ptr<Job> job);
    void abandon(Task task);
    void drop(Task task);
    /// What answers and times are of.
    struct Subject {
        Plan plan;
        DeviceWishes devices;
        std::int64_t batchSize = 0;
        NodeOrder order = NodeOrder::Natural;
        bool randomFeatures = false;
        std::map<std::string, std::string> inputs;

        bool operator==(const Subject&) const = default;
    };

    Subject subject() const;
    void fitReport();
    void setReport(Report report);
    void takeReport(Report report, const Subject& ran);
    void fitGraph();
    void takeGraph(std::shared_ptr<const DataGraph> graph, std::optional<DegreeSummary> degrees, const QString& path);
    void putModel(std::shared_ptr<const Model> model);
    void takeFile(const QString& path);
    void rewriteModel();
    void keepRewrites();
    void takeRewritten(std::shared_ptr<const Model> model, const std::set<Rewrite>& rewrites);
    void showProgram();
    void checkModel();
    void openModel(const QString& path, std::optional<PlanFile> plan, InputHints hints);
    void openPlan(const PlanFile& plan);
    void ended(Task task);
    void openAwaitedPlan();
    void takeBackRewrites(const PlanFile& plan);
    void dropAwaitedPlan();
    void setPlanPath(const QString& path);
    void lookAt(const QString& path, const QString& refusal);  // at the program of a file that was refused, where no model is open
    bool mayOpenNow() const;
    void openAgain();
    void setRunOptions(const RunOptions& options);

    std::shared_ptr<const Model> m_model;
    std::shared_ptr<const ViewedGraph> m_viewed;
    QString m_modelPath, m_planPath;
    QString m_openingPath;  // of the file that is being opened
    std::shared_ptr<const DataGraph> m_openedBeside;  // when its opening began
    bool m_checksFirst = false;                       // its cut was found wrong: with the sizes of a graph it may be right, before it is shown
    QString m_awaitedComparison;        // likewise, to be compared with
    std::optional<PlanFile> m_awaited;  // plan of the model that is being opened
    InputHints m_hints;
    InputHints m_openingHints;              // of the file that is being opened, or was to be
    std::optional<InputHints> m_nextHints;  // of the one that is opened next
    std::set<Rewrite> m_rewrites;
    std::shared_ptr<const DataGraph> m_graph, m_graphAsRead;  // with as many nodes as the model has learned rows for, and as its file tells
    QString m_graphPath;
    std::optional<DegreeSummary> m_degrees;
    QString m_expectedPath;
    VerifyOptions m_options;
    bool m_isChecked = false;
    Report m_report, m_setAside;  // of the plan that is shown; of the last that was run, where it is another
    Subject m_ran;
    PlanEditor m_planEditor;
    std::array<std::unique_ptr<Job>, taskCount> m_jobs;
};

}  // namespace cleave::views
