#pragma once

#include <QGraphicsScene>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "views/arrow_item.h"
#include "views/band_item.h"
#include "views/box_item.h"
#include "views/document.h"
#include "views/frame_item.h"
#include "views/graph_style.h"
#include "views/moved_ops.h"
#include "views/plan_marks.h"
#include "views/structure_item.h"
#include "views/text.h"

namespace cleave::views {

/// What a part of the picture says to those who do not see it.
struct SpokenPart {
    QString name, details;
};

/// The items of a picture: bands, frames, arrows and boxes, with the marks of the plan, the selection and what is spoken of.
class GraphScene : public QGraphicsScene {
    Q_OBJECT

public:
    GraphScene(Document& document, const QPalette& palette, const QFont& font, QObject* parent);
    ~GraphScene() override;

    const GraphStyle& style() const { return m_style; }
    void setColors(const QPalette& palette);
    void setFont(const QFont& font);  ///< of the next picture

    const GraphPicture* picture() const { return m_picture.get(); }
    void setPicture(std::unique_ptr<GraphPicture> picture);  ///< null: none
    bool isCurrent() const;                                  ///< whether the picture is that of the open model
    void showPlan();                                         ///< as it is now; boxes stay where they are

    void markBox(int box);  ///< and its arrows; -1: none
    void markCut(std::optional<int> cut);  ///< below that function of PlanSpace
    void lightFunctions(int degree);       ///< of this message degree; 0: none
    void lightRunning(const QString& function);  ///< that runs, as core names it; empty: none
    QRectF boxRect(int box) const;
    /// of the bands there: at their left ends, or at `left` if that is further right
    void paintTitles(QPainter* painter, const QRectF& area, double left) const;
    /// in the view's own coordinates, where the picture is too small for texts
    void paintSmallTitles(QPainter* painter, const QTransform& toView, const QRectF& view) const;
    void paintSmallNames(QPainter* painter, const QTransform& toView, const QRectF& area) const;  ///< of boxes, likewise
    double nodesRoom() const;  ///< beside the bands, for the node types that small titles name
    double titleRoom() const;  ///< the widest that titles are, and what is around them
    QRectF cutRect(int cut) const;         ///< its strip; empty if it is not drawn
    double fullestLeft(const QRectF& view) const;           ///< where this view, moved aside, shows boxes of most of its bands
    QRectF nearestBox(const QRectF& area, double x) const;  ///< of those in the area; empty if there is none
    QRectF litRect() const;                                 ///< of the functions that are spoken of, and of what runs

    BoxItem* boxAt(const QPointF& position) const;
    FrameItem* frameAt(const QPointF& position) const;  ///< whose header is there
    std::optional<int> cutAt(const QPointF& position) const;
    SpokenPart spokenBox(int box) const;
    SpokenPart spokenCut(int cut) const;
    std::vector<int> readingOrder() const;
    int nextBox(int from, int key) const;  ///< the nearest in the direction of an arrow key; -1 if there is none

private:
    void addItems();
    void tellBandsTheirBoxes();
    void addFrames();
    void addArrow(std::size_t arrow);
    void markBands();
    bool isLit(const DagBand& band) const;
    bool isRunning(const DagBand& band) const;
    void writeBands(const PlanMarks& marks);
    void writeViewed();
    double titleWidth() const;
    void alignTitles();
    BandItem::Texts bandText(std::size_t band, const DagStrip& strip, const QString& device) const;

    Document& m_document;
    GraphStyle m_style;
    std::unique_ptr<GraphPicture> m_picture;
    // Owned by the scene.
    std::vector<BoxItem*> m_boxes;
    std::vector<ArrowItem*> m_arrows;  // null for stubs
    std::vector<BandItem*> m_bands;    // null for hidden ones
    std::map<int, int> m_moreOps;  // in the bands of functions, than are drawn there
    MovedOpsLayer* m_movedLayer = nullptr;
    std::vector<MovedOpsItem*> m_moved;
    StructureItem* m_structure = nullptr;  // null without structure arrows
    int m_marked = -1;
    std::vector<DagStrip> m_strips;  // as they are written
    std::vector<QString> m_devices;
    const DataGraph* m_graphOfTexts = nullptr;
    ByteUnits m_unitsOfTexts = ByteUnits::Decimal;
    std::optional<int> m_cut;
    int m_lit = 0;
    QString m_running;
};

}  // namespace cleave::views
