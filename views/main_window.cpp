#include "views/main_window.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QMimeData>
#include <QProgressBar>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSettings>
#include <QShortcut>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>
#include <QUndoView>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "core/run/calibrate.h"
#include "views/code_panel.h"
#include "views/core_text.h"
#include "views/description.h"
#include "views/empty_page.h"
#include "views/find_bar.h"
#include "views/graph_view.h"
#include "views/inspection.h"
#include "views/inspector.h"
#include "views/legend.h"
#include "views/long_tips.h"
#include "views/message_bar.h"
#include "views/model_panel.h"
#include "views/plan_panel.h"
#include "views/result_panel.h"
#include "views/ruler.h"
#include "views/session.h"
#include "views/settings_dialog.h"
#include "views/viewed_graph.h"
#include "views/story_view.h"
#include "views/table_panel.h"
#include "views/text.h"

namespace cleave::views {

namespace {

const QString recentKey = QStringLiteral("recent");
constexpr std::int64_t exampleBatch = 256;

// The local files of a drop.
QStringList droppedFiles(const QMimeData* data)
{
    QStringList files;
    for (const QUrl& url : data->urls())
        if (url.isLocalFile())
            files.append(url.toLocalFile());
    return files;
}

// Of this machine, as they were measured last; a file that cannot be read holds none.
Rates keptRates()
{
    try {
        return readRates(ratesPath());
    } catch (const Error&) {
        return {};
    }
}

void bringForward(QDockWidget& dock)
{
    dock.show();
    dock.raise();  // it may be a tab behind another
}

}  // namespace

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent)
{
    setAcceptDrops(true);
    setDockOptions(AnimatedDocks | AllowTabbedDocks | AllowNestedDocks);
    makeCentre();
    makeDocks();
    makeActions();
    auto* help = menuBar()->addMenu(tr("&Help"));
    addAction(help, tr("Words and &keys"), QKeySequence::HelpContents, [this] { showHelp(); });
    addAction(help, tr("&Why layer-wise inference works"), tr("F2"), [this] { showStory(); });
    addAction(help, tr("&About Cleave"), {}, [this] { about(); });
    makeStatusBar();

    connect(&m_document, &Document::changed, this, &MainWindow::showChange);
    connect(&m_document, &Document::planOpened, this, [this] { writeSession(sessionOf(m_document)); });
    connect(&m_document, &Document::failed, this, &MainWindow::showError);
    connect(&m_document, &Document::modelRefused, this, &MainWindow::showRefusal);
    connect(&m_document, &Document::noted, this, [this](const QString& sentence) { note(fromCore(sentence)); });
    connect(&m_document, &Document::cancelled, this, [this](const QString& sentence) {
        note(sentence);
        statusBar()->showMessage(sentence, messageTime);
    });
    connect(&m_document, &Document::planDiffers, this, &MainWindow::showRemarks);
    connect(&m_document, &Document::planPathChanged, this, [this] {
        rememberFile(m_document.planPath());
        showTitle();
    });
    connect(&m_document, &Document::progressed, this, [this](double fraction, const QString& what) {
        m_progress->setRange(0, 1000);
        m_progress->setValue(static_cast<int>(std::lround(fraction * 1000)));
        m_task->setText(fromCore(what));
    });
    // A message stays until something new is tried; one that offers a choice, until what it is about is read anew.
    connect(&m_document, &Document::starting, this, [this](Task task) {
        if (task == Task::Calibrate)
            m_ratesBefore = keptRates();
        const bool isAside = task == Task::Check || task == Task::Look;
        if (!isAside)
            statusBar()->clearMessage();
        const bool isReadAnew = task == Task::OpenModel || (task == Task::OpenGraph && !m_tellsOfModel);
        if (isReadAnew || (!isAside && m_message->buttons().isEmpty()))
            m_message->hide();
    });
    connect(&m_document.planEditor(), &PlanEditor::refused, this, [this](const QString& sentence) {
        showError(sentence);
        m_tellsRefusal = true;
    });
    connect(&m_document.planEditor(), &PlanEditor::shownChanged, this, [this] {
        if (m_tellsRefusal)
            m_message->hide();
    });
    // not while the window goes
    connect(&m_document.planEditor().history(), &QUndoStack::indexChanged, m_view, [this](int index) { sayStep(index); });
    connect(&m_document.planEditor().history(), &QUndoStack::cleanChanged, this, [this](bool clean) { setWindowModified(!clean); });
    connect(&m_recovery, &Recovery::leftBehind, this, &MainWindow::offer);
    connect(&m_document.planEditor(), &PlanEditor::comparisonChanged, this, [this] {
        if (m_message->buttons().isEmpty())
            m_message->hide();
        m_legend->showDocument(m_document);
    });
    auto* intoPicture = new QShortcut(Qt::Key_F6, this);
    connect(intoPicture, &QShortcut::activated, m_view, [this] { m_view->setFocus(Qt::ShortcutFocusReason); });
    connect(m_view, &GraphView::failed, this, &MainWindow::showError);
    connect(m_view, &GraphView::remarked, m_results, &ResultPanel::addMessage);
    connect(m_view, &GraphView::selectionChanged, this, &MainWindow::showSelection);
    connect(m_view, &GraphView::pictureChanged, this, &MainWindow::showSelection);
    connect(&m_document.planEditor(), &PlanEditor::costsChanged, this, &MainWindow::showSelection);
    connect(&m_document.planEditor(), &PlanEditor::shownChanged, this, &MainWindow::showSelection);
    connect(m_story, &StoryView::functionShown, m_view, &GraphView::setLitFunction);
    connect(m_story, &StoryView::cutWanted, m_view, [this] {
        if (m_document.planEditor().space() != nullptr && m_document.planEditor().space()->functions() > 1)
            m_view->selectCut(0);
    });
    connect(m_plan, &PlanPanel::batchSizeChosen, &m_document, &Document::chooseBatchSize);
    connect(m_plan, &PlanPanel::randomFeaturesWanted, &m_document, [this] { m_document.setRandomFeatures(true); });
    connect(m_plan, &PlanPanel::rewritesWanted, &m_document, [this] { m_document.chooseRewrites(); });
    connect(&m_document, &Document::rewritesDiffer, this, &MainWindow::offerComparison);
    connect(m_plan, &PlanPanel::tensorSelected, m_view, &GraphView::selectTensor);
    connect(m_view, &GraphView::selectionChanged, this, [this] {
        if (const DagBox* box = m_view->selectedBox())
            m_plan->selectTensor(box->key.kind == BoxKind::Tensor ? box->key.value : ValueId{});
        m_tables->selectAmong(selectedOps());
    });
    connect(m_tables, &TablePanel::opChosen, m_view, &GraphView::showOp);
    connect(m_view, &GraphView::layingOut, this, [this](bool busy) {
        m_layingOut = busy;
        showTasks();
    });

    resize(QSize(1360, 860).boundedTo(screen()->availableSize()));
    m_layout.restore();
    showChange(Change::Model);
    showTasks();
    m_view->setFocus();
    qApp->installEventFilter(this);
    breakLongTips(*this);
}

