#pragma once

#include <QStringList>

class QCoreApplication;

namespace cleave::views {

QStringList languages();                          ///< that Cleave is written in: "en", "zh_CN"
QString languageName(const QString& language);    ///< in that language: "English"
QString desktopLanguage();                        ///< the first of the desktop's that Cleave is written in, or "en"

/// Texts and numbers that are made from now on are in this language; empty: the desktop's.
void applyLanguage(QCoreApplication& application, const QString& language);

}  // namespace cleave::views
