#include "views/job.h"

#include <QMetaObject>
#include <new>

#include "core/base/parallel.h"
#include "core/base/peak_memory.h"

namespace cleave::views {

Job::~Job()
{
    cancel();
    if (m_thread.joinable())
        m_thread.join();
}

void Job::cancel()
{
    m_thread.request_stop();
}

void Job::retire(std::unique_ptr<Job>& job, QObject* owner)
{
    Job* retired = job.release();
    if (retired == nullptr)
        return;
    retired->disconnect();
    retired->m_abandoned = true;
    retired->setParent(owner);
    connect(retired, &Job::finished, retired, &QObject::deleteLater);
    retired->cancel();
}

void Job::start(Work work)
{
    m_thread = std::jthread([this, work = std::move(work)](const std::stop_token& stop) {
        useSignalStack();
        run(work, stop);
    });
}

void Job::run(const Work& work, const std::stop_token& stop)
{
    const PeakMemory::Worker apart(PeakMemory::Work::ofItsOwn());  // memory that jobs take beside each other counts for each alone
    std::function<void()> apply;
    QString error;
    try {
        apply = work({stop, [this](double fraction, std::string_view what) { report(fraction, what); }});
    } catch (const Cancelled&) {
    } catch (const std::bad_alloc&) {
        error = tr("There is not enough memory for this; use a smaller batch size or close other programs.");
    } catch (const std::exception& exception) {
        error = QString::fromUtf8(exception.what());
    }
    QMetaObject::invokeMethod(this, [this, apply, error] { deliver(apply, error); }, Qt::QueuedConnection);
}

// Reports can come by the thousand: at most one is on its way to the other thread.
void Job::report(double fraction, std::string_view what)
{
    const std::lock_guard lock(m_mutex);
    m_fraction = fraction;
    m_what = QString::fromUtf8(what.data(), static_cast<qsizetype>(what.size()));
    if (!std::exchange(m_pending, true))
        QMetaObject::invokeMethod(this, &Job::deliverProgress, Qt::QueuedConnection);
}

void Job::deliverProgress()
{
    double fraction;
    QString what;
    {
        const std::lock_guard lock(m_mutex);
        m_pending = false;
        fraction = m_fraction;
        what = m_what;
    }
    if (!m_abandoned)
        Q_EMIT progressed(fraction, what);
}

void Job::deliver(const std::function<void()>& apply, const QString& error)
{
    const bool stopped = m_thread.get_stop_source().stop_requested();
    if (!m_abandoned && !stopped) {
        if (apply)
            apply();
        else if (!error.isEmpty())
            Q_EMIT failed(error);
    }
    Q_EMIT finished();
}

}  // namespace cleave::views
