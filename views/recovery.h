#pragma once

#include <QDateTime>
#include <QLockFile>
#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <vector>

#include "views/document.h"

namespace cleave::views {

/// A plan that was changed and not saved: by a window that ended without asking, or before another model was opened in its place.
struct LeftPlan {
    QString folder;  ///< of this plan alone
    QString modelPath, graphPath;  ///< graphPath empty: none
    QString savedPath;             ///< of the plan before it was changed; empty: it was never saved
    InputHints hints;
    QDateTime changed;
    std::shared_ptr<QLockFile> lock;  ///< no other window offers it while this one does

    QString planPath() const { return folder + QStringLiteral("/plan.cleave.json"); }
};

/// Writes the plan that is worked on to a file beside the settings until it is saved, so that it outlives a crash.
class Recovery : public QObject {
    Q_OBJECT

public:
    explicit Recovery(Document& document, QObject* parent = nullptr);

    std::vector<LeftPlan> left() const;    ///< by windows that are gone, the latest first
    void restore(const LeftPlan& plan);    ///< its model, its graph and the plan, as not saved
    void reload();                         ///< the files that are open; the plan that is worked on is that of the model read anew, if it still fits
    static void discard(const LeftPlan& plan);
    void forget();                         ///< the plan that is worked on: it is saved, or shall be lost
    void write();                          ///< the plan that is worked on, now; it is done by itself a second after a change

Q_SIGNALS:
    void leftBehind(const cleave::views::LeftPlan& plan);  ///< another model takes the place of its own

private:
    void begin();
    void leave();

    Document& m_document;
    QString m_folder;  // exists while the plan is not saved
    std::shared_ptr<QLockFile> m_lock;
    QTimer m_timer;
    bool m_isLeaving = false;  // another model is being opened
    QString m_keeping;         // the plan that the same model, read anew, goes on with
    std::optional<LeftPlan> m_restoring;
};

}  // namespace cleave::views
