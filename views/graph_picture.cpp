#include "views/graph_picture.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <algorithm>

#include "views/core_text.h"
#include "views/text.h"

namespace cleave::views {

namespace {

struct GraphPictureTexts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::GraphPicture)
};

constexpr std::size_t mostBadges = 3;
constexpr int longestText = 34;  // characters; the inspector shows the rest

QString shortened(const QString& text)
{
    return text.size() <= longestText ? text : text.left(longestText / 2 - 1) + QStringLiteral("…") + text.right(longestText / 2);
}

// Of a path its end says most.
QString shortenedPath(const QString& path)
{
    QString rest = path;
    for (qsizetype dot = 0; rest.size() > longestText && (dot = rest.indexOf(u'.')) >= 0 && dot + 1 < rest.size();)
        rest = rest.mid(dot + 1);
    return shortened(rest);
}

}  // namespace

BoxMetrics::BoxMetrics(const QFont& font) : title(font), small(font)
{
    title.setWeight(QFont::DemiBold);
    small.setPointSizeF(font.pointSizeF() * 0.86);
    titleHeight = QFontMetricsF(title).height();
    smallHeight = QFontMetricsF(small).height();
    tab = std::max(22.0, QFontMetricsF(title).horizontalAdvance(QStringLiteral("00")) + 8);
}

QString BoxMetrics::heading(const DagBox& box) const
{
    if (box.key.kind == BoxKind::Prologue)
        return GraphPictureTexts::tr("Prologue");
    if (box.key.kind == BoxKind::Repeat)
        return GraphPictureTexts::tr("× %1 more").arg(box.repeat.count - 1);
    return shortenedPath(toText(box.title));
}

QString BoxMetrics::subtitle(const DagBox& box) const
{
    QStringList parts;
    if (box.key.kind == BoxKind::Repeat)
        parts.append(GraphPictureTexts::tr("like %1").arg(fromCore(box.repeated)));
    if (box.isExpandable())
        parts.append(GraphPictureTexts::tr("%n op(s)", nullptr, static_cast<int>(box.ops.size())));
    if (!box.type.empty())
        parts.prepend(shortened(toText(box.type)));
    if (!box.shape.empty())
        parts.append(toText(box.shape));
    return parts.join(QStringLiteral(" · "));
}

QStringList BoxMetrics::badges(const DagBox& box) const
{
    QStringList texts;
    for (const std::string& structure : box.structure) {
        if (static_cast<std::size_t>(texts.size()) == mostBadges && box.structure.size() > mostBadges) {
            texts.append(QStringLiteral("+%1").arg(box.structure.size() - mostBadges));
            break;
        }
        texts.append(shortened(toText(structure)));
    }
    return texts;
}

QSizeF BoxMetrics::size(const DagBox& box) const
{
    const QFontMetricsF titleMetrics(title);
    const QFontMetricsF smallMetrics(small);
    double width = titleMetrics.horizontalAdvance(heading(box)) + smallMetrics.horizontalAdvance(QStringLiteral(" V M"));
    if (box.key.kind == BoxKind::Tensor)
        return {width + smallMetrics.horizontalAdvance(QStringLiteral("  ") + toText(box.shape)) + tab + 3 * padding, titleHeight + padding};
    if (box.isExpandable())
        width += controlSize + padding;
    const double control = box.isExpandable() ? controlSize + padding : 0;
    width = std::max(width, smallMetrics.horizontalAdvance(subtitle(box)) + control);
    double badgeWidth = -badgeGap;
    for (const QString& badge : badges(box))
        badgeWidth += smallMetrics.horizontalAdvance(badge) + 2 * badgePadding + badgeGap;
    width = std::max({width, badgeWidth, largerSmall * smallMetrics.horizontalAdvance(toText(box.belongs))});
    double height = titleHeight + smallHeight + 1.5 * padding;
    if (!box.belongs.empty())
        height += smallHeight;
    if (!box.structure.empty())
        height += smallHeight + badgeGap + 2;
    return {std::max(84.0, std::ceil(width)) + tab + 2.5 * padding, std::ceil(height)};
}

