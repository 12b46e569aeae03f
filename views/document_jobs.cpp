// What a document works on, and what runs of its plan give.
#include <QTimer>
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/pages.h"
#include "core/run/calibrate.h"
#include "core/run/plan_profile.h"
#include "core/run/planning.h"
#include "views/core_text.h"
#include "views/document.h"
#include "views/text.h"

namespace cleave::views {

namespace {

// What functions a plan has on a device run there.
RunOptions onDevices(RunOptions options, const DeviceWishes& devices, const CutProgram& cut)
{
    if (!devices.device.empty()) {
        options.device = devices.device;
        options.onDevice = devices.in(cut);
    }
    return options;
}

QString noticesText(const RunResult& result)
{
    QString text;
    for (const std::string& notice : result.notices)
        text += u' ' + fromCore(notice);
    return text;
}

// Nothing is cut on trust.
void checkPlanned(const Model& planned, const std::shared_ptr<const CutProgram>& checked, const Progress& progress)
{
    if (planned.cut != checked)
        checkCut(*planned.analysis, *planned.cut, progress);
}

}  // namespace

void Document::runLayerWise()
{
    m_planEditor.keepPreview();
    if (!canRun())
        return;
    start(
        Task::Run, tr("Running layer-wise"),
        [model = m_planEditor.plannedModel(), checked = m_isChecked ? m_model->cut : nullptr, plan = m_planEditor.plan(), graph = m_graph,
         chosen = m_options.run, devices = m_planEditor.devices()](const Progress& progress) {
            checkPlanned(*model, checked, progress);
            RunOptions options = onDevices(chosen, devices, *model->cut);
            options.warmsUp = true;
            RunResult result = cleave::runLayerWise(*model, *graph, options, progress);
            // A prediction counts and measures on the whole graph once more, with the memory that this takes. Within a bound that of the plan serves.
            if (options.memoryBytes == 0)
                result.predicted = predict(*model, plan, *graph, options, result, false, progress);
            giveBackPages();
            return result;
        },
        [this, plan = m_planEditor.plan(), cut = m_planEditor.plannedModel()->cut, ran = subject()](RunResult result) {
            const CostModel* costs = m_planEditor.costs().modelFor(plan.joined);
            if (result.predicted.seconds.empty() && costs != nullptr && costs->counts().batchSize == result.batchSize)
                result.predicted = predict(*costs, plan, *cut);
            Q_EMIT noted(tr("Layer-wise run finished in %1.").arg(secondsText(result.seconds)) + noticesText(result));
            takeReport({std::move(result), std::nullopt}, ran);
        });
}

void Document::verify()
{
    m_planEditor.keepPreview();
    if (!canRun())
        return;
    start(
        Task::Run, tr("Verifying"),
        [model = m_planEditor.plannedModel(), checked = m_isChecked ? m_model->cut : nullptr, plan = m_planEditor.plan(), graph = m_graph,
         chosen = m_options, devices = m_planEditor.devices()](const Progress& progress) {
            checkPlanned(*model, checked, progress);
            VerifyOptions options = chosen;
            options.run = onDevices(chosen.run, devices, *model->cut);
            options.run.warmsUp = true;
            VerifyResult result = cleave::verify(*model, *graph, options, progress);
            result.layerWise.predicted = predict(*model, plan, *graph, options.run, result.layerWise, false, progress);
            giveBackPages();
            return result;
        },
        [this, ran = subject()](VerifyResult result) {
            Q_EMIT noted(
                (result.equal() ? tr("Verified: the cut model gives the same answers.") : tr("Verified: the cut model gives different answers.")) +
                noticesText(result.layerWise));
            takeReport({std::nullopt, std::move(result)}, ran);
        });
}

void Document::writeProfile(const QString& path)
{
    m_planEditor.keepPreview();
    if (!canRun())
        return;
    start(
        Task::Run, tr("Measuring the plan"),
        [model = m_planEditor.plannedModel(), checked = m_isChecked ? m_model->cut : nullptr, graph = m_graph, options = m_options.run,
         file = toPath(path)](const Progress& progress) {
            checkPlanned(*model, checked, progress);
            writeProfileGraph(file, profilePlan(*model, *graph, options, progress));
            giveBackPages();
            return true;
        },
        [this, path](bool) { Q_EMIT noted(tr("Profile graph written to %1.").arg(path)); });
}

void Document::calibrate()
{
    if (isBusy())
        return;  // and what else runs would be measured with it
    start(
        Task::Calibrate, tr("Measuring this machine"), [](const Progress& progress) { return calibrateAll(0, progress); },
        [this](const Rates& rates) {
            try {
                writeRates(ratesPath(), rates);
            } catch (const Error& error) {
                Q_EMIT failed(toText(error.what()));
                return;
            }
            for (Report* report : {&m_report, &m_setAside}) {  // what was predicted with other rates is not to be compared
                if (report->layerWise)
                    report->layerWise->predicted = {};
                if (report->verify)
                    report->verify->layerWise.predicted = {};
            }
            setReport(std::move(m_report));
            m_planEditor.measureAgain();
        });
}

bool Document::isBusy() const
{
    return std::ranges::any_of(m_jobs, [](const std::unique_ptr<Job>& job) { return job != nullptr; });
}

void Document::showAgain()
{
    for (const Change change : {Change::Graph, Change::Options, Change::Result})
        Q_EMIT changed(change);
    m_planEditor.showAgain();
}

void Document::cancel()
{
    constexpr int patience = 150;  // milliseconds
    dropAwaitedPlan();
    m_openingPath.clear();
    keepRewrites();
    for (std::size_t i = 0; i < m_jobs.size(); ++i)
        if (m_jobs[i]) {
            Q_EMIT cancelled(tr("Cancelled: %1.").arg(m_jobs[i]->title()));
            m_jobs[i]->cancel();
            QTimer::singleShot(patience, m_jobs[i].get(), [this, i, job = m_jobs[i].get()] {
                if (m_jobs[i].get() == job)
                    drop(static_cast<Task>(i));
            });
        }
}

void Document::take(Task task, std::unique_ptr<Job> job)
{
    abandon(task);
    if (task == Task::OpenModel)
        abandon(Task::Look);
    if (task == Task::Run || task == Task::Calibrate)
        m_planEditor.makeWay();
    Q_EMIT starting(task);
    connect(job.get(), &Job::progressed, this, &Document::progressed);
    connect(job.get(), &Job::failed, this, [this, task](const QString& sentence) {
        if (task == Task::OpenModel && mayOpenNow())
            return;
        if (task == Task::OpenModel) {
            dropAwaitedPlan();
            keepRewrites();
        }
        if (task == Task::Check) {
            abandon(Task::OpenModel);  // its rewrites are those of this model
            m_openingPath = m_modelPath;
            m_openingHints = m_hints;
            m_openedBeside.reset();
            m_checksFirst = true;
            setModel(nullptr, {});  // whose cut is wrong: it is not kept
            if (mayOpenNow()) {
                QMetaObject::invokeMethod(this, &Document::openAgain, Qt::QueuedConnection);
                return;
            }
        }
        if (task == Task::OpenModel || task == Task::Check) {
            Q_EMIT modelRefused(m_openingPath, sentence);
            lookAt(m_openingPath, sentence);
        } else if (task != Task::Look) {  // it was said before that the model is refused
            Q_EMIT failed(sentence);
        }
    });
    connect(job.get(), &Job::finished, this, [this, task] {
        m_jobs[static_cast<std::size_t>(task)].release()->deleteLater();
        ended(task);
        if (task == Task::OpenModel && mayOpenNow())
            openAgain();
        else if (task == Task::OpenModel)
            openAwaitedPlan();
        Q_EMIT changed(Change::Tasks);
    });
    m_jobs[static_cast<std::size_t>(task)] = std::move(job);
    Q_EMIT changed(Change::Tasks);
}

// A run that what is opened leaves without its model or graph is not lost without a word.
void Document::abandon(Task task)
{
    if (task == Task::Run && job(task) != nullptr)
        Q_EMIT cancelled(tr("Cancelled: %1.").arg(job(task)->title()));
    drop(task);
}

void Document::drop(Task task)
{
    std::unique_ptr<Job>& job = m_jobs[static_cast<std::size_t>(task)];
    if (!job)
        return;
    Job::retire(job, this);
    ended(task);
    Q_EMIT changed(Change::Tasks);
}

void Document::ended(Task task)
{
    if (task == Task::Run || task == Task::Calibrate)
        m_planEditor.goOnAfterwards();
}

Document::Subject Document::subject() const
{
    const RunOptions& run = m_options.run;
    return {m_planEditor.plan(), m_planEditor.devices(), run.batchSize, run.order, run.randomFeatures, run.inputs};
}

// Of what was run, which may have become another since; what is known of it otherwise stays.
void Document::takeReport(Report report, const Subject& ran)
{
    Report& before = m_report.run() != nullptr ? m_report : m_setAside;
    if (report.layerWise && before.verify && m_ran == ran) {
        report.verify = std::move(before.verify);
        report.verify->layerWise.outputs = report.verify->full.outputs = {};  // the last ones are those of the run
    }
    m_setAside = {};
    m_ran = ran;
    setReport(std::move(report));
    fitReport();
}

// What was run and is there again, by undo say, has its results again.
void Document::fitReport()
{
    const bool isThere = m_ran == subject();
    if (m_report.run() != nullptr && !isThere) {
        m_setAside = std::exchange(m_report, {});
        setReport({});
    } else if (m_report.run() == nullptr && m_setAside.run() != nullptr && isThere) {
        setReport(std::exchange(m_setAside, {}));
    }
}

void Document::setReport(Report report)
{
    m_report = std::move(report);
    Q_EMIT changed(Change::Result);
}

}  // namespace cleave::views
