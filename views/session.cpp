#include "views/session.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <QSettings>
#include <QStringList>
#include <algorithm>

#include "core/graph/order.h"
#include "views/text.h"

namespace cleave::views {

namespace {

const QString modelKey = QStringLiteral("session/model"), graphKey = QStringLiteral("session/graph"), planKey = QStringLiteral("session/plan"),
              hintsKey = QStringLiteral("session/inputs"), batchKey = QStringLiteral("session/batchSize"), orderKey = QStringLiteral("session/order"),
              rewritesKey = QStringLiteral("session/rewrites"), memoryKey = QStringLiteral("session/memory"),
              randomKey = QStringLiteral("session/randomFeatures");

}  // namespace

QJsonObject jsonOf(const InputHints& hints)
{
    QJsonObject roles, widths, arrays;
    for (const auto& [name, role] : hints.roles)
        roles.insert(toText(name), toText(std::string(roleName(role))));
    for (const auto& [name, width] : hints.widths)
        widths.insert(toText(name), static_cast<qint64>(width));
    for (const auto& [name, array] : hints.arrays)
        arrays.insert(toText(name), toText(array));
    return {{QStringLiteral("roles"), roles}, {QStringLiteral("widths"), widths}, {QStringLiteral("arrays"), arrays}};
}

InputHints hintsOf(const QJsonObject& json)
{
    InputHints hints;
    const QJsonObject roles = json.value(QStringLiteral("roles")).toObject(), widths = json.value(QStringLiteral("widths")).toObject(),
                      arrays = json.value(QStringLiteral("arrays")).toObject();
    for (auto role = roles.begin(); role != roles.end(); ++role)
        if (Role known{}; roleFromName(role.value().toString().toStdString(), known))
            hints.roles[role.key().toStdString()] = known;
    for (auto width = widths.begin(); width != widths.end(); ++width)
        hints.widths[width.key().toStdString()] = std::clamp<qint64>(width.value().toInteger(), 1, widestInput);
    for (auto array = arrays.begin(); array != arrays.end(); ++array)
        hints.arrays[array.key().toStdString()] = array.value().toString().toStdString();
    return hints;
}

Session sessionOf(const Document& document)
{
    const PlanEditor& editor = document.planEditor();
    return {document.modelPath(),
            document.graphPath(),
            document.planPath(),
            document.hints(),
            editor.isModified() ? Batches{} : editor.batches(),
            document.rewrites(),
            document.options().run.randomFeatures,
            document.options().run.memoryBytes};
}

void writeSession(const Session& session)
{
    QStringList rewrites;
    for (const Rewrite rewrite : session.rewrites)
        rewrites.append(toText(std::string(rewriteName(rewrite))));
    QSettings settings;
    settings.setValue(modelKey, session.modelPath);
    settings.setValue(graphKey, session.graphPath);
    settings.setValue(planKey, session.planPath);
    settings.setValue(hintsKey, QString::fromUtf8(QJsonDocument(jsonOf(session.hints)).toJson(QJsonDocument::Compact)));
    settings.setValue(batchKey, static_cast<qint64>(session.batches.size));
    settings.setValue(orderKey, toText(std::string(orderName(session.batches.order))));
    settings.setValue(rewritesKey, rewrites);
    settings.setValue(randomKey, session.randomFeatures);
    settings.setValue(memoryKey, static_cast<qulonglong>(session.memoryBytes));
}

Session readSession()
{
    const QSettings settings;
    QStringList missing;
    const auto file = [&](const QString& key) {
        const QString path = settings.value(key).toString();
        if (path.isEmpty() || QFileInfo::exists(path))
            return path;
        missing.append(path);
        return QString();
    };
    Session session{
        file(modelKey), file(graphKey), file(planKey), {}, {}, {}, settings.value(randomKey).toBool(), settings.value(memoryKey).toULongLong()};
    session.hints = hintsOf(QJsonDocument::fromJson(settings.value(hintsKey).toString().toUtf8()).object());
    session.batches.size = std::max<qint64>(0, settings.value(batchKey).toLongLong());
    orderFromName(settings.value(orderKey).toString().toStdString(), session.batches.order);
    for (const QString& name : settings.value(rewritesKey).toStringList())
        if (Rewrite known{}; rewriteFromName(name.toStdString(), known))
            session.rewrites.insert(known);
    session.missing = missing;
    return session;
}

void openSession(Document& document, const Session& session)
{
    document.setRewrites(session.rewrites);
    document.setBatchSize(session.batches.size);
    document.setNodeOrder(session.batches.order);
    document.setRandomFeatures(session.randomFeatures);
    document.setMemoryBound(session.memoryBytes);
    if (!session.modelPath.isEmpty()) {
        document.setHints(session.hints);
        document.open(session.modelPath);
    }
    if (!session.graphPath.isEmpty())
        document.open(session.graphPath);
    if (!session.modelPath.isEmpty() && !session.planPath.isEmpty())
        document.openPlan(session.planPath);
}

}  // namespace cleave::views
