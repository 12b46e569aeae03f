#pragma once

#include <QColor>
#include <QPalette>
#include <optional>

#include "views/dag_model.h"

class QApplication;

namespace cleave::views {

enum class Theme : std::uint8_t { System, Light, Dark, HighContrast };

std::optional<Theme> themeFromName(const QString& name);  ///< "system", "light", "dark", "high-contrast"
QString themeName(Theme theme);

/// Gives the program Fusion style and Cleave's own palette. System is dark where the desktop's own palette was dark at the first call.
void applyTheme(QApplication& application, Theme theme);

QPalette paperPalette();  ///< of what is printed, or goes into documents: the light one, whatever the window has

/// Colours of the graph view. Every hue that means something comes with a letter, a number or a line style.
struct GraphColors {
    explicit GraphColors(const QPalette& palette);

    QColor background, band, bandLine;
    QColor text, muted;
    QColor arrow, cut;
    QColor nodeRows, edgeRows, graphRows, structure;
    QColor badge, badgeText;
    QColor selection;

    QColor outline(RowsClass rows) const;
    QColor level(int level, int levels) const;      ///< on a cividis ramp; structure has none and is grey
    QColor levelTint(int level, int levels) const;  ///< the same, pale enough to write on with text
    static QColor textOn(const QColor& fill);       ///< black or white, whichever reads better

private:
    bool m_dark, m_strong = false;
};

QPen outlinePen(const GraphColors& colors, RowsClass rows);
double outlineRadius(RowsClass rows);  ///< corners of boxes: round for V rows, square for the others
QString rowsLetter(RowsClass rows);    ///< "V", "M", "G", "V M", empty for structure

}  // namespace cleave::views