// What shows the document goes before it does; a drag that ends with its view is nothing to show any more.
MainWindow::~MainWindow()
{
    hide();
    m_document.disconnect(this);
    m_document.planEditor().disconnect(this);
    m_view->disconnect(this);
    qDeleteAll(findChildren<QDockWidget*>(Qt::FindDirectChildrenOnly));
    delete centralWidget();
}

void MainWindow::makeCentre()
{
    auto* centre = new QWidget(this);
    m_message = new MessageBar(centre);
    m_offer = new MessageBar(centre);
    m_pages = new QStackedWidget(centre);
    auto* page = new QWidget(m_pages);
    m_view = new GraphView(m_document, page);
    m_find = new FindBar(*m_view, centre);
    auto* beside = new QHBoxLayout(page);
    beside->setContentsMargins(0, 0, 0, 0);
    beside->setSpacing(0);
    beside->addWidget(m_view, 1);
    auto* ruler = new Ruler(*m_view, page);
    beside->addWidget(ruler);
    connect(&m_document.planEditor(), &PlanEditor::shownChanged, ruler, qOverload<>(&QWidget::update));
    m_legend = new Legend(centre);
    m_empty = new EmptyPage(m_pages);
    connect(m_empty, &EmptyPage::exampleWanted, this, &MainWindow::openExample);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(page);
    constexpr QSize least{160, 120};  // not that of the largest page: docks, and the rows of the legend, need theirs in a small window
    m_pages->setMinimumSize(least);
    auto* layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_offer);
    layout->addWidget(m_message);
    layout->addWidget(m_find);
    layout->addWidget(m_pages, 1);
    layout->addWidget(m_legend);
    setCentralWidget(centre);
}

