#pragma once

#include <QGraphicsItem>
#include <QString>

#include "views/graph_style.h"

namespace cleave::views {

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

}  // namespace cleave::views
