#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

#include "core/base/progress.h"

namespace cleave::views {

/// Work on a thread of its own whose result is applied on the thread that made the job. The destructor cancels and waits.
class Job : public QObject {
    Q_OBJECT

public:
    /// work(const Progress&) runs on the worker and must only touch what it was given; apply(result) runs here unless the work
    /// failed, was cancelled or abandoned.
    template <class Work, class Apply>
    Job(const QString& title, Work work, Apply apply, QObject* parent = nullptr) : QObject(parent), m_title(title)
    {
        start([work = std::move(work), apply = std::move(apply)](const Progress& progress) mutable -> std::function<void()> {
            auto result = std::make_shared<std::invoke_result_t<Work, const Progress&>>(work(progress));
            return [result = std::move(result), apply = std::move(apply)]() mutable { apply(std::move(*result)); };
        });
    }
    ~Job() override;

    const QString& title() const { return m_title; }
    void cancel();

    /// Cancels without waiting and drops the result; the job deletes itself once its thread has ended. owner's end waits for it.
    static void retire(std::unique_ptr<Job>& job, QObject* owner);

Q_SIGNALS:
    void progressed(double fraction, const QString& what);
    void failed(const QString& sentence);
    void finished();  ///< last: after the result was applied, or after failed(), or after a cancel

private:
    using Work = std::function<std::function<void()>(const Progress&)>;

    void start(Work work);
    void run(const Work& work, const std::stop_token& stop);
    void report(double fraction, std::string_view what);
    void deliverProgress();
    void deliver(const std::function<void()>& apply, const QString& error);

    QString m_title;
    bool m_abandoned = false;

    std::mutex m_mutex;  // guards the next three
    double m_fraction = 0;
    QString m_what;
    bool m_pending = false;

    std::jthread m_thread;
};

}  // namespace cleave::views