void MainWindow::makeDocks()
{
    const auto dock = [this](const QString& title, const QString& name, QWidget* content, Qt::DockWidgetArea area) {
        auto* widget = new QDockWidget(title, this);
        widget->setObjectName(name);
        widget->setWidget(content);
        addDockWidget(area, widget);
        return widget;
    };
    auto* model = dock(tr("Model and graph"), QStringLiteral("model"), new ModelPanel(m_document, this), Qt::LeftDockWidgetArea);
    m_inspector = new Inspector(this);
    auto* inspector = dock(tr("Inspector"), QStringLiteral("inspector"), m_inspector, Qt::LeftDockWidgetArea);
    m_plan = new PlanPanel(m_document.planEditor(), this);
    auto* plan = dock(tr("Plan"), QStringLiteral("plan"), m_plan, Qt::RightDockWidgetArea);
    auto* history = new QUndoView(&m_document.planEditor().history(), this);
    const auto tellStart = [this, history] { history->setEmptyLabel(m_document.model() ? tr("Cut at message degree") : tr("No model is open")); };
    tellStart();
    connect(&m_document, &Document::changed, history, [tellStart](Change change) {
        if (change == Change::Model)
            tellStart();
    });
    history->setAccessibleName(tr("History of the plan"));
    dock(tr("History"), QStringLiteral("history"), history, Qt::RightDockWidgetArea)->hide();
    m_results = new ResultPanel(m_document, this);
    m_resultDock = dock(tr("Results"), QStringLiteral("results"), m_results, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    resizeDocks({m_resultDock}, {240}, Qt::Vertical);
    m_resultDock->hide();  // until there are some
    m_story = new StoryView(m_document, this);
    m_storyDock = dock(tr("Story"), QStringLiteral("story"), m_story, Qt::RightDockWidgetArea);
    tabifyDockWidget(plan, m_storyDock);
    connect(m_storyDock, &QDockWidget::visibilityChanged, m_story, &QWidget::setEnabled);  // no keys for what lies behind another page
    m_storyDock->hide();
    auto* source = new CodePanel(m_document, this);
    auto* code = dock(tr("Code"), QStringLiteral("code"), source, Qt::BottomDockWidgetArea);
    connect(m_view, &GraphView::selectionChanged, source, [this, source] { source->showOps(selectedOps()); });
    connect(m_view, &GraphView::codeWanted, source, [this, source, code] {
        bringForward(*code);
        source->showOps(selectedOps());
    });
    tabifyDockWidget(m_resultDock, code);
    code->hide();
    m_tables = new TablePanel(m_document, this);
    auto* tables = dock(tr("Tables"), QStringLiteral("tables"), m_tables, Qt::BottomDockWidgetArea);
    connect(m_view, &GraphView::tableWanted, m_tables, [this, tables] {
        bringForward(*tables);
        if (const std::vector<OpId> ops = selectedOps(); !ops.empty())
            m_tables->showOp(ops.front());
    });
    tabifyDockWidget(m_resultDock, tables);
    tables->hide();
    resizeDocks({model, plan}, {300, 350}, Qt::Horizontal);
    resizeDocks({model, inspector}, {500, 260}, Qt::Vertical);
}

QAction* MainWindow::addAction(QMenu* menu, const QString& text, const QKeySequence& key, auto&& work)
{
    QAction* action = menu->addAction(text);
    action->setShortcut(key);
    connect(action, &QAction::triggered, this, std::forward<decltype(work)>(work));
    return action;
}

void MainWindow::makeActions()
{
    auto* file = menuBar()->addMenu(tr("&File"));
    auto* openModel = addAction(file, tr("Open &model…"), QKeySequence::Open,
                                [this] { openDialog(tr("Open model"), tr("Models (*.pt2 *.pt);;PipeDream profile graphs (*.txt);;All files (*)")); });
    auto* openGraph = addAction(file, tr("Open &graph…"), tr("Ctrl+G"), [this] {
        openDialog(tr("Open graph"), tr("Graphs (*.npz *.csv *.tsv *.txt *.mtx *.graphml *.dot *.gv *.gz);;All files (*)"), &Document::open,
                   m_document.graphPath());
    });
    QAction* openFolder = addAction(file, tr("Open graph &folder…"), {}, [this] { openFolderDialog(); });
    openFolder->setToolTip(tr("A folder of .npy arrays, or a dataset as OGB keeps it"));
    addAction(file, tr("Open Zachary's &karate club"), {}, [this] { m_document.openKarateClub(); });
    addAction(file, tr("Open the e&xample"), {}, [this] { openExample(); })->setEnabled(!exampleFile(QStringLiteral("sage.pt2")).isEmpty());
    m_reload = addAction(file, tr("Re&load"), QKeySequence(Qt::Key_F5), [this] { m_recovery.reload(); });
    m_reload->setToolTip(tr("Reads the model and the graph once more from their files"));
    m_recent = file->addMenu(tr("Open &recent"));
    connect(m_recent, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
    m_openExpected = addAction(file, tr("Open expected &outputs…"), {}, [this] {
        openDialog(tr("Open expected outputs"), tr("Arrays (*.npz *.npy);;All files (*)"), &Document::openExpected);
    });
    m_openExpected->setToolTip(tr("Outputs recorded elsewhere: arrays named expected, or expected_0, expected_1, …; or one alone as .npy"));
    m_closeExpected = addAction(file, tr("Close expected outputs"), {}, [this] { m_document.closeExpected(); });
    addAction(file, tr("Open &plan…"), {},
              [this] { openDialog(tr("Open plan"), tr("Plans (*.cleave.json);;All files (*)"), &Document::openPlan, m_document.planPath()); });
    m_savePlan = addAction(file, tr("&Save plan"), QKeySequence::Save, [this] { savePlan(); });
    m_savePlanAs = addAction(file, tr("Save plan &as…"), QKeySequence(tr("Ctrl+Shift+S")), [this] { saveDialog(); });
    file->addSeparator();
    m_export = addAction(file, tr("&Export…"), tr("Ctrl+Shift+E"), [this] { exportDialog(); });
    m_exportCode = addAction(file, tr("Export plan as P&ython…"), {}, [this] { exportCodeDialog(); });
    m_print = addAction(file, tr("Pr&int…"), QKeySequence::Print, [this] { print(); });
    file->addSeparator();
    addAction(file, tr("Se&ttings…"), tr("Ctrl+,"), [this] { showSettings(); });
    addAction(file, tr("&Quit"), QKeySequence::Quit, [this] { close(); });

    auto* plan = menuBar()->addMenu(tr("&Plan"));
    QUndoStack& history = m_document.planEditor().history();
    QAction* undo = history.createUndoAction(this, tr("&Undo"));
    undo->setShortcut(QKeySequence::Undo);
    QAction* redo = history.createRedoAction(this, tr("&Redo"));
    redo->setShortcuts({QKeySequence(tr("Ctrl+Shift+Z")), QKeySequence(tr("Ctrl+Y"))});
    plan->addActions({undo, redo});
    plan->addSeparator();
    auto* planners = plan->addMenu(tr("&Take the plan of"));
    planners->setToolTipsVisible(true);
    planners->addActions(m_plan->plannerActions());
    addAction(plan, tr("&Compare with a plan…"), {}, [this] {
        openDialog(tr("Compare with a plan"), tr("Plans (*.cleave.json);;All files (*)"), &Document::comparePlan, m_document.planPath());
    });
    auto* end = addAction(plan, tr("&End the comparison"), {}, [this] { m_document.planEditor().endComparison(); });
    const auto mayEnd = [this, end] { end->setEnabled(m_document.planEditor().other().has_value()); };
    connect(&m_document.planEditor(), &PlanEditor::comparisonChanged, this, mayEnd);
    mayEnd();

    auto* run = menuBar()->addMenu(tr("&Run"));
    m_run = addAction(run, tr("Run &layer-wise"), tr("Ctrl+R"), [this] { m_document.runLayerWise(); });
    m_verify = addAction(run, tr("&Verify"), tr("Ctrl+Shift+R"), [this] { m_document.verify(); });
    run->addSeparator();
    auto* random = run->addAction(tr("Random &features where the graph has none"), &m_document, &Document::setRandomFeatures);
    random->setCheckable(true);
    connect(&m_document, &Document::changed, random, [this, random] { random->setChecked(m_document.options().run.randomFeatures); });
    m_rewrites = run->addMenu(tr("Re&writes"));
    addRewrites(m_rewrites);
    m_calibrate = addAction(run, tr("&Measure this machine"), {}, [this] { m_document.calibrate(); });
    connect(m_plan, &PlanPanel::calibrationWanted, m_calibrate, &QAction::trigger);
    run->addSeparator();
    m_stop = addAction(run, tr("&Cancel"), tr("Ctrl+."), [this] { m_document.cancel(); });

    auto* view = menuBar()->addMenu(tr("&View"));
    auto* fit = addAction(view, tr("&Fit"), tr("F"), [this] { m_view->fit(); });
    auto* in = addAction(view, tr("Zoom &in"), QKeySequence::ZoomIn, [this] { m_view->zoomBy(1.25); });
    auto* out = addAction(view, tr("Zoom &out"), QKeySequence::ZoomOut, [this] { m_view->zoomBy(0.8); });
    auto* full = addAction(view, tr("&100 %"), tr("Ctrl+1"), [this] { m_view->showActualSize(); });
    view->addSeparator();
    auto* expand = addAction(view, tr("&Expand all"), tr("Ctrl+Shift+A"), [this] { m_view->expandAll(); });
    auto* collapse = addAction(view, tr("&Collapse all"), tr("Ctrl+Shift+C"), [this] { m_view->collapseAll(); });
    auto* find = addAction(view, tr("Fi&nd…"), QKeySequence::Find, [this] { m_find->begin(); });
    auto* next = addAction(view, tr("Find &next"), QKeySequence(Qt::Key_F3), [this] { m_find->next(); });
    auto* previous = addAction(view, tr("Find pre&vious"), QKeySequence(Qt::SHIFT | Qt::Key_F3), [this] { m_find->previous(); });
    m_ofPicture = {find, next, previous, m_export, m_print, fit, in, out, full, expand, collapse};
    m_view->addActions({fit, expand, collapse, m_export});
    view->addSeparator();
    auto* folding = view->addAction(tr("Fold &repeated layers"), m_view, &GraphView::setFolding);
    folding->setCheckable(true);
    folding->setChecked(m_view->folds());
    auto* structure = view->addAction(tr("S&tructure arrows"), m_view, &GraphView::setShowsStructure);
    structure->setCheckable(true);
    view->addSeparator();
    // not with Shift and +, which is how many keyboards write the + that zooms
    addAction(view, tr("&Larger text"), tr("Ctrl+]"), [this] { changeFontSize(1); });
    addAction(view, tr("&Smaller text"), tr("Ctrl+["), [this] { changeFontSize(-1); });
    auto* presenting = addAction(view, tr("&Presenter view"), tr("F11"), [] {});
    presenting->setCheckable(true);
    connect(presenting, &QAction::toggled, this, &MainWindow::setPresenting);
    view->addSeparator();
    for (QDockWidget* dock : findChildren<QDockWidget*>()) {
        view->addAction(dock->toggleViewAction());
        connect(dock->toggleViewAction(), &QAction::triggered, dock, [dock](bool shows) {
            if (shows)
                bringForward(*dock);
        });
    }

    auto* bar = addToolBar(tr("Tools"));
    bar->setObjectName(QStringLiteral("tools"));
    bar->setMovable(false);
    bar->setToolButtonStyle(Qt::ToolButtonTextOnly);
    bar->addActions({openModel, openGraph});
    bar->addSeparator();
    bar->addActions({m_run, m_verify, m_stop});
    bar->addSeparator();
    bar->addActions({fit, expand, collapse});
    // Without the keys of menus, which Chinese writes in brackets.
    static const QRegularExpression key(QStringLiteral("\\(&.\\)|&"));
    for (QAction* action : bar->actions())
        action->setIconText(QString(action->text()).remove(key));
}

// Changes of the program that give the same answers sooner; the picture shows the program that runs.
void MainWindow::addRewrites(QMenu* menu)
{
    menu->setToolTipsVisible(true);
    const auto choose = [this](Rewrite rewrite, bool on) {
        std::set<Rewrite> rewrites = m_document.rewrites();
        if (on)
            rewrites.insert(rewrite);
        else
            rewrites.erase(rewrite);
        m_document.setRewrites(std::move(rewrites));
    };
    QList<std::pair<Rewrite, QAction*>> actions;
    for (const Rewrite rewrite : allRewrites()) {
        QString text = rewriteText(rewrite);
        text.front() = text.front().toUpper();
        QAction* action = menu->addAction(text);
        action->setCheckable(true);
        action->setToolTip(tr("--rewrite %1 on the command line").arg(toText(std::string(rewriteName(rewrite)))));
        connect(action, &QAction::triggered, this, [=](bool on) { choose(rewrite, on); });
        actions.append({rewrite, action});
    }
    menu->addSeparator();
    addAction(menu, tr("Those that &pay on the graph"), {}, [this] { m_document.chooseRewrites(); });
    addAction(menu, tr("&All"), {}, [this] { m_document.setRewrites(allRewrites()); });
    addAction(menu, tr("&None: the program as it was traced"), {}, [this] { m_document.setRewrites({}); });
    connect(&m_document, &Document::changed, this, [this, actions](Change change) {
        for (const auto& [rewrite, action] : actions)
            if (change == Change::Options)
                action->setChecked(m_document.rewrites().contains(rewrite));
    });
}

void MainWindow::makeStatusBar()
{
    m_task = new QLabel(this);
    m_progress = new QProgressBar(this);
    m_progress->setMaximumWidth(220);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress"));
    m_cancel = new QToolButton(this);
    m_cancel->setText(tr("Cancel"));
    connect(m_cancel, &QToolButton::clicked, &m_document, &Document::cancel);
    statusBar()->addWidget(m_task, 1);
    statusBar()->addPermanentWidget(m_progress);
    statusBar()->addPermanentWidget(m_cancel);
}

void MainWindow::offerLeftPlans()
{
    if (const std::vector<LeftPlan> plans = m_recovery.left(); !plans.empty())
        offer(plans.front());
}

// One at a time; those that are not chosen are offered again.
void MainWindow::offer(const LeftPlan& plan)
{
    m_offer->offer(tr("The plan of %1, changed %2, was not saved.")
                       .arg(QFileInfo(plan.modelPath).fileName(), QLocale().toString(plan.changed, QLocale::ShortFormat)),
                   {{tr("R&estore"), [this, plan] { m_recovery.restore(plan); }}, {tr("&Discard"), [this, plan] {
                                                                                       Recovery::discard(plan);
                                                                                       offerLeftPlans();
                                                                                   }}});
}

void MainWindow::fillRecent()
{
    m_recent->clear();
    QStringList paths = QSettings().value(recentKey).toStringList();
    paths.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
    const auto isCalledSo = [](const QString& name) { return [name](const QString& path) { return QFileInfo(path).fileName() == name; }; };
    for (const QString& path : paths) {
        const QFileInfo file(path);
        const bool isAlone = std::ranges::count_if(paths, isCalledSo(file.fileName())) == 1;
        const QString name = isAlone ? file.fileName() : tr("%1 in %2").arg(file.fileName(), QFileInfo(file.path()).fileName());
        m_recent->addAction(name, this, [this, path] { m_document.open(path); })->setStatusTip(path);
    }
    if (m_recent->isEmpty())
        m_recent->addAction(tr("None yet"))->setEnabled(false);
}

void MainWindow::rememberFile(const QString& path)
{
    constexpr int most = 10;
    if (path.isEmpty())
        return;
    QSettings settings;
    QStringList recent = settings.value(recentKey).toStringList();
    recent.removeAll(path);
    recent.prepend(path);
    settings.setValue(recentKey, recent.mid(0, most));
}

void MainWindow::openLastSession()
{
    if (!readSettings().opensLastSession)
        return;
    const Session session = readSession();
    openSession(m_document, session);
    if (!session.missing.isEmpty())
        showError(tr("Not opened again, since it is not there any more: %1.").arg(session.missing.join(QStringLiteral(", "))));
}

void MainWindow::changeFontSize(double points)
{
    Settings settings = readSettings();
    settings.fontSize = std::clamp(QApplication::font().pointSizeF() + points, smallestFont, largestFont);
    writeSettings(settings);
    QFont font = QApplication::font();
    font.setPointSizeF(settings.fontSize);
    QApplication::setFont(font);  // the theme may be one that was asked for at the start
    if (m_settings != nullptr)
        m_settings->showSettings();
}

SettingsDialog* MainWindow::showSettings()
{
    if (m_settings == nullptr) {
        m_settings = new SettingsDialog(this);
        connect(m_settings, &SettingsDialog::changed, &m_document, &Document::showAgain);
    }
    m_settings->showSettings();
    m_settings->show();
    m_settings->raise();
    m_settings->activateWindow();
    return m_settings;
}

void MainWindow::showStory()
{
    bringForward(*m_storyDock);
    m_story->setFocus();
    if (!m_document.model() && !m_document.viewed() && !m_document.isBusy())
        openExample();
}

void MainWindow::openExample()
{
    m_isExample = true;
    for (const char* file : {"sage.pt2", "cora.npz"})
        if (const QString path = exampleFile(QLatin1String(file)); !path.isEmpty())
            m_document.open(path);
    // In one batch, which holds all of these few nodes, plans cost the same: batches as graphs need them that do not fit.
    m_document.setBatchSize(exampleBatch);
}

// Undo is the plan's, unless there is something to undo in the text that is being written. The picture stays where it is on the screen when a
// bar comes or goes above it.
bool MainWindow::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_pages && event->type() == QEvent::Move) {
        const auto* move = static_cast<QMoveEvent*>(event);
        QScrollBar* bar = m_view->verticalScrollBar();
        bar->setValue(bar->value() + (move->pos().y() - move->oldPos().y()) / 2);  // the other half by itself, since the view keeps its centre
    }
    if (event->type() == QEvent::ShortcutOverride)
        if (const auto* line = qobject_cast<QAbstractSpinBox*>(watched) ? watched->findChild<QLineEdit*>() : qobject_cast<QLineEdit*>(watched)) {
            const auto* key = static_cast<QKeyEvent*>(event);
            const bool isUndo = key->matches(QKeySequence::Undo) && !line->isUndoAvailable(),
                       isRedo = key->matches(QKeySequence::Redo) && !line->isRedoAvailable();
            if (isUndo || isRedo) {
                event->ignore();
                return true;
            }
        }
    return QMainWindow::eventFilter(watched, event);
}

