#include "views/recovery.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QStandardPaths>
#include <QUuid>
#include <algorithm>
#include <chrono>

#include "core/base/error.h"
#include "views/session.h"
#include "views/text.h"

namespace cleave::views {

namespace {

using namespace std::chrono_literals;
constexpr auto delay = 1s;      // between a change and its file
constexpr auto patience = 30s;  // until what could not be written is tried again

QString home() { return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/recovery"); }

std::shared_ptr<QLockFile> lockOf(const QString& folder)
{
    auto lock = std::make_shared<QLockFile>(folder + QStringLiteral("/lock"));
    lock->setStaleLockTime(0);  // held as long as its program runs
    return lock;
}

// Empty modelPath: not a plan that can be restored.
LeftPlan readLeft(const QString& folder)
{
    LeftPlan left;
    left.folder = folder;
    QFile file(folder + QStringLiteral("/about.json"));
    if (!QFile::exists(left.planPath()) || !file.open(QIODevice::ReadOnly))
        return left;
    const QJsonObject about = QJsonDocument::fromJson(file.readAll()).object();
    left.modelPath = about.value(QStringLiteral("model")).toString();
    left.graphPath = about.value(QStringLiteral("graph")).toString();
    left.changed = QDateTime::fromString(about.value(QStringLiteral("changed")).toString(), Qt::ISODate);
    left.savedPath = about.value(QStringLiteral("plan")).toString();
    left.hints = hintsOf(about);
    return left;
}

void writeAbout(const LeftPlan& plan)
{
    QJsonObject about = jsonOf(plan.hints);
    about.insert(QStringLiteral("model"), plan.modelPath);
    about.insert(QStringLiteral("graph"), plan.graphPath);
    about.insert(QStringLiteral("plan"), plan.savedPath);
    about.insert(QStringLiteral("changed"), plan.changed.toString(Qt::ISODate));
    QSaveFile file(plan.folder + QStringLiteral("/about.json"));
    if (!file.open(QIODevice::WriteOnly) || file.write(QJsonDocument(about).toJson()) <= 0 || !file.commit())
        throw Error("The unsaved plan cannot be kept in " + plan.folder.toStdString() + ".");
}

}  // namespace

Recovery::Recovery(Document& document, QObject* parent) : QObject(parent), m_document(document)
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(delay);
    connect(&m_timer, &QTimer::timeout, this, &Recovery::write);
    connect(&document.planEditor(), &PlanEditor::changed, this, [this] {
        if (!m_timer.isActive() && !m_isLeaving)
            m_timer.start();
    });
    // Another model may come with a graph and a batch size of its own, which are there before it is: the plan was not made on these.
    connect(&document, &Document::starting, this, [this](Task task) {
        if (task != Task::OpenModel)
            return;
        if (m_timer.isActive())
            write();
        m_isLeaving = true;
    });
    connect(&document, &Document::changed, this, [this](Change change) {
        if (change != Change::Tasks || !m_isLeaving || m_document.job(Task::OpenModel) != nullptr)
            return;
        m_isLeaving = false;
        m_timer.start();
    });
    connect(&document.planEditor().history(), &QUndoStack::cleanChanged, this, [this](bool clean) {
        if (clean)
            forget();
        else
            m_timer.start();
    });
    connect(&document, &Document::modelAboutToChange, this, &Recovery::leave);
    connect(&document, &Document::planOpened, this, [this](const QString& path) {
        if (!m_restoring || m_restoring->planPath() != path)
            return;
        write();
        discard(*std::exchange(m_restoring, std::nullopt));
    });
    connect(&document, &Document::planNotOpened, this, [this](const QString& path) {
        if (path == m_keeping)
            m_keeping.clear();  // the model was not read anew
        if (!m_restoring || m_restoring->planPath() != path)
            return;
        const LeftPlan plan = *std::exchange(m_restoring, std::nullopt);
        Q_EMIT leftBehind(plan);  // to be tried again
    });
}

std::vector<LeftPlan> Recovery::left() const
{
    std::vector<LeftPlan> all;
    for (const QString& name : QDir(home()).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const QString folder = home() + u'/' + name;
        const std::shared_ptr<QLockFile> lock = lockOf(folder);
        if (folder == m_folder || !lock->tryLock(0))
            continue;
        LeftPlan plan = readLeft(folder);
        plan.lock = lock;
        if (plan.modelPath.isEmpty())
            discard(plan);
        else
            all.push_back(std::move(plan));
    }
    std::ranges::sort(all, std::ranges::greater(), &LeftPlan::changed);
    return all;
}

void Recovery::restore(const LeftPlan& plan)
{
    if (m_restoring)
        Q_EMIT leftBehind(*std::exchange(m_restoring, std::nullopt));
    m_document.setHints(plan.hints);
    m_document.openModel(plan.modelPath);
    if (!plan.graphPath.isEmpty() && plan.graphPath != m_document.graphPath())
        m_document.openGraph(plan.graphPath);
    m_document.restorePlan(plan.planPath(), plan.savedPath);
    m_restoring = plan;
}

void Recovery::reload()
{
    const bool isModified = m_document.planEditor().isModified();
    const QString savedPath = m_document.planPath();
    if (isModified)
        write();
    m_document.reload();
    if (m_document.job(Task::OpenModel) == nullptr)
        return;
    if (isModified && !m_folder.isEmpty()) {
        m_keeping = LeftPlan{m_folder, {}, {}, {}, {}, {}, {}}.planPath();
        m_document.restorePlan(m_keeping, savedPath);
    } else if (!isModified && !savedPath.isEmpty()) {
        m_document.openPlan(savedPath);
    }
}

void Recovery::discard(const LeftPlan& plan)
{
    if (plan.lock)
        plan.lock->unlock();
    QDir(plan.folder).removeRecursively();
}

void Recovery::forget()
{
    m_timer.stop();
    if (m_folder.isEmpty())
        return;
    m_lock.reset();
    QDir(m_folder).removeRecursively();
    m_folder.clear();
}

void Recovery::begin()
{
    const QString folder = home() + u'/' + QUuid::createUuid().toString(QUuid::WithoutBraces);
    std::shared_ptr<QLockFile> lock = lockOf(folder);
    if (!QDir().mkpath(folder) || !lock->tryLock(0))
        return;
    m_folder = folder;
    m_lock = std::move(lock);
}

// What cannot be written is not worth a sentence at each change: the plan itself is still there.
void Recovery::write()
{
    m_timer.stop();
    m_timer.setInterval(delay);
    if (!m_document.planEditor().isModified()) {
        forget();
        return;
    }
    if (m_folder.isEmpty())
        begin();
    if (m_folder.isEmpty())
        return;
    const LeftPlan now{
        m_folder, m_document.modelPath(), m_document.graphPath(), m_document.planPath(), m_document.hints(), QDateTime::currentDateTime(), {}};
    try {
        m_document.planEditor().write(toPath(now.planPath()));
        writeAbout(now);
    } catch (const Error&) {
        m_timer.start(patience);  // the copy before stays, and there may be room later
    }
}

void Recovery::leave()
{
    if (m_timer.isActive() && m_document.planEditor().isModified())
        write();
    m_timer.stop();
    if (m_folder.isEmpty())
        return;
    LeftPlan plan = readLeft(std::exchange(m_folder, {}));
    plan.lock = std::exchange(m_lock, nullptr);
    if (plan.modelPath.isEmpty())
        discard(plan);
    else if (std::exchange(m_keeping, {}) == plan.planPath())
        m_restoring = plan;
    else
        Q_EMIT leftBehind(plan);
}

}  // namespace cleave::views
