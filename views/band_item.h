#pragma once

#include <QGraphicsItem>
#include <QStringList>
#include <optional>
#include <vector>

#include "views/graph_style.h"

namespace cleave::views {

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
    bool hasCut() const { return m_hasCut; }          ///< in its strip
    double textWidth() const { return m_textWidth; }  ///< of its own texts
    void setCutMarked(bool marked);
    void setJoined(bool joined);  ///< nothing is cut there
    void setOtherCut(
        std::optional<bool> cuts);  ///< whether the plan compared with cuts there, where this one does the other; nothing: it does as well
    void setLit(bool lit);          ///< the function that is spoken of
    QRectF stripRect() const;
    QRectF bandRect() const;                                 ///< without the strip
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
