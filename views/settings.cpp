#include "views/settings.h"

#include <QApplication>
#include <QFont>
#include <QSettings>
#include <algorithm>

#include "views/language.h"

namespace cleave::views {

namespace {

const QString themeKey = QStringLiteral("theme"), languageKey = QStringLiteral("language"), fontKey = QStringLiteral("fontSize"),
              unitsKey = QStringLiteral("byteUnits"), sessionKey = QStringLiteral("opensLastSession");
const QString binary = QStringLiteral("binary"), decimal = QStringLiteral("decimal");

}  // namespace

Settings readSettings()
{
    const QSettings stored;
    Settings settings;
    settings.theme = themeFromName(stored.value(themeKey).toString()).value_or(Theme::System);
    if (const QString language = stored.value(languageKey).toString(); languages().contains(language))
        settings.language = language;
    if (const double points = stored.value(fontKey).toDouble(); points > 0)
        settings.fontSize = std::clamp(points, smallestFont, largestFont);
    settings.units = stored.value(unitsKey).toString() == binary ? ByteUnits::Binary : ByteUnits::Decimal;
    settings.opensLastSession = stored.value(sessionKey, true).toBool();
    return settings;
}

void writeSettings(const Settings& settings)
{
    QSettings stored;
    stored.setValue(themeKey, themeName(settings.theme));
    stored.setValue(languageKey, settings.language);
    stored.setValue(fontKey, settings.fontSize);
    stored.setValue(unitsKey, settings.units == ByteUnits::Binary ? binary : decimal);
    stored.setValue(sessionKey, settings.opensLastSession);
}

void applySettings(QApplication& application, const Settings& settings)
{
    static const double ownSize = QApplication::font().pointSizeF();
    setByteUnits(settings.units);
    applyTheme(application, settings.theme);
    QFont font = QApplication::font();
    font.setPointSizeF(settings.fontSize > 0 ? settings.fontSize : ownSize);
    if (font != QApplication::font())
        QApplication::setFont(font);
}

}  // namespace cleave::views
