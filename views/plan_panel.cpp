#include "views/plan_panel.h"

#include <QFocusEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

#include "core/run/open_device.h"
#include "views/core_text.h"
#include "views/description.h"
#include "views/plan_menu.h"
#include "views/table_copying.h"
#include "views/table_order.h"
#include "views/text.h"

namespace cleave::views {

namespace {

constexpr std::chrono::milliseconds activityDelay{500};
constexpr std::array shownPlanners{Planner::MessageDegree, Planner::Greedy, Planner::Optimal, Planner::NodeWise, Planner::FullGraph};

CostBars::Bar barOf(const QString& name, const FunctionCost& f, const FunctionCost::Blocks& blocks)
{
    CostBars::Bar bar{
        name,
        {f.prepare.seconds, 0, blocks.read, f.read.seconds - blocks.read, blocks.compute, f.compute.seconds - blocks.compute, f.write.seconds},
        {},
        {},
        false};
    bar.text = secondsText(bar.total());
    return bar;
}

CostBars::Bar barOf(const QString& name, const PlanCost& cost, const std::vector<FunctionCost::Blocks>& blocks)
{
    FunctionCost sum;
    FunctionCost::Blocks all;
    for (std::size_t i = 0; i < cost.functions.size(); ++i) {
        const FunctionCost& f = cost.functions[i];
        sum.prepare += f.prepare;
        sum.read += f.read;
        sum.compute += f.compute;
        sum.write += f.write;
        all.read += blocks[i].read;
        all.compute += blocks[i].compute;
    }
    CostBars::Bar bar = barOf(name, sum, all);
    bar.details = PlanPanel::tr("at most %1 of memory").arg(bytesText(cost.peakBytes()));
    return bar;
}

// On a device what it does goes side by side: beside what takes longest, only what is longer still is seen.
CostBars::Bar barOf(const QString& name, const std::vector<PlacedFunction>& functions, const QString& device)
{
    CostBars::Bar bar{name, {}, {}, {}, false};
    PlacedFunction sum;
    for (const PlacedFunction& f : functions) {
        if (!f.onDevice)
            continue;
        const double own = std::max(f.prepareSeconds, f.computeSeconds);
        bar.seconds[CostBars::Prepare] += own - f.computeSeconds;
        bar.seconds[CostBars::Transfer] += f.seconds() - own;
        bar.seconds[CostBars::ComputeNodes] += f.computeSeconds;
        sum.prepareSeconds += f.prepareSeconds;
        sum.inSeconds += f.inSeconds;
        sum.computeSeconds += f.computeSeconds;
        sum.outSeconds += std::max(f.outSeconds, f.saveSeconds);
        sum.bytesIn += f.bytesIn;
        sum.bytesOut += f.bytesOut;
    }
    bar.details = PlanPanel::tr("on %1, side by side: blocks %2, rows there %3 (%4), computed %5, rows back %6 (%7)")
                      .arg(device, secondsText(sum.prepareSeconds), secondsText(sum.inSeconds), bytesText(sum.bytesIn),
                           secondsText(sum.computeSeconds), secondsText(sum.outSeconds), bytesText(sum.bytesOut));
    return bar;
}

// Of a plan some of whose functions run on a device.
CostBars::Bar barOf(const QString& name, const PlanCost& cost, const std::vector<FunctionCost::Blocks>& blocks,
                    const std::optional<DevicePlacement>& placement)
{
    if (!placement || !placement->usesDevice())
        return barOf(name, cost, blocks);
    CostBars::Bar bar = barOf(name, placement->functions, toText(placement->device));
    for (std::size_t i = 0; i < cost.functions.size(); ++i) {
        const CostBars::Bar here = barOf(name, cost.functions[i], blocks[i]);
        for (std::size_t part = 0; part < CostBars::parts && !placement->functions[i].onDevice; ++part)
            bar.seconds[part] += here.seconds[part];
    }
    bar.text = secondsText(bar.total());
    return bar;
}

// Those that were measured, those that are here, and the plan's own.
std::vector<std::string> devicesOf(const PlanEditor& editor)
{
    static const bool hasCuda = hasDevice("cuda");
    std::set<std::string> devices;
    if (hasCuda)
        devices.insert("cuda");
    if (const CostModel* costs = editor.costs().model())
        for (const auto& [name, rates] : costs->rates().devices)
            devices.insert(name);
    if (!editor.devices().device.empty())
        devices.insert(editor.devices().device);
    return {devices.begin(), devices.end()};
}

}  // namespace

PlanPanel::PlanPanel(PlanEditor& editor, QWidget* parent)
    : QWidget(parent),
      m_editor(editor),
      m_model(editor),
      m_summary(new QLabel(this)),
      m_calibrate(new QPushButton(tr("Measure this machine"), this)),
      m_random(new QPushButton(tr("Take random features"), this)),
      m_rewrite(new QPushButton(tr("Rewrite where it pays"), this)),
      m_activityRow(new QWidget(this)),
      m_activity(new QLabel(m_activityRow)),
      m_stop(new QPushButton(tr("Stop"), m_activityRow)),
      m_device(new QPushButton(this)),
      m_plans(new CostBars(this)),
      m_functions(new CostBars(this)),
      m_curve(new BatchCurve(this)),
      m_savePoint(new QLabel(this)),
      m_savePoints(new QTableView(this)),
      m_split(new QSplitter(Qt::Vertical, this)),
      m_bars(new QScrollArea(m_split))
{
    m_summary->setWordWrap(true);
    m_summary->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_summary->setContentsMargins(10, 6, 10, 2);
    connect(m_calibrate, &QPushButton::clicked, this, &PlanPanel::calibrationWanted);
    connect(m_random, &QPushButton::clicked, this, &PlanPanel::randomFeaturesWanted);
    m_rewrite->setToolTip(
        tr("Linear layers before aggregations, merged layers and the like: the same answers sooner. What would lose time on this graph is left out"));
    m_rewrite->hide();
    connect(m_rewrite, &QPushButton::clicked, this, &PlanPanel::rewritesWanted);
    m_plans->setAccessibleName(tr("Cost of plans"));
    m_plans->setToolTip(tr("Double-click a plan to take it"));
    m_functions->setLegendShown(false);  // the one above holds for both
    m_functions->setAccessibleName(tr("Cost of each function"));
    auto* buttons = new QGridLayout;
    buttons->setContentsMargins(10, 2, 10, 2);
    constexpr int perRow = 6;  // of cells: three buttons above two
    int cell = 0;
    const std::array<std::pair<QString, QString>, shownPlanners.size()> texts{
        {{tr("&Message degree"), tr("Cut right before each message passing")},
         {tr("&Greedy"), tr("Take save points that lower the total, one after the other")},
         {tr("&Optimal"), tr("The least predicted seconds of all plans that run one function after the other")},
         {tr("&Node-wise"), tr("All functions together, over blocks of as many hops: the neighbourhood of each batch is computed anew")},
         {tr("&Full graph"), tr("All functions together, in one batch of all nodes")}}};
    for (std::size_t i = 0; i < shownPlanners.size(); ++i) {
        const int cells = m_buttons.size() < 3 ? 2 : 3;
        auto* button = new QPushButton(planText(std::string(plannerName(shownPlanners[i]))), this);
        auto* action = new QAction(texts[i].first, this);
        action->setToolTip(texts[i].second);
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        connect(action, &QAction::triggered, this, [this, planner = shownPlanners[i]] {
            if (const PricedPlan* plan = planOf(planner))
                take(*plan);
        });
        buttons->addWidget(button, cell / perRow, cell % perRow, 1, cells);
        cell += cells;
        m_buttons.append(button);
        m_actions.append(action);
        m_tips.append(texts[i].second);
    }
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_summary);
    auto* calibration = new QHBoxLayout;
    calibration->setContentsMargins(10, 0, 10, 2);
    calibration->setSpacing(6);
    calibration->addWidget(m_calibrate);
    calibration->addWidget(m_rewrite);
    calibration->addStretch(1);
    layout->addLayout(calibration);
    auto* random = new QHBoxLayout;
    random->setContentsMargins(10, 0, 10, 2);
    random->addWidget(m_random);
    random->addStretch(1);
    layout->addLayout(random);
    layout->addLayout(buttons);
    auto* device = new QHBoxLayout;
    device->setContentsMargins(10, 0, 10, 2);
    device->addWidget(m_device);
    device->addStretch(1);
    layout->addLayout(device);
    m_device->setToolTip(tr("Where functions run. Rows that functions on a device hand on to each other stay there"));
    m_device->setMenu(new QMenu(m_device));
    connect(m_device->menu(), &QMenu::aboutToShow, this, &PlanPanel::fillDevices);
    layout->addWidget(m_split, 1);
    layout->addWidget(m_activityRow);
    m_split->addWidget(makeBars());
    m_split->addWidget(makeTable());
    m_split->setChildrenCollapsible(false);
    m_split->installEventFilter(this);
    connect(m_split, &QSplitter::splitterMoved, this, [this] { m_isSplitByHand = true; });