void MainWindow::setPresenting(bool presenting)
{
    if (presenting) {
        m_layout.setAside();
        for (QDockWidget* dock : findChildren<QDockWidget*>())
            dock->hide();
        constexpr double larger = 1.4, mostOfThese = 18;  // points: who has larger text already keeps it
        QFont font = QApplication::font();
        m_fontBefore = font.pointSizeF();
        font.setPointSizeF(std::max(m_fontBefore, std::min(larger * m_fontBefore, mostOfThese)));
        QApplication::setFont(font);
        showFullScreen();
        showStory();
        resizeDocks({m_storyDock}, {width() / 2}, Qt::Horizontal);
    } else {
        QFont font = QApplication::font();
        font.setPointSizeF(m_fontBefore);
        QApplication::setFont(font);
        showNormal();
        m_layout.takeBack();
    }
}

void MainWindow::showChange(Change change)
{
    if (change == Change::Model) {
        const bool isOpen = m_document.model() || m_document.viewed();
        m_pages->setCurrentIndex(isOpen ? 1 : 0);
        m_legend->setVisible(m_document.model() || (m_document.viewed() && m_document.viewed()->stages() > 0));
        m_legend->showDocument(m_document);
        showTitle();
    }
    if (change == Change::Graph && m_isExample && m_document.graphPath() != exampleFile(QStringLiteral("cora.npz"))) {
        m_isExample = false;
        if (m_document.options().run.batchSize == exampleBatch)
            m_document.setBatchSize(0);
    }
    if (change == Change::Options && m_toldAtBound > 0 && m_toldAtBound != m_document.options().run.memoryBytes) {
        m_toldAtBound = 0;
        if (m_message->buttons().isEmpty())
            m_message->hide();
    }
    if (change == Change::Result && m_document.report().run())
        bringForward(*m_resultDock);
    else if (change == Change::Result)
        statusBar()->clearMessage();  // it told of what is no longer shown
    if (change == Change::Model)
        rememberFile(m_document.modelPath());
    if (change == Change::Graph) {
        rememberFile(m_document.graphPath());
        showSelection();
    }
    // Not only at the end: that of a window that is ended from outside is opened again, too.
    if ((change == Change::Model || change == Change::Graph) && (!m_document.modelPath().isEmpty() || !m_document.graphPath().isEmpty()))
        writeSession(sessionOf(m_document));
    showTasks();
}

