// Jobs: results and errors arrive on the thread that made the job, or not at all.
#include "views/job.h"

#include <QPointer>
#include <QSignalSpy>
#include <QTest>
#include <atomic>
#include <thread>

namespace cleave::views {

class JobTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void appliesTheResultHere();
    void reportsProgress();
    void turnsAnErrorIntoItsSentence();
    void dropsTheResultAfterACancel();
    void retiredJobsSayNothingAndEnd();
    void theDestructorCancelsAndWaits();
};

namespace {

int untilStopped(const Progress& progress)
{
    for (;;) {
        progress.update(0.5, "waiting");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

}  // namespace

void JobTest::appliesTheResultHere()
{
    std::thread::id worker, here;
    int result = 0;
    Job job(
        QStringLiteral("adding"),
        [&worker](const Progress&) {
            worker = std::this_thread::get_id();
            return 2 + 2;
        },
        [&](int sum) {
            here = std::this_thread::get_id();
            result = sum;
        });
    QSignalSpy finished(&job, &Job::finished);
    QVERIFY(finished.wait());
    QCOMPARE(result, 4);
    QVERIFY(here == std::this_thread::get_id());
    QVERIFY(worker != here);
}

void JobTest::reportsProgress()
{
    Job job(QStringLiteral("waiting"), untilStopped, [](int) {});
    QSignalSpy progressed(&job, &Job::progressed);
    QVERIFY(progressed.wait());
    QCOMPARE(progressed.first().at(0).toDouble(), 0.5);
    QCOMPARE(progressed.first().at(1).toString(), QStringLiteral("waiting"));
}

void JobTest::turnsAnErrorIntoItsSentence()
{
    bool applied = false;
    Job job(
        QStringLiteral("failing"), [](const Progress&) -> int { throw Error("This cannot be done: choose another file."); },
        [&](int) { applied = true; });
    QSignalSpy failed(&job, &Job::failed);
    QVERIFY(failed.wait());
    QCOMPARE(failed.first().at(0).toString(), QStringLiteral("This cannot be done: choose another file."));
    QVERIFY(!applied);
}

void JobTest::dropsTheResultAfterACancel()
{
    bool applied = false;
    Job job(
        QStringLiteral("stubborn"),
        [](const Progress& progress) {
            while (!progress.stop.stop_requested())
                std::this_thread::yield();
            return 1;
        },
        [&](int) { applied = true; });
    QSignalSpy finished(&job, &Job::finished);
    QSignalSpy failed(&job, &Job::failed);
    job.cancel();
    QVERIFY(finished.wait());
    QVERIFY(!applied);
    QCOMPARE(failed.count(), 0);
}

void JobTest::retiredJobsSayNothingAndEnd()
{
    QObject owner;
    bool applied = false;
    auto job = std::make_unique<Job>(QStringLiteral("waiting"), untilStopped, [&](int) { applied = true; });
    QSignalSpy progressed(job.get(), &Job::progressed);
    const QPointer<Job> alive = job.get();
    Job::retire(job, &owner);
    QVERIFY(!job);
    QTRY_VERIFY(alive.isNull());
    QCOMPARE(progressed.count(), 0);
    QVERIFY(!applied);
}

void JobTest::theDestructorCancelsAndWaits()
{
    std::atomic<bool> ended = false;
    struct End {
        std::atomic<bool>& flag;
        ~End() { flag = true; }
    };
    {
        Job job(
            QStringLiteral("waiting"),
            [&ended](const Progress& progress) {
                const End end{ended};
                return untilStopped(progress);
            },
            [](int) {});
    }
    QVERIFY(ended);
}

}  // namespace cleave::views

QTEST_GUILESS_MAIN(cleave::views::JobTest)
#include "job_test.moc"