    auto* activity = new QHBoxLayout(m_activityRow);
    activity->setContentsMargins(10, 2, 10, 2);
    activity->addWidget(m_activity, 1);
    activity->addWidget(m_stop);
    m_activity->setWordWrap(true);
    m_activityRow->hide();
    m_activityDelay.setSingleShot(true);
    m_activityDelay.setInterval(activityDelay);
    connect(&m_activityDelay, &QTimer::timeout, m_activityRow, &QWidget::show);
    connect(&editor.costs(), &PlanCosts::working, this, &PlanPanel::showActivity);
    connect(m_stop, &QPushButton::clicked, &editor, [&editor] { editor.costs().isStopped() ? editor.goOnMeasuring() : editor.stopMeasuring(); });

    m_curve->hide();
    connect(m_curve, &BatchCurve::chosen, this, &PlanPanel::batchSizeChosen);
    connect(m_savePoints->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& row) {
        showSavePoint();
        if (row.isValid() && !m_isTakingFocus)
            Q_EMIT tensorSelected(m_model.tensorAt(m_order->mapToSource(row).row()));
    });
    m_savePoints->installEventFilter(this);
    connect(m_savePoints->horizontalScrollBar(), &QScrollBar::rangeChanged, this, &PlanPanel::shareRoom);
    connect(m_order, &QAbstractItemModel::modelReset, this, [this] {
        showSavePoint();
        if (m_selected.valid())
            selectTensor(m_selected);
        shareRoom();
    });
    connect(&m_editor, &PlanEditor::curveChanged, this, &PlanPanel::showCurve);
    connect(m_plans, &CostBars::activated, this, [this](int bar) {
        const std::vector<PricedPlan>& priced = m_editor.costs().plans();
        if (const std::ptrdiff_t i = bar - static_cast<std::ptrdiff_t>(m_ownBars); i >= 0 && i < static_cast<std::ptrdiff_t>(priced.size()))
            take(priced[static_cast<std::size_t>(i)]);
    });
    QWidget* before = m_calibrate;
    const auto then = [&before](QWidget* next) { setTabOrder(std::exchange(before, next), next); };
    then(m_rewrite);
    then(m_random);
    std::ranges::for_each(m_buttons, then);
    then(m_device);
    then(m_stop);
    then(m_savePoints);
    connect(&m_editor, &PlanEditor::shownChanged, this, &PlanPanel::showPlan);
    connect(&m_editor, &PlanEditor::costsChanged, this, &PlanPanel::showPlan);
    connect(&m_editor, &PlanEditor::comparisonChanged, this, &PlanPanel::showPlan);
    showPlan();
}