void MainWindow::showTasks()
{
    const bool busy = m_document.isBusy();
    if (m_ratesBefore && m_document.job(Task::Calibrate) == nullptr)
        if (const Rates before = *std::exchange(m_ratesBefore, {}), now = keptRates(); now != before)
            note(ratesText(now));
    m_run->setEnabled(m_document.canRun());
    m_verify->setEnabled(m_document.canRun());
    m_stop->setEnabled(busy);
    for (QAction* ofModel : {m_openExpected, m_savePlan, m_savePlanAs, m_exportCode})
        ofModel->setEnabled(m_document.model() != nullptr);
    m_closeExpected->setEnabled(!m_document.expectedPath().isEmpty());
    for (QAction* action : m_ofPicture)
        action->setEnabled(m_view->picture() != nullptr);
    m_reload->setEnabled(!m_document.modelPath().isEmpty() || !m_document.graphPath().isEmpty());
    m_calibrate->setEnabled(!busy);
    // Either would drop what has been run or measured so far.
    const bool mayRewrite = m_document.job(Task::Run) == nullptr && m_document.job(Task::Calibrate) == nullptr;
    m_rewrites->setEnabled(mayRewrite);
    m_plan->offerRewrites(m_document.model() && m_document.graph() && m_document.rewrites().empty(), mayRewrite);
    m_plan->offerCalibration(!busy);
    const Job* opening = m_document.job(Task::OpenModel);
    m_empty->setReading(opening == nullptr ? QString() : opening->title());
    m_cancel->setVisible(busy);
    m_progress->setVisible(busy || m_layingOut);
    if (!busy) {
        m_progress->setRange(0, m_layingOut ? 0 : 1000);
        m_task->setText(m_layingOut ? tr("Laying out") : QString());
        return;
    }
    for (const Task task : {Task::OpenModel, Task::Check, Task::Look, Task::OpenGraph, Task::OpenExpected, Task::Run, Task::Calibrate})
        if (const Job* job = m_document.job(task))
            m_task->setText(job->title());
}

