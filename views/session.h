#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <set>

#include "views/document.h"

namespace cleave::views {

/// What was open in a window, and how: opened again at the next start.
struct Session {
    QString modelPath, graphPath, planPath;  ///< empty: none
    InputHints hints;
    Batches batches;
    std::set<Rewrite> rewrites;
    bool randomFeatures = false;
    std::size_t memoryBytes = 0;  ///< as RunOptions
    QStringList missing = {};     ///< files that are not there any more
};

Session sessionOf(const Document& document);  ///< without changes of the plan that are not saved
void writeSession(const Session& session);    ///< to the settings
Session readSession();
void openSession(Document& document, const Session& session);  ///< as far as its files are there

QJsonObject jsonOf(const InputHints& hints);
InputHints hintsOf(const QJsonObject& json);  ///< that jsonOf() made; what is not understood is left out

}  // namespace cleave::views