// The same moves as the picture's, of the tensor in the row.
void PlanPanel::showSavePointMenu(const QPoint& position)
{
    QMenu menu(this);
    menu.setToolTipsVisible(true);
    if (const QModelIndex row = m_savePoints->indexAt(position); row.isValid() && m_editor.space() != nullptr) {
        m_editor.keepPreview();
        addTensorActions(menu, m_editor, m_model.tensorAt(m_order->mapToSource(row).row()));
        menu.addSeparator();
    }
    menu.addActions(m_savePoints->actions());
    menu.exec(m_savePoints->viewport()->mapToGlobal(position));
}

QWidget* PlanPanel::makeBars()
{
    auto* bars = new QWidget(this);
    auto* barLayout = new QVBoxLayout(bars);
    barLayout->setContentsMargins(0, 0, 0, 0);
    barLayout->addWidget(m_plans);
    barLayout->addWidget(m_curve);
    barLayout->addWidget(m_functions);
    barLayout->addStretch(1);
    bars->installEventFilter(this);
    m_bars->setWidget(bars);
    m_bars->setWidgetResizable(true);
    m_bars->setFrameShape(QFrame::NoFrame);
    return m_bars;
}

QWidget* PlanPanel::makeTable()
{
    m_order = showSortable(*m_savePoints, m_model);
    makeCopyable(*m_savePoints);
    m_savePoints->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_savePoints, &QWidget::customContextMenuRequested, this, &PlanPanel::showSavePointMenu);
    m_savePoints->setAccessibleName(tr("Save points"));
    m_savePoints->setFrameShape(QFrame::NoFrame);
    m_savePoints->setShowGrid(false);
    m_savePoints->setAlternatingRowColors(true);
    m_savePoints->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_savePoints->setTabKeyNavigation(false);
    m_savePoints->verticalHeader()->hide();
    m_savePoints->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_savePoints->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_savePoints->horizontalHeader()->setResizeContentsPrecision(30);
    m_savePoints->horizontalHeader()->setStretchLastSection(true);
    // where there is little room, costs are seen first
    m_savePoints->horizontalHeader()->moveSection(SavePointModel::Shape, SavePointModel::Seconds);
    m_savePoint->setWordWrap(true);
    m_savePoint->setContentsMargins(10, 2, 10, 4);
    m_savePoint->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    auto* table = new QWidget(m_split);
    auto* layout = new QVBoxLayout(table);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_savePoints, 1);
    layout->addWidget(m_savePoint);
    layout->addStretch();
    return table;
}