std::vector<OpId> MainWindow::selectedOps() const
{
    const DagBox* box = m_view->selectedBox();
    if (box == nullptr || !m_document.model())
        return {};
    return box->key.kind == BoxKind::Tensor ? std::vector{m_document.model()->program()[box->key.value].producer} : box->ops;
}

void MainWindow::showSelection()
{
    const DagBox* box = m_view->selectedBox();
    const GraphPicture* picture = m_view->picture();  // which may be that of the model before
    if (box && picture->viewed)
        m_inspector->show(picture->viewed->inspect(*box));
    else if (box && m_document.model() && picture->model == m_document.model())
        m_inspector->show(inspectBox(*m_document.model(), *box, m_document.graph().get(), &m_document.planEditor()));
    else if (const std::optional<int> cut = m_view->selectedCut(); cut && m_document.planEditor().space())
        m_inspector->show(inspectCut(*cut, m_document.graph().get(), m_document.planEditor()));
    else
        m_inspector->showNothing();
}

void MainWindow::showTitle()
{
    const QString model = QFileInfo(m_document.modelPath()).fileName(), plan = QFileInfo(m_document.planPath()).fileName();
    setWindowTitle(model.isEmpty()  ? tr("Cleave")
                   : plan.isEmpty() ? tr("%1[*] – Cleave").arg(model)
                                    : tr("%1 – %2[*] – Cleave").arg(model, plan));
    setWindowFilePath(m_document.modelPath());
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!droppedFiles(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    for (const QString& file : droppedFiles(event->mimeData()))
        m_document.open(file);
    event->acceptProposedAction();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!mayLosePlan()) {
        event->ignore();
        return;
    }
    m_recovery.forget();
    writeSession(sessionOf(m_document));
    m_layout.keep();
    QMainWindow::closeEvent(event);
}

}  // namespace cleave::views
