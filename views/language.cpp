#include "views/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>
#include <array>

namespace cleave::views {

QStringList languages() { return {QStringLiteral("en"), QStringLiteral("zh_CN")}; }

QString languageName(const QString& language)
{
    return language == QStringLiteral("zh_CN") ? QStringLiteral("简体中文") : QStringLiteral("English");
}

QString desktopLanguage()
{
    for (QString wanted : QLocale::system().uiLanguages()) {
        wanted.replace(u'-', u'_');
        if (wanted.startsWith(QStringLiteral("zh_Hant")) || wanted == QStringLiteral("zh_TW") || wanted == QStringLiteral("zh_HK"))
            continue;
        for (const QString& language : languages())
            if (wanted == language || wanted.section(u'_', 0, 0) == language.section(u'_', 0, 0))
                return language;
    }
    return QStringLiteral("en");
}

// English has a file for its plurals. Qt's own texts are in the desktop's Qt, if it has them.
void applyLanguage(QCoreApplication& application, const QString& language)
{
    static std::array<QTranslator, 2> translators;
    const QString chosen = languages().contains(language) ? language : desktopLanguage();
    QLocale::setDefault(chosen == QStringLiteral("en") ? QLocale(QLocale::English, QLocale::UnitedStates) : QLocale(chosen));
    for (QTranslator& translator : translators)
        QCoreApplication::removeTranslator(&translator);
    if (translators[0].load(QStringLiteral("qtbase_") + chosen, QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        application.installTranslator(&translators[0]);
    if (translators[1].load(QStringLiteral(":/i18n/cleave_") + chosen))
        application.installTranslator(&translators[1]);
}

}  // namespace cleave::views
