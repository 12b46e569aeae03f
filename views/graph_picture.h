#pragma once

#include <QFont>
#include <QRectF>
#include <memory>
#include <optional>
#include <vector>

#include "core/layout/layout.h"
#include "core/run/model.h"
#include "views/dag_model.h"

namespace cleave::views {

/// Sizes of what boxes and bands write, in scene units: those of the font at zoom 100 %.
struct BoxMetrics {
    explicit BoxMetrics(const QFont& font);

    QFont title, small;
    double titleHeight, smallHeight;
    double tab;  ///< width of the coloured part with the message degree

    static constexpr double padding = 8;
    static constexpr double badgePadding = 5;
    static constexpr double badgeGap = 4;
    static constexpr double largerSmall = 1.4;  ///< than at full size, in small pictures
    static constexpr double controlSize = 15;  ///< of the sign that opens a module

    QSizeF size(const DagBox& box) const;
    QString heading(const DagBox& box) const;
    QString subtitle(const DagBox& box) const;
    QStringList badges(const DagBox& box) const;  ///< a few, then how many more there are
};

class ViewedGraph;

/// A model as it is drawn: boxes with sizes and places.
struct GraphPicture {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const ViewedGraph> viewed;  ///< whose drawing the model is; null for what can be run
    DagModel dag;
    std::vector<QSizeF> sizes;
    LayoutResult layout;
};

/// Where in the scene an op is dropped to run there: the upper half of a band is before its message passing, the lower half after it. Empty if there
/// is no such band.
QRectF zoneOf(const GraphPicture& picture, Position position);
std::optional<Position> positionAt(const GraphPicture& picture, const QPointF& place);

/// A place that two pictures of a model have in common: so far down one of its bands and so far across all, as shares of what they measure.
struct PicturePlace {
    std::size_t band = 0;
    double down = 0, across = 0;
};
PicturePlace placeIn(const LayoutResult& layout, const QPointF& point);  ///< the nearest one
QPointF pointAt(const LayoutResult& layout, const PicturePlace& place);

LayoutInput layoutInput(const DagModel& dag, const std::vector<QSizeF>& sizes);
LayoutResult withHiddenBands(const DagModel& dag, LayoutResult layout);  ///< which layoutInput() leaves out; they are empty, below the band before
LayoutOptions layoutOptions(const BoxMetrics& metrics);

}  // namespace cleave::views