// Bars get what they need, unless the person says otherwise; the table has no more than its rows.
void PlanPanel::shareRoom()
{
    constexpr int leastRows = 2;
    const int row = m_savePoints->fontMetrics().height() + 8, rows = m_model.rowCount();
    const int around = m_savePoints->horizontalHeader()->sizeHint().height() + 2 * m_savePoints->frameWidth() +
                       (m_savePoints->horizontalScrollBar()->maximum() > 0 ? m_savePoints->horizontalScrollBar()->sizeHint().height() : 0);
    m_savePoints->verticalHeader()->setDefaultSectionSize(row);
    m_savePoints->setMinimumHeight(around + std::min(rows, leastRows) * row);
    m_savePoints->setMaximumHeight(around + rows * row);
    m_savePoint->setMinimumHeight(4 * m_savePoint->fontMetrics().lineSpacing() + 6);  // kept free, so that rows stay where they are
    if (m_isSplitByHand)
        return;
    const int bars = m_bars->widget()->heightForWidth(m_bars->width());
    m_split->setSizes({bars, std::max(0, m_split->height() - m_split->handleWidth() - bars)});
}

// For the longest sentence: another size of batches leaves the buttons below it where they are.
void PlanPanel::keepRoom()
{
    const QMargins around = m_summary->contentsMargins();
    const QRect inside(0, 0, width() - around.left() - around.right(), 1 << 16);
    const int height = m_longestSummary.isEmpty() ? 0 : m_summary->fontMetrics().boundingRect(inside, Qt::TextWordWrap, m_longestSummary).height();
    m_summary->setMinimumHeight(height + around.top() + around.bottom());
}

void PlanPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    keepRoom();
}

void PlanPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        keepRoom();
        shareRoom();
    }
}

// A table that takes the focus makes its first row the current one: that is nobody's choice.
bool PlanPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_savePoints && event->type() == QEvent::FocusIn && static_cast<QFocusEvent*>(event)->reason() != Qt::MouseFocusReason) {
        m_isTakingFocus = true;
        QMetaObject::invokeMethod(this, [this] { m_isTakingFocus = false; }, Qt::QueuedConnection);
    }
    if ((watched == m_split && event->type() == QEvent::Resize) || (watched == m_bars->widget() && event->type() == QEvent::LayoutRequest))
        QMetaObject::invokeMethod(this, &PlanPanel::shareRoom, Qt::QueuedConnection);
    return QWidget::eventFilter(watched, event);
}

QString PlanPanel::summary() const { return m_summary->text(); }
QString PlanPanel::activity() const { return m_activityRow->isHidden() ? QString() : m_activity->text(); }

void PlanPanel::showActivity(const QString& what, double fraction)
{
    if (m_editor.costs().isStopped() && !m_editor.costs().makesWay()) {
        m_activityDelay.stop();
        m_activity->setText(tr("Stopped: not all plans are compared."));
        m_stop->setText(tr("Go on"));
        m_activityRow->show();
    } else if (what.isEmpty()) {
        m_activityDelay.stop();
        m_activityRow->hide();
    } else {
        m_activity->setText(fraction > 0 ? tr("%1: %2 %").arg(what).arg(static_cast<int>(100 * fraction)) : tr("%1…").arg(what));
        m_stop->setText(tr("Stop"));
        if (m_activityRow->isHidden() && !m_activityDelay.isActive())
            m_activityDelay.start();
    }
    showButtons();
}

