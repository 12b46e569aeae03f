#pragma once

#include <QGraphicsItem>
#include <QString>

#include "views/graph_style.h"

namespace cleave::views {

class BoxItem : public QGraphicsItem {
public:
    BoxItem(const DagBox& box, int index, const QSizeF& size, const GraphStyle& style);

    int index() const { return m_index; }
    void setMarked(bool marked);
    void setPlace(const QString& text);  ///< where the plan runs it, if that is not the band that it is drawn in; empty otherwise
    void setSaves(const QString& text);  ///< what of it is saved where no box says so; empty otherwise
    void setFaded(bool faded);           ///< a tensor that the plan does not save
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

}  // namespace cleave::views
