#pragma once

#include <QWidget>

class QPainter;

#include "views/theme.h"

namespace cleave::views {

class Document;

/// What colours, outlines and signs of the graph view mean, in one line.
class Legend : public QWidget {
    Q_OBJECT

public:
    explicit Legend(QWidget* parent = nullptr);

    void showDocument(const Document& document);  ///< its levels or stages, and the plan that it is compared with
    void paintOn(QPainter& painter, int width) const;
    const QString& other() const { return m_other; }  ///< the plan that the one at hand is compared with; empty: there is none

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;  ///< in more rows where it is narrow

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void setLevels(int levels, bool showsGraph);  // showsGraph: what global ops give is in the picture
    void setStages(int last);                     // of a profile graph, by number
    void setOther(const QString& name);
    double rowHeight() const;
    int lay(QPainter* painter, int width) const;  // the number of rows; null: without painting them

    int m_levels = 0;
    bool m_showsGraph = false, m_isStaged = false;
    QString m_other;
};

}  // namespace cleave::views