void PlanPanel::showPlan()
{
    std::vector<CostBars::Bar> plans, functions;
    const std::optional<PlanCost>& cost = m_editor.cost();
    const bool isShown = cost && m_editor.showsCosts();
    if (isShown) {
        const PlanSpace& space = *m_editor.space();
        const std::vector<FunctionCost::Blocks> blocks = blockSeconds(space, m_editor.shown(), *cost);
        // Other plans with functions where they are now.
        const PlanCosts& costs = m_editor.costs();
        std::vector<bool> exceeds;
        const auto add = [&](CostBars::Bar bar, const PlanCost& of) {
            plans.push_back(std::move(bar));
            exceeds.push_back(exceedsBound(of));
        };
        add(barOf(tr("This plan"), *cost, blocks, m_editor.placement()), *cost);
        plans.back().isMarked = true;
        if (m_editor.other())
            if (const std::optional<PlanCost> other = costs.costOf(m_editor.other()->plan))
                add(barOf(m_editor.other()->name, *other, blockSeconds(space, m_editor.other()->plan, *other),
                          costs.placementOf(m_editor.other()->plan, *other, m_editor.devices())),
                    *other);
        m_ownBars = plans.size();
        for (const std::size_t i : inOrderOfRuns(*cost)) {
            const FunctionCost& f = cost->functions[i];
            functions.push_back(barOf(functionTitle(f), f, blocks[i]));
            functions.back().details = tr("at most %1 of memory").arg(bytesText(f.peakBytes));
            if (const auto& placement = m_editor.placement(); placement && placement->functions[i].onDevice) {
                functions.back() = barOf(functionTitle(f), {placement->functions[i]}, toText(placement->device));
                functions.back().text = tr("%1 on %2").arg(secondsText(functions.back().total()), toText(placement->device));
            }
        }
        for (const PricedPlan& plan : costs.plans())
            add(barOf(planText(plan.name), plan.planned.cost, blockSeconds(space, plan.planned.plan, plan.planned.cost),
                      costs.placementOf(plan, m_editor.devices())),
                plan.planned.cost);
        for (std::size_t i = 1; i < plans.size(); ++i)
            plans[i].text = tr("%1 (%2)").arg(plans[i].text, changeText(plans.front().total(), plans[i].total()));
        for (std::size_t i = 0; i < plans.size(); ++i)
            if (exceeds[i])
                plans[i].text = tr("%1, too large").arg(plans[i].text);
    }
    m_plans->setBars(std::move(plans));
    std::erase_if(functions, [](const CostBars::Bar& bar) { return bar.total() == 0; });  // of a degree at which nothing is done
    m_functions->setBars(std::move(functions));
    showCurve();
    const bool isTyped = isShown && m_editor.space()->analysis().types() > 1;  // batches of edges, or nodes of several types
    const QString sentence = isTyped ? tr("Predicted for batches of %1 rows: %2 read, %3 written, at most %4 of memory.")
                                     : tr("Predicted for batches of %1 nodes: %2 read, %3 written, at most %4 of memory.");
    const QString predicted =
        isShown ? sentence.arg(countText(batchSize()), bytesText(cost->readBytes()), bytesText(cost->writtenBytes()), bytesText(cost->peakBytes()))
                : QString();
    const QString assumed = u' ' + tr("Rates of this machine are assumed.");
    const QString bound = isShown && exceedsBound(*cost)
                              ? u' ' + tr("That is more than the %1 that runs may take: choose a smaller batch size, or save less.")
                                           .arg(bytesText(static_cast<double>(m_editor.memoryBound())))
                              : QString();
    const QString wide = QStringLiteral("88.88 MB");
    m_longestSummary = isShown ? sentence.arg(countText(allNodes()), wide, wide, wide) + bound + oneBatchText() + deviceText() + assumed : QString();
    m_summary->setText(m_editor.space() == nullptr ? tr("Open a model first.")
                       : !m_editor.showsCosts()    ? tr("Costs are hidden until you ask for them in the story.")
                       : cost ? predicted + bound + (batchSize() == allNodes() && plansCostTheSame() ? oneBatchText() : QString()) + deviceText() +
                                    (hasAssumedRates() ? assumed : QString())
                       : !m_editor.costs().problem().isEmpty() ? problemText()
                       : m_editor.costs().isStopped()          ? tr("Counting the rows of blocks was stopped.")
                       : m_editor.costs().hasGraph()           ? tr("Counting the rows of blocks on the graph…")
                                                               : tr("Open a graph to see what plans cost."));
    keepRoom();
    m_calibrate->setVisible(m_editor.space() != nullptr);
    m_calibrate->setToolTip(tr("Takes some seconds; costs are predicted from what is found, now and later") +
                            (isShown && !hasAssumedRates() ? u'\n' + ratesText(m_editor.costs().model()->rates()) : QString()));
    m_random->setVisible(!cost && m_editor.costs().problem().contains(QStringLiteral("--features random")));
    showButtons();
    showDevice();
}

bool PlanPanel::exceedsBound(const PlanCost& cost) const
{
    return m_editor.memoryBound() > 0 && cost.peakBytes() > static_cast<double>(m_editor.memoryBound());
}

// Without what to write on the command line, for which there are buttons.
QString PlanPanel::problemText() const
{
    return fromCore(m_editor.costs().problem().section(QStringLiteral(" Choose one with --input"), 0, 0));
}

