#pragma once

#include <QMainWindow>

#include "views/document.h"
#include "views/recovery.h"
#include "views/window_layout.h"

class QFileDialog;
class QLabel;
class QProgressBar;
class QStackedWidget;
class QToolButton;

namespace cleave::views {

class EmptyPage;
class FindBar;
class GraphView;
class Inspector;
class Legend;
class MessageBar;
class PlanPanel;
class ResultPanel;
class SettingsDialog;
class StoryView;
class TablePanel;

/// Wires the document to its views: menus, docks, status bar. Holds no logic of its own.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    Document& document() { return m_document; }
    GraphView& graphView() { return *m_view; }
    const MessageBar& messageBar() const { return *m_message; }
    const MessageBar& offerBar() const { return *m_offer; }
    Recovery& recovery() { return m_recovery; }
    void openLastSession();  ///< model and graph that were open when a window was closed last
    void offerLeftPlans();  ///< that windows left unsaved which are gone
    PlanPanel& planPanel() { return *m_plan; }
    StoryView& story() { return *m_story; }
    TablePanel& tables() { return *m_tables; }
    FindBar& findBar() { return *m_find; }
    void showStory();  ///< with the example beside it if no model is open
    void openExample();
    SettingsDialog* showSettings();
    void setPresenting(bool presenting);  ///< full screen, the story in large type beside the model

    void exportTo(const QString& path);  ///< picture, DOT, table or report by the name's end; what cannot be written is said in the message bar
    void exportCode(const QString& chosen);  ///< a folder, or where it holds other files one of its own in it

    bool eventFilter(QObject* watched, QEvent* event) override;

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    static constexpr int messageTime = 8000;  // milliseconds, in the status bar

    void makeCentre();
    void makeDocks();
    void makeActions();
    void makeStatusBar();
    QAction* addAction(QMenu* menu, const QString& text, const QKeySequence& key, auto&& work);
    void addRewrites(QMenu* menu);

    void openDialog(const QString& title, const QString& filter, void (Document::*open)(const QString&) = &Document::open, const QString& last = {});
    void openFolderDialog();
    void exportDialog();
    void exportCodeDialog();
    QString packageFolder(const QString& chosen) const;
    void print();
    void closeWithModel(QDialog& dialog);
    void savePlan();
    void savePlanTo(const QString& path);
    void saveDialog();
    bool savePlanDialog();  ///< waits for the answer
    QFileDialog* planDialog();
    bool mayLosePlan();
    void showHelp();
    void about();
    void note(const QString& sentence);
    void sayWritten(const QString& sentence);
    void offer(const LeftPlan& plan);
    void fillRecent();
    void rememberFile(const QString& path);
    void changeFontSize(double points);  ///< of every window, by so much, from now on
    void showError(const QString& sentence);
    void showRefusal(const QString& path, const QString& sentence);  ///< of a model file
    void tell(const QString& sentence, const QString& before);
    void offerComparison(const QString& path, const std::set<Rewrite>& made);  ///< with a plan that was made after other rewrites
    void sayStep(int index);  ///< of the history, up to which it is done
    void showRemarks(const QStringList& remarks);  ///< on a plan that was made for another model file
    QStringList arraysFor(const QString& input) const;  ///< of the graph, where it has none of that name
    int widthInGraph(const QString& input) const;
    void showChange(Change change);
    void showTasks();
    void showSelection();
    std::vector<OpId> selectedOps() const;  // of the box, or the op that makes the tensor
    void showTitle();

    Document m_document;
    Recovery m_recovery{m_document};
    WindowLayout m_layout{*this};
    GraphView* m_view = nullptr;
    Legend* m_legend = nullptr;
    MessageBar *m_message = nullptr, *m_offer = nullptr;
    std::optional<Rates> m_ratesBefore;  // while others are measured
    int m_step = 0;               // of the history, that was told last
    bool m_isExample = false;     // what was opened last
    bool m_tellsRefusal = false;  // of a plan's change, which the next change makes moot
    bool m_tellsOfModel = false;  // which no other graph makes moot
    std::size_t m_toldAtBound = 0;  // on memory, which another one makes moot if it is what is told of
    FindBar* m_find = nullptr;
    QStackedWidget* m_pages = nullptr;
    EmptyPage* m_empty = nullptr;
    Inspector* m_inspector = nullptr;
    PlanPanel* m_plan = nullptr;
    StoryView* m_story = nullptr;
    TablePanel* m_tables = nullptr;
    QDockWidget* m_storyDock = nullptr;
    double m_fontBefore = 0;
    SettingsDialog* m_settings = nullptr;
    QMenu *m_recent = nullptr, *m_rewrites = nullptr;
    ResultPanel* m_results = nullptr;
    QDockWidget* m_resultDock = nullptr;
    QLabel* m_task = nullptr;
    QProgressBar* m_progress = nullptr;
    QToolButton* m_cancel = nullptr;
    QAction *m_run = nullptr, *m_verify = nullptr, *m_stop = nullptr, *m_export = nullptr, *m_exportCode = nullptr, *m_print = nullptr,
            *m_savePlan = nullptr, *m_savePlanAs = nullptr, *m_openExpected = nullptr, *m_closeExpected = nullptr, *m_reload = nullptr,
            *m_calibrate = nullptr;
    QList<QAction*> m_ofPicture;  // that make sense for a picture only
    bool m_layingOut = false;
};

}  // namespace cleave::views
