#include "views/theme.h"

#include <QApplication>
#include <QPen>
#include <algorithm>
#include <cmath>

#include "core/plan/level_colors.h"
#include "views/style.h"

namespace cleave::views {

namespace {

QColor mix(const QColor& a, const QColor& b, double share)
{
    const auto channel = [share](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * share)); };
    return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
}

double luminance(const QColor& color)
{
    const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

bool isDark(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightness() < 128;
}

struct Shades {
    QRgb window, base, alternate, button, text, muted, highlight, highlightedText, link;
};
constexpr Shades light{0xfff3f4f6, 0xffffffff, 0xfff6f7f9, 0xffeceef1, 0xff1d2330, 0xff5c6573, 0xff1f6fb2, 0xffffffff, 0xff0b5cad};
// WCAG 2: 7 to 1 and more
constexpr Shades strong{0xff000000, 0xff000000, 0xff000000, 0xff000000, 0xffffffff, 0xffffffff, 0xffffe600, 0xff000000, 0xff7fd7ff};
constexpr Shades dark{0xff2b2e34, 0xff1c1e22, 0xff22252a, 0xff3b4048, 0xffe4e7eb, 0xffa0a8b4, 0xff3d8fd1, 0xff0e1013, 0xff7ab8ec};

QPalette makePalette(const Shades& shades)
{
    QPalette palette{QColor(shades.button), QColor(shades.window)};
    palette.setColor(QPalette::Window, QColor(shades.window));
    palette.setColor(QPalette::Base, QColor(shades.base));
    palette.setColor(QPalette::AlternateBase, QColor(shades.alternate));
    palette.setColor(QPalette::ToolTipBase, QColor(shades.base));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText, QPalette::BrightText})
        palette.setColor(role, QColor(shades.text));
    palette.setColor(QPalette::PlaceholderText, QColor(shades.muted));
    palette.setColor(QPalette::Highlight, QColor(shades.highlight));
    palette.setColor(QPalette::HighlightedText, QColor(shades.highlightedText));
    palette.setColor(QPalette::Link, QColor(shades.link));
    const QColor disabled = mix(QColor(shades.text), QColor(shades.window), 0.55);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, disabled);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, mix(QColor(shades.window), disabled, 0.4));
    return palette;
}

}  // namespace

std::optional<Theme> themeFromName(const QString& name)
{
    for (const Theme theme : {Theme::System, Theme::Light, Theme::Dark, Theme::HighContrast})
        if (themeName(theme) == name)
            return theme;
    return std::nullopt;
}

QString themeName(Theme theme)
{
    switch (theme) {
    case Theme::Light: return QStringLiteral("light");
    case Theme::Dark: return QStringLiteral("dark");
    case Theme::HighContrast: return QStringLiteral("high-contrast");
    case Theme::System: break;
    }
    return QStringLiteral("system");
}

QPalette paperPalette()
{
    return makePalette(light);
}

void applyTheme(QApplication& application, Theme theme)
{
    static const bool systemIsDark = isDark(QApplication::palette());
    const bool useDark = theme == Theme::Dark || (theme == Theme::System && systemIsDark);
    application.setStyle(new Style);
    QApplication::setPalette(makePalette(theme == Theme::HighContrast ? strong : useDark ? dark : light));
}

GraphColors::GraphColors(const QPalette& palette) : m_dark(isDark(palette))
{
    background = palette.color(QPalette::Base);
    text = palette.color(QPalette::Text);
    muted = palette.color(QPalette::PlaceholderText);
    selection = palette.color(QPalette::Highlight);
    band = mix(background, text, m_dark ? 0.055 : 0.035);
    bandLine = mix(background, text, 0.14);
    arrow = mix(background, text, m_dark ? 0.5 : 0.48);
    cut = QColor(m_dark ? 0xffe58a6b : 0xffb4431f);
    nodeRows = QColor(m_dark ? 0xff56b4e9 : nodeRowsColor);
    edgeRows = QColor(m_dark ? 0xffda81aa : edgeRowsColor);
    graphRows = QColor(m_dark ? 0xffe4b444 : 0xff855d00);
    structure = mix(background, text, 0.45);
    badge = mix(background, text, m_dark ? 0.22 : 0.13);
    badgeText = mix(background, text, m_dark ? 0.94 : 0.88);
    if (background != QColor(strong.base) || text != QColor(strong.text))
        return;
    m_strong = true;
    band = background;
    bandLine = arrow = structure = badgeText = text;
    badge = background;
    cut = QColor(0xffff9d5c);
    nodeRows = QColor(0xff5cc8ff);
    edgeRows = QColor(0xfffa9ebd);
    graphRows = QColor(0xffffdf3d);
}

QColor GraphColors::outline(RowsClass rows) const
{
    switch (rows) {
    case RowsClass::Nodes: return nodeRows;
    case RowsClass::Edges: return edgeRows;
    case RowsClass::Graph: return graphRows;
    case RowsClass::Mixed: return mix(background, text, 0.7);
    case RowsClass::Structure: break;
    }
    return structure;
}

QColor GraphColors::level(int level, int levels) const
{
    if (level < 0)
        return mix(background, text, 0.3);
    return QColor(QRgb(levelColor(level, levels)));
}

QColor GraphColors::levelTint(int level, int levels) const
{
    return mix(background, this->level(level, levels), m_strong ? 0.0 : level < 0 ? 0.1 : m_dark ? 0.34 : levelTintShare);
}

QColor GraphColors::textOn(const QColor& fill)
{
    return luminance(fill) > 0.179 ? QColor(Qt::black) : QColor(Qt::white);
}

QPen outlinePen(const GraphColors& colors, RowsClass rows)
{
    QPen pen(colors.outline(rows), rows == RowsClass::Structure ? 1.2 : 2.0);
    if (rows == RowsClass::Edges)
        pen.setDashPattern({1.2, 1.6});
    if (rows == RowsClass::Graph)
        pen.setDashPattern({5, 1.6});
    pen.setCapStyle(Qt::FlatCap);
    return pen;
}

double outlineRadius(RowsClass rows)
{
    return rows == RowsClass::Nodes ? 9 : rows == RowsClass::Mixed ? 5 : 1;
}

QString rowsLetter(RowsClass rows)
{
    switch (rows) {
    case RowsClass::Nodes: return QStringLiteral("V");
    case RowsClass::Edges: return QStringLiteral("M");
    case RowsClass::Graph: return QStringLiteral("G");
    case RowsClass::Mixed: return QStringLiteral("V M");
    case RowsClass::Structure: break;
    }
    return {};
}

}  // namespace cleave::views
