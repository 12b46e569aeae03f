#pragma once

#include <QString>

#include "views/text.h"
#include "views/theme.h"

class QApplication;

namespace cleave::views {

/// What a person chose for every window, kept between starts.
struct Settings {
    Theme theme = Theme::System;
    QString language;         ///< "en", "zh_CN"; empty: the desktop's, or English. From the next start on
    double fontSize = 0;      ///< in points; 0: the desktop's
    ByteUnits units = ByteUnits::Decimal;
    bool opensLastSession = true;

    bool operator==(const Settings&) const = default;
};

constexpr double smallestFont = 6, largestFont = 32;

Settings readSettings();  ///< what is unknown or out of range is as at first
void writeSettings(const Settings& settings);
void applySettings(QApplication& application, const Settings& settings);  ///< all but the language

}  // namespace cleave::views