// Why plans differ so little.
bool PlanPanel::plansCostTheSame() const
{
    constexpr double muchTheSame = 1.1;
    const auto seconds = [](const PricedPlan& plan) { return plan.seconds(); };
    const std::vector<PricedPlan>& plans = m_editor.costs().plans();
    return !plans.empty() && std::ranges::max(plans, {}, seconds).seconds() <= muchTheSame * std::ranges::min(plans, {}, seconds).seconds();
}

QString PlanPanel::oneBatchText() const
{
    return u' ' + tr("One batch holds all nodes, so that plans cost much the same: choose a smaller batch size to see them differ.");
}

// What lies in its memory, and what crosses over.
QString PlanPanel::deviceText() const
{
    const auto& placement = m_editor.placement();
    if (!placement || !placement->usesDevice())
        return {};
    return u' ' +
           tr("On %1 at most %2 of rows lie at once; %3 go there and %4 come back.")
               .arg(toText(placement->device), bytesText(placement->storeBytes), bytesText(placement->bytesIn()), bytesText(placement->bytesOut())) +
           (placement->rates == "assumed"
                ? u' ' + tr("Rates of %1 are assumed: measure them with cleave-cli calibrate --device %1.").arg(toText(placement->device))
                : QString());
}

void PlanPanel::showDevice()
{
    m_device->setVisible(m_editor.space() != nullptr && !devicesOf(m_editor).empty());
    const DeviceWishes& devices = m_editor.devices();
    m_device->setText(devices.device.empty() ? tr("Runs on the CPU")
                                             : tr("%1 of %2 functions on %3")
                                                   .arg(devices.functions.size())
                                                   .arg(m_editor.plannedModel()->cut->functions.size())
                                                   .arg(toText(devices.device)));
}

void PlanPanel::fillDevices()
{
    QMenu& menu = *m_device->menu();
    menu.clear();
    const DeviceWishes& now = m_editor.devices();
    const auto add = [&](const QString& text, bool isChecked, auto&& choose) {
        QAction* action = menu.addAction(text);
        action->setCheckable(true);
        action->setChecked(isChecked);
        connect(action, &QAction::triggered, this, choose);
        return action;
    };
    add(tr("All on the CPU"), now.device.empty(), [this] { m_editor.runOn("cpu"); });
    for (const std::string& device : devicesOf(m_editor)) {
        menu.addSeparator();
        const QString name = toText(device);
        add(tr("On %1 where that is faster").arg(name), false, [this, device, name] {
            if (!m_editor.runWhereFaster(device))
                Q_EMIT m_editor.noted(tr("By the costs nothing would be faster on %1 than it is now.").arg(name));
        })->setEnabled(m_editor.cost().has_value());
        add(tr("All on %1").arg(name), false, [this, device] { m_editor.runOn(device); });
        for (const CutFunction& function : m_editor.plannedModel()->cut->functions) {
            const DeviceWishes::Function of = DeviceWishes::nameOf(function);
            const bool isThere = now.device == device && now.functions.contains(of);
            QAction* action = add(tr("%1 on %2").arg(titleFromCore(functionName(function)), name), isThere,
                                  [this, device, of, isThere] { m_editor.runOn(device, of, !isThere); });
            action->setEnabled(!function.isGlobal);
        }
    }
}

void PlanPanel::offerRewrites(bool offers, bool isPossible)
{
    m_rewrite->setVisible(offers);
    m_rewrite->setEnabled(isPossible);
}

void PlanPanel::offerCalibration(bool isPossible)
{
    m_calibrate->setEnabled(isPossible);
}

// Of the largest batch, which holds all nodes, if a larger one is allowed.
std::int64_t PlanPanel::batchSize() const
{
    return m_editor.costs().plans().empty() ? 0 : std::min(m_editor.costs().plans().front().batchSize, allNodes());
}

