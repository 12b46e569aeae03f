#pragma once

#include <QGraphicsView>
#include <functional>
#include <memory>
#include <optional>

#include "views/document.h"
#include "views/graph_picture.h"
#include "views/job.h"
#include "views/plan_drag.h"

class QMenu;
class QPrinter;

namespace cleave::views {

class BoxItem;
class GraphScene;
class Paper;
class PlanLabel;

enum class Reveal : std::uint8_t { Yes, No };  ///< scrolls what is selected into sight; No where the mouse has just pointed at it

/// The picture of the document's model: bands of boxes and arrows, with zoom, selection and expansion. The view's actions stand in its context menu.
class GraphView : public QGraphicsView {
    Q_OBJECT

public:
    enum class Framing : std::uint8_t { Free, Start, Fit };  ///< what the picture keeps when the view's size changes, until someone moves or zooms it

    /// What is in sight.
    struct Place {
        Framing framing = Framing::Start;
        double zoom = 1;  ///< as the next, where it is free
        QPointF centre;   ///< in the scene
    };

    explicit GraphView(Document& document, QWidget* parent = nullptr);
    ~GraphView() override;

    const std::shared_ptr<const Model>& model() const { return m_model; }  ///< null: none
    const GraphPicture* picture() const;  ///< null until the first layout is done
    const GraphScene& graphScene() const { return *m_scene; }
    bool isLayingOut() const { return m_job != nullptr; }

    std::optional<DagKey> selection() const { return m_selection; }
    const DagBox* selectedBox() const;
    void select(const std::optional<DagKey>& key, Reveal reveal = Reveal::Yes);
    void selectTensor(ValueId tensor);  ///< its box in a cut, or what makes it

    std::optional<int> selectedCut() const { return m_cut; }  ///< below that function of PlanSpace
    void selectCut(std::optional<int> cut, Reveal reveal = Reveal::Yes);  ///< ends a preview
    std::vector<int> cuts() const;                            ///< that are drawn, from the first to the last
    void moveCut(bool up);                                    ///< of the selected cut, to the next legal place, as a preview
    const PlanDrag* drag() const { return m_drag.get(); }     ///< null if nothing is being dragged

    std::vector<OpId> find(const QString& text) const;  ///< ops whose name, operator, results or module hold it, in program order
    void showOp(OpId op);                               ///< selects its box, and opens the modules that it lies in
    void showFound(OpId op);                            ///< likewise, and closes what was opened for the last one that was found
    void closeFound();                                  ///< what is open for the last one that was found

    bool isJoined(int cut) const;  ///< the functions above and below it run together in the plan that is shown
    void setLitFunction(int degree);  ///< functions of this message degree, brought to view; 0: none

    bool folds() const { return m_folds; }
    void setFolding(bool folds);         ///< of layers that repeat, all of them
    void setShowsStructure(bool shows);  ///< by arrows, beside the badges

    void expandSelection();
    void collapseSelection();
    void expandAll();
    void collapseAll();
    void fit();          ///< and again whenever the window's size changes, until someone moves the picture
    void showAtStart();  ///< the whole graph if its texts can still be read, otherwise its top
    void lookAt(const QPointF& centre);  ///< in the scene
    Place place() const;
    void goTo(const Place& place);
    void zoomBy(double factor);
    void showActualSize();  ///< with what is selected, or else the nearest box, in sight
    void setZoom(double zoom);  ///< 1: as large as the program's texts
    double zoom() const { return transform().m11(); }

    void exportPicture(const QString& path);  ///< SVG, PDF or PNG by the name's end; Error if it cannot be written
    QString svg();                            ///< an element; empty without a picture
    void print(QPrinter& printer);
    std::optional<QPointF> viewPosition(const DagKey& key) const;  ///< centre of a box in the viewport

    static constexpr double minZoom = 0.02, maxZoom = 4;  ///< smaller where the whole picture needs it

Q_SIGNALS:
    void selectionChanged();
    void pictureChanged();
    void layingOut(bool busy);
    void codeWanted();   ///< of what is selected
    void tableWanted();  ///< with what is selected
    void failed(const QString& sentence);
    void remarked(const QString& sentence);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void drawForeground(QPainter* painter, const QRectF& area) override;
    void scrollContentsBy(int dx, int dy) override;
    bool focusNextPrevChild(bool next) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    void showModel();
    struct Openness {
        Expansion expansion;
        std::set<int> unfolded;  // repeats, by their first bands

        bool operator==(const Openness&) const = default;
    };

    void setExpansion(Expansion expansion, std::optional<DagKey> anchor = std::nullopt);
    void setOpenness(Openness openness, std::optional<DagKey> anchor);
    void layOutAgain(std::optional<DagKey> anchor);
    void setPicture(std::unique_ptr<GraphPicture> picture, const std::optional<DagKey>& anchor);
    void onPaper(const std::function<void(const Paper&)>& use) const;
    void restyle();
    void mark(Reveal reveal = Reveal::Yes);
    void bringIn(const QRectF& area, int marginX, int marginY);
    static constexpr double leastWhole = 0.7;  // of the zoom at which text is readable: what was whole in sight stays so down to it
    void frameAgain(double least = leastWhole);
    void scaleTo(double zoom);
    double fittingZoom() const;
    OpId firstLook() const;  // what is to be selected in a new picture
    bool selectNextCut(int step);
    bool handleCutKey(int key);
    void sayCut();
    void showLine(const QRectF& line);
    DagOptions dagOptions() const;
    const Repeat* repeatAround(const DagBox& box) const;  ///< null: none
    void fold(const Repeat& repeat);
    void addRepeatActions(QMenu& menu, const DagBox& box);
    void addBoxActions(QMenu& menu, const DagBox& box);
    void addFrameAction(QMenu& menu, int frame);
    void fillMenu(QMenu& menu, const QPoint& position, bool byKey);
    std::unique_ptr<PlanDrag> beginDrag();

    BoxItem* boxAt(const QPoint& position) const;
    void open(const DagKey& key);  ///< of a box that can be
    void closeFrame(int frame);
    void selectStep(int step);
    void selectTowards(int key);
    bool handleKey(int key);

    Document& m_document;
    std::shared_ptr<const Model> m_model;
    std::shared_ptr<const ViewedGraph> m_viewed;  // whose drawing the model is; null for what can be run
    Openness m_open;
    Openness m_openBeforeFound, m_openForFound;  // before a search, and as it left things: anything else was opened or closed since
    std::optional<DagKey> m_selection, m_selectedBefore;
    OpId m_wanted;  // to be selected in the next picture
    std::unique_ptr<Job> m_job;
    std::shared_ptr<LayoutCache> m_layouts = std::make_shared<LayoutCache>();

    GraphScene* m_scene;
    std::unique_ptr<PlanDrag> m_drag;
    PlanLabel* m_cutLabel;  // where a cut is moved by keys
    std::optional<int> m_cut;
    std::vector<Repeat> m_repeats;
    bool m_folds = true, m_showsStructure = false;
    QPoint m_pressed;
    bool m_panning = false;              // with a button held
    bool m_isOver = false;               // what the button was held for
    Framing m_framing = Framing::Free;
    bool m_showsWhole = false;  // where it is not free
    bool m_isNew = false;                // the model was not shown yet
};

}  // namespace cleave::views