QRectF zoneOf(const GraphPicture& picture, Position position)
{
    for (std::size_t i = 0; i < picture.dag.bands.size(); ++i)
        if (picture.dag.bands[i].place == position.function()) {
            const LayoutBand& band = picture.layout.bands[i];
            const double middle = position.function() == 0 ? band.top : (band.top + band.bottom) / 2;
            const QPointF left(picture.layout.bounds.left, position.isPre() ? band.top : middle);
            return {left, QPointF(picture.layout.bounds.right, position.isPre() ? middle : band.bottom)};
        }
    return {};
}

std::optional<Position> positionAt(const GraphPicture& picture, const QPointF& place)
{
    for (const DagBand& band : picture.dag.bands)
        for (const Position position : {Position::pre(band.place), Position::post(band.place)})
            if (band.place >= 0 && position.at >= 0)
                if (const QRectF zone = zoneOf(picture, position); place.y() >= zone.top() && place.y() < zone.bottom())
                    return position;
    return {};
}

PicturePlace placeIn(const LayoutResult& layout, const QPointF& point)
{
    const auto share = [](double part, double all) { return all > 0 ? std::clamp(part / all, 0.0, 1.0) : 0; };
    PicturePlace place;
    while (place.band + 1 < layout.bands.size() && layout.bands[place.band].stripBottom < point.y())
        ++place.band;
    if (place.band < layout.bands.size()) {
        const LayoutBand& band = layout.bands[place.band];
        place.down = share(point.y() - band.top, band.stripBottom - band.top);
    }
    place.across = share(point.x() - layout.bounds.left, layout.bounds.right - layout.bounds.left);
    return place;
}

QPointF pointAt(const LayoutResult& layout, const PicturePlace& place)
{
    const auto at = [](double from, double to, double share) { return from + share * (to - from); };
    const double x = at(layout.bounds.left, layout.bounds.right, place.across);
    if (place.band >= layout.bands.size())
        return {x, layout.bounds.bottom};
    const LayoutBand& band = layout.bands[place.band];
    return {x, at(band.top, band.stripBottom, place.down)};
}

LayoutInput layoutInput(const DagModel& dag, const std::vector<QSizeF>& sizes)
{
    LayoutInput input;
    std::vector<int> rows;  // of the bands, without hidden ones
    for (const DagBand& band : dag.bands)
        rows.push_back(band.isHidden ? input.bands : input.bands++);
    const auto row = [&](int band) { return rows[static_cast<std::size_t>(band)]; };
    for (const DagFrame& frame : dag.frames)
        input.groups.push_back({row(frame.band), frame.parent});
    for (std::size_t i = 0; i < dag.boxes.size(); ++i) {
        const DagBox& box = dag.boxes[i];
        const LayoutPlace place = box.key.kind == BoxKind::Tensor ? LayoutPlace::Strip : LayoutPlace::Inside;
        input.boxes.push_back({sizes[i].width(), sizes[i].height(), row(box.key.band), place, box.frame});
    }
    for (const DagArrow& arrow : dag.arrows)
        input.arrows.push_back({arrow.from, arrow.to});
    return input;
}

LayoutResult withHiddenBands(const DagModel& dag, LayoutResult layout)
{
    std::vector<LayoutBand> bands;
    std::size_t shown = 0;
    for (const DagBand& band : dag.bands) {
        const double above = bands.empty() ? layout.bounds.top : bands.back().stripBottom;
        bands.push_back(band.isHidden ? LayoutBand{above, above, above} : layout.bands[shown++]);
    }
    layout.bands = std::move(bands);
    return layout;
}

LayoutOptions layoutOptions(const BoxMetrics& metrics)
{
    LayoutOptions options;
    constexpr double around = 15;  // a module's title; below it the head of an arrow is seen
    options.groupMargin = std::max(BoxMetrics::controlSize, metrics.smallHeight) + around;
    options.minBandHeight = metrics.titleHeight + 2 * metrics.smallHeight + 20;
    options.rankGap = 30;
    options.stripMargin = 20;
    options.minStripHeight = metrics.smallHeight + 12;
    return options;
}

}  // namespace cleave::views