std::int64_t PlanPanel::allNodes() const
{
    const CostModel* costs = m_editor.costs().model();
    return costs == nullptr ? std::numeric_limits<std::int64_t>::max() : std::ranges::max(costs->counts().nodes);
}

void PlanPanel::showCurve()
{
    std::vector<PlanCosts::Point> points = m_editor.showsCosts() ? m_editor.costs().curve(m_editor.shown()) : std::vector<PlanCosts::Point>{};
    for (PlanCosts::Point& point : points)
        point.batchSize = std::min(point.batchSize, allNodes());
    const auto same = std::ranges::unique(points, {}, &PlanCosts::Point::batchSize);
    points.erase(same.begin(), same.end());
    m_curve->setPoints(std::move(points), batchSize());
}

QString PlanPanel::savePointText() const { return m_savePoint->isEnabled() ? m_savePoint->text() : QString(); }

void PlanPanel::selectTensor(ValueId tensor)
{
    const QSignalBlocker quiet(this);
    m_selected = tensor;
    const int row = m_model.rowOf(tensor);
    m_savePoints->setCurrentIndex(row < 0 ? QModelIndex() : m_order->mapFromSource(m_model.index(row, SavePointModel::Tensor)));
}

void PlanPanel::showSavePoint()
{
    const QModelIndex row = m_savePoints->currentIndex();
    const QString text = row.isValid() ? m_model.costText(m_order->mapToSource(row).row()) : QString();
    m_savePoint->setText(!text.isEmpty()                             ? text
                         : m_editor.cost() && m_model.rowCount() > 0 ? tr("Select a save point to see what it costs.")
                                                                     : QString());
    m_savePoint->setEnabled(!text.isEmpty());
}

const PricedPlan* PlanPanel::planOf(Planner planner) const
{
    const std::vector<PricedPlan>& plans = m_editor.costs().plans();
    const auto found = std::ranges::find(plans, plannerName(planner), &PricedPlan::name);
    return found == plans.end() ? nullptr : &*found;
}

// What joins functions places its ops as it likes, so that these stay as they are.
bool PlanPanel::isTaken(const PricedPlan& plan) const
{
    const bool sameBatch = plan.batchSize == m_editor.costs().plans().front().batchSize;
    return plan.planned.plan.joined.empty() ? plan.planned.plan == m_editor.plan() : plan.planned.plan.joined == m_editor.plan().joined && sameBatch;
}

bool PlanPanel::hasAssumedRates() const
{
    const CostModel* costs = m_editor.costs().model();
    return costs != nullptr && costs->rates().source == "assumed";
}

QString PlanPanel::whyNotTaken(const PricedPlan* plan) const
{
    if (plan != nullptr && m_editor.showsCosts())
        return isTaken(*plan) ? tr("It is the plan at hand.") : QString();
    return !m_editor.showsCosts()         ? tr("Costs are hidden until you ask for them in the story.")
           : !m_editor.costs().hasGraph() ? tr("Open a graph to see what plans cost.")
           : m_editor.costs().isWorking() ? tr("It is not known yet.")
                                          : tr("It could not be made on this graph.");
}

void PlanPanel::showButtons()
{
    for (std::size_t i = 0; i < shownPlanners.size(); ++i) {
        const auto k = static_cast<qsizetype>(i);
        const QString why = whyNotTaken(planOf(shownPlanners[i]));
        m_buttons[k]->setEnabled(why.isEmpty());
        m_actions[k]->setEnabled(why.isEmpty());
        const QString tip = why.isEmpty() ? m_tips[k] : m_tips[k] + u'\n' + why;
        m_buttons[k]->setToolTip(tip);
        m_actions[k]->setToolTip(tip);
    }
}

void PlanPanel::take(const PricedPlan& plan)
{
    const PricedPlan taken = plan;  // other sizes of batches make other plans
    m_editor.take(taken, tr("Take the plan “%1”").arg(planText(taken.name)));
}

}  // namespace cleave::views
