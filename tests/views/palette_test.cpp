// Whether the colours of the graph view can be told apart by people who see fewer hues, in every theme.
#include <gtest/gtest.h>

#include <QApplication>
#include <array>
#include <cmath>
#include <map>

#include "views/theme.h"

namespace cleave::views {
namespace {

using Rgb = std::array<double, 3>;
using Matrix = std::array<Rgb, 3>;

double linear(double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }

Rgb times(const Matrix& m, const Rgb& v)
{
    Rgb product{};
    for (std::size_t i = 0; i < 3; ++i)
        product[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
    return product;
}

// Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB. The last sees brightness only.
const std::map<std::string, Matrix> visions{
    {"trichromat", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"protanope", {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
    {"deuteranope", {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
    {"tritanope", {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}},
};

// Oklab (Ottosson 2020): equal distances look alike; black and white are 1 apart.
Rgb oklab(const Rgb& linearRgb)
{
    static const Matrix toCones{
        {{0.4122214708, 0.5363325363, 0.0514459929}, {0.2119034982, 0.6806995451, 0.1073969566}, {0.0883024619, 0.2817188376, 0.6299787005}}};
    static const Matrix toLab{
        {{0.2104542553, 0.7936177850, -0.0040720468}, {1.9779984951, -2.4285922050, 0.4505937099}, {0.0259040371, 0.7827717662, -0.8086757660}}};
    Rgb cones = times(toCones, linearRgb);
    for (double& c : cones)
        c = std::cbrt(std::max(0.0, c));
    return times(toLab, cones);
}

Rgb seen(const QColor& color, const Matrix& vision)
{
    return oklab(times(vision, {linear(color.redF()), linear(color.greenF()), linear(color.blueF())}));
}

double distance(const QColor& a, const QColor& b, const Matrix& vision)
{
    const Rgb x = seen(a, vision), y = seen(b, vision);
    return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

class Palettes : public testing::TestWithParam<Theme> {
protected:
    GraphColors colors = [] {
        applyTheme(*qobject_cast<QApplication*>(QApplication::instance()), GetParam());
        return GraphColors(QApplication::palette());
    }();
};

// Shapes, dashes and letters say the same, so that it need not be far.
TEST_P(Palettes, KindsOfRowsCanBeToldApart)
{
    for (const auto& [name, vision] : visions) {
        EXPECT_GT(distance(colors.nodeRows, colors.edgeRows, vision), 0.08) << name;
        EXPECT_GT(distance(colors.nodeRows, colors.graphRows, vision), 0.08) << name;
        EXPECT_GT(distance(colors.edgeRows, colors.graphRows, vision), 0.08) << name;
        EXPECT_GT(distance(colors.cut, colors.selection, vision), 0.08) << name;
        EXPECT_GT(distance(colors.cut, colors.arrow, vision), 0.08) << name;
    }
}

TEST_P(Palettes, LevelsGrowLighterForEveryone)
{
    for (const auto& [name, vision] : visions)
        for (const int levels : {1, 2, 3, 7}) {
            for (int level = 0; level < levels; ++level) {
                const double step = seen(colors.level(level + 1, levels), vision)[0] - seen(colors.level(level, levels), vision)[0];
                EXPECT_GT(step, 0.04) << name << ", level " << level << " of " << levels;
            }
        }
}

TEST_P(Palettes, LinesStandOutFromTheGround)
{
    for (const auto& [name, vision] : visions)
        for (const QColor& line :
             {colors.nodeRows, colors.edgeRows, colors.graphRows, colors.arrow, colors.cut, colors.selection, colors.text, colors.muted}) {
            EXPECT_GT(distance(line, colors.background, vision), 0.25) << name << ' ' << line.name().toStdString();
            EXPECT_GT(distance(line, colors.band, vision), 0.25) << name << ' ' << line.name().toStdString();
        }
}

// WCAG 2.1, 1.4.3 and 1.4.6.
TEST_P(Palettes, TextsHaveContrast)
{
    const auto luminance = [](const QColor& c) { return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF()); };
    const auto contrast = [&](const QColor& a, const QColor& b) {
        const double x = luminance(a), y = luminance(b);
        return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
    };
    const double wanted = GetParam() == Theme::HighContrast ? 7 : 4.5;
    for (const QColor& ground : {colors.background, colors.band})
        for (const QColor& text : {colors.text, colors.muted, colors.cut})
            EXPECT_GT(contrast(text, ground), wanted) << text.name().toStdString() << " on " << ground.name().toStdString();
    EXPECT_GT(contrast(colors.badgeText, colors.badge), wanted);
    for (const int levels : {1, 3, 7})
        for (int level = 0; level <= levels; ++level) {
            const QColor fill = colors.level(level, levels), tint = colors.levelTint(level, levels);
            EXPECT_GT(contrast(GraphColors::textOn(fill), fill), 4.5) << "number on level " << level << " of " << levels;
            EXPECT_GT(contrast(colors.text, tint), wanted) << "title on level " << level << " of " << levels;
            EXPECT_GT(contrast(colors.badgeText, tint), 4.5) << "subtitle on level " << level << " of " << levels;
        }
}

std::string name(const testing::TestParamInfo<Theme>& info)
{
    return info.param == Theme::Light ? "light" : info.param == Theme::Dark ? "dark" : "highContrast";
}

INSTANTIATE_TEST_SUITE_P(Themes, Palettes, testing::Values(Theme::Light, Theme::Dark, Theme::HighContrast), name);

}  // namespace
}  // namespace cleave::views

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    testing::InitGoogleTest(&argc, argv);
    const QApplication application(argc, argv);
    return RUN_ALL_TESTS();
}
