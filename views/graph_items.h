#pragma once

#include <QGraphicsItem>
#include <QPainterPath>
#include <QPen>
#include <optional>
#include <vector>

#include "views/graph_picture.h"
#include "views/theme.h"

namespace cleave::views {

inline constexpr double textDetail = 0.4;  ///< below this zoom texts are left out
inline constexpr double smallTextDetail = 0.66;  ///< below this one, small texts: there are names alone, and larger

/// What all items of a picture paint with; outlives them.
struct GraphStyle {
    GraphColors colors;
    BoxMetrics metrics;
    int levels = 0;
};

class BoxItem : public QGraphicsItem {
public:
    BoxItem(const DagBox& box, int index, const QSizeF& size, const GraphStyle& style);

    int index() const { return m_index; }
    void setMarked(bool marked);
    void setPlace(const QString& text);  ///< where the plan runs it, if that is not the band that it is drawn in; empty otherwise
    void setSaves(const QString& text);  ///< what of it is saved where no box says so; empty otherwise
    void setFaded(bool faded);            ///< a tensor that the plan does not save
    const QString& place() const { return m_place; }
    const QString& saves() const { return m_saves; }
    bool isFaded() const;
    /// of one size in the view, for pictures that are too small for other texts; in the view's coordinates
    void paintSmallName(QPainter* painter, const QTransform& toView) const;
    QRectF rect() const;
    QRectF controlRect() const;  ///< of the sign that opens a module; empty if there is none

    QRectF boundingRect() const override;
    QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    QPainterPath outline() const;
    void paintFromFar(QPainter* painter) const;
    void paintFill(QPainter* painter) const;
    void paintOutline(QPainter* painter) const;
    void paintName(QPainter* painter) const;
    void paintTensorName(QPainter* painter, QRectF area) const;
    void paintLevel(QPainter* painter) const;
    void paintTexts(QPainter* painter) const;
    void paintTensorTexts(QPainter* painter) const;
    void paintBadges(QPainter* painter, const QRectF& area) const;
    void paintControl(QPainter* painter) const;
    void paintLabel(QPainter* painter, const QRectF& area, const QString& text, bool isFilled) const;
    void place(QString& text, QRectF& area, const QString& now, double y);
    QRectF labelRect(const QString& text, double y) const;

    const DagBox& m_box;
    const GraphStyle& m_style;
    int m_index;
    QSizeF m_size;
    QString m_place, m_saves;
    QRectF m_placeRect, m_savesRect;  // measuring texts takes longer than painting boxes
    bool m_marked = false;
};

class ArrowItem : public QGraphicsItem {
public:
    ArrowItem(const std::vector<LayoutPoint>& path, const GraphStyle& style);

    void setMarked(bool marked);
    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    void paintLong(QPainter* painter, const QRectF& area) const;
    QPen pen() const;

    const GraphStyle& m_style;
    QPainterPath m_path;
    std::vector<QPointF> m_corners;  // of a long arrow, as straight lines
    QPolygonF m_head;
    QRectF m_bounds;
    bool m_marked = false;
};

/// An arrow that the layout found no way for: a short line at one of its ends with the name of the value.
class StubItem : public QGraphicsItem {
public:
    StubItem(const QPointF& end, bool leaves, const QString& name, const GraphStyle& style);

    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    const GraphStyle& m_style;
    bool m_leaves;
    QString m_name;
};

/// The frame of an expanded module; its sign closes it.
class FrameItem : public QGraphicsItem {
public:
    FrameItem(const QString& title, int index, const QRectF& rect, const GraphStyle& style);

    int index() const { return m_index; }
    QRectF headerRect() const;
    const QString& title() const { return m_title; }

    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    const GraphStyle& m_style;
    QString m_title;
    int m_index;
    QRectF m_rect;
};

/// The header of a frame, on a plate of its own: arrows that enter the module from above pass under it.
class FrameTitleItem : public QGraphicsItem {
public:
    FrameTitleItem(const FrameItem& frame, const GraphStyle& style);

    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    const GraphStyle& m_style;
    QString m_title;
    QRectF m_rect;
};

/// Background of a function, its title at the left, and the cut below it.
class BandItem : public QGraphicsItem {
public:
    struct Texts {
        QString title;
        QString nodes;  ///< the node type, where there are several: beside the title in small pictures, among the lines otherwise
        QStringList lines;
        QString stripTitle;
        QStringList stripLines;

        bool operator==(const Texts&) const = default;
    };

    BandItem(const LayoutBand& band, const LayoutRect& bounds, bool hasCut, const GraphStyle& style);  ///< without texts

    static double textWidth(const GraphStyle& style, const Texts& texts);
    static constexpr double gap = 24;  ///< between the titles and the boxes
    static constexpr double margin = 14;

    void setTitleWidth(double width);
    void setBoxes(std::vector<QRectF> boxes);  ///< that lie in it, and that titles are to leave free where they can
    void setTexts(Texts texts);
    const Texts& texts() const { return m_texts; }
    bool hasCut() const { return m_hasCut; }  ///< in its strip
    double textWidth() const { return m_textWidth; }  ///< of its own texts
    void setCutMarked(bool marked);
    void setJoined(bool joined);  ///< nothing is cut there
    void setOtherCut(
        std::optional<bool> cuts);  ///< whether the plan compared with cuts there, where this one does the other; nothing: it does as well
    void setLit(bool lit);  ///< the function that is spoken of
    QRectF stripRect() const;
    QRectF bandRect() const;  ///< without the strip
    void paintTitles(QPainter* painter, double left) const;  ///< there, if they would begin left of it

    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    void paintTexts(QPainter* painter, double x, const QString& title, const QString& nodes, const QStringList& lines, double top, double bottom,
                    const QColor& color) const;
    double roomFor(const QRectF& line) const;

    const GraphStyle& m_style;
    LayoutBand m_band;
    LayoutRect m_bounds;
    bool m_hasCut;
    bool m_cutMarked = false, m_isLit = false, m_isJoined = false;
    std::optional<bool> m_otherCuts;
    Texts m_texts;
    double m_titleWidth = 0, m_textWidth = 0;
    std::vector<QRectF> m_boxes;  // from left to right
};

}  // namespace cleave::views
