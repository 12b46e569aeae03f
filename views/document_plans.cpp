// Plans of a document: read, kept and compared with.
#include <QFileInfo>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "views/document.h"
#include "views/text.h"

namespace cleave::views {

namespace {

// Those that this program does not know are left to the reader of the plan.
std::set<Rewrite> rewritesNamed(const std::vector<std::string>& names)
{
    std::set<Rewrite> rewrites;
    for (const std::string& name : names)
        if (Rewrite known{}; rewriteFromName(name, known))
            rewrites.insert(known);
    return rewrites;
}

}  // namespace

void Document::openPlan(const QString& path)
{
    openPlan(PlanFile{QFileInfo(path).absoluteFilePath(), true, {}});
}

void Document::restorePlan(const QString& path, const QString& savedPath)
{
    openPlan(PlanFile{path, false, savedPath});
}

void Document::setPlanPath(const QString& path)
{
    if (std::exchange(m_planPath, path) != path)
        Q_EMIT planPathChanged();
}

// A plan is of the program after its rewrites, so these come first.
void Document::openPlan(const PlanFile& plan)
{
    if (job(Task::OpenModel)) {
        m_awaited = plan;
        return;
    }
    try {
        const PlanSummary summary = readPlanSummary(toPath(plan.path));
        if (!m_model) {
            m_awaited = plan;
            throw Error("Now open the model that the plan is for (" + printable(summary.model) + "): a plan file holds the plan alone.");
        }
        const std::set<Rewrite> made = rewritesNamed(summary.rewrites);
        if (made != appliedRewrites(*m_model->analysis) && made != m_rewrites) {
            checkIsFor(summary, m_model->traced ? m_model->traced->program : m_model->program());
            PlanFile awaited = plan;
            awaited.rewritesBefore = m_rewrites;
            awaited.stepsBefore = m_planEditor.history().index();
            setRewrites(made);
            m_awaited = std::move(awaited);
            return;
        }
        const StoredPlan stored = m_planEditor.load(toPath(plan.path), plan.isSaved);
        if (!stored.remarks.empty()) {
            QStringList remarks;
            for (const std::string& remark : stored.remarks)
                remarks.append(toText(remark));
            Q_EMIT planDiffers(remarks);
        }
        RunOptions options = m_options.run;
        if (stored.batchSize > 0)
            options.batchSize = stored.batchSize;
        options.order = stored.order;
        setRunOptions(options);
        setPlanPath(!stored.isOfThisFile ? QString() : plan.isSaved ? plan.path : plan.savedPath);  // not over the plan of another model
        Q_EMIT planOpened(plan.path);
    } catch (const Error& error) {
        if (plan.rewritesBefore)
            takeBackRewrites(plan);
        Q_EMIT failed(toText(error.what()));
        if (!m_awaited)
            Q_EMIT planNotOpened(plan.path);
    }
}

// Those that were made for a plan which turned out not to be the model's.
void Document::takeBackRewrites(const PlanFile& plan)
{
    if (m_planEditor.history().index() > plan.stepsBefore)
        m_planEditor.history().undo();
    else
        setRewrites(*plan.rewritesBefore);
}

void Document::openAwaitedPlan()
{
    if (const std::optional<PlanFile> plan = std::exchange(m_awaited, std::nullopt))
        openPlan(*plan);
    if (const QString path = std::exchange(m_awaitedComparison, QString()); !path.isEmpty())
        comparePlan(path);
}

void Document::dropAwaitedPlan()
{
    m_awaitedComparison.clear();
    if (const std::optional<PlanFile> plan = std::exchange(m_awaited, std::nullopt))
        Q_EMIT planNotOpened(plan->path);
}

void Document::comparePlan(const QString& path)
{
    try {
        const PlanSummary summary = readPlanSummary(toPath(path));
        if (m_model)
            checkIsFor(summary, m_model->traced ? m_model->traced->program : m_model->program());
        const std::set<Rewrite> made = rewritesNamed(summary.rewrites);
        if (m_model && m_planEditor.space() != nullptr && made != appliedRewrites(*m_model->analysis) && made != m_rewrites) {
            Q_EMIT rewritesDiffer(path, made);
            return;
        }
        m_planEditor.compareWith(toPath(path));
        const QStringList differences = m_planEditor.differences();
        Q_EMIT noted(differences.isEmpty() ? tr("The plan is the same as that in %1.").arg(path) : differences.join(u'\n'));
    } catch (const Error& error) {
        Q_EMIT failed(toText(error.what()));
    }
}

void Document::compareAfterRewrites(const QString& path, const std::set<Rewrite>& rewrites)
{
    setRewrites(rewrites);
    m_awaitedComparison = path;
}

bool Document::savePlan(const QString& path)
{
    try {
        checkIsOther(toPath(path), filesRead());
        m_planEditor.save(toPath(path));
        Q_EMIT noted(tr("Plan written to %1.").arg(path));
        setPlanPath(QFileInfo(path).absoluteFilePath());
        return true;
    } catch (const Error& error) {
        Q_EMIT failed(toText(error.what()));
        return false;
    }
}

}  // namespace cleave::views
