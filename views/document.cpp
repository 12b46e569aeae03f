#include "views/document.h"

#include <QFileInfo>
#include <algorithm>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/graph/generate.h"
#include "core/graph/npy.h"
#include "core/run/least_memory.h"
#include "core/run/rewrite_worth.h"
#include "core/torchscript/torchscript_reader.h"
#include "views/description.h"
#include "views/read_program.h"
#include "views/staged_model.h"
#include "views/text.h"

namespace cleave::views {

namespace {

// Sessions and plans that were left refer to files from anywhere.
QString absolute(const QString& path) { return QFileInfo(path).absoluteFilePath(); }

}  // namespace

Document::Document(QObject* parent) : QObject(parent)
{
    connect(&m_planEditor, &PlanEditor::noted, this, &Document::noted);
    // Not of a model that is being opened again with the sizes of the graph.
    connect(&m_planEditor, &PlanEditor::failed, this, [this](const QString& sentence) {
        if (!job(Task::OpenModel))
            Q_EMIT failed(sentence);
    });
    connect(&m_planEditor, &PlanEditor::programChanged, this, &Document::showProgram);
    connect(&m_planEditor, &PlanEditor::batchesWanted, this, [this](const Batches& batches) {
        RunOptions options = m_options.run;
        options.batchSize = batches.size;
        options.order = batches.order;
        setRunOptions(options);
    });
    connect(&m_planEditor, &PlanEditor::changed, this, [this] { fitReport(); });
}

Document::~Document() = default;

void Document::open(const QString& path)
{
    const QFileInfo file(path);
    if (!file.exists())
        Q_EMIT failed(toText("There is no file " + printable(path.toStdString(), 300) + "."));  // what is being opened goes on
    else if (isProfileGraph(toPath(path)))
        openStages(path);
    else if (file.isDir() || isGraphFile(toPath(path)))
        openGraph(path);
    else if (path.endsWith(QStringLiteral(".cleave.json"), Qt::CaseInsensitive))
        openPlan(path);
    else
        openModel(path);
}

void Document::openModel(const QString& path)
{
    const bool isFirst = !m_model && !job(Task::OpenModel);
    const InputHints known = absolute(path) == m_modelPath ? m_hints : InputHints();
    openModel(path, isFirst ? std::exchange(m_awaited, std::nullopt) : std::nullopt, std::exchange(m_nextHints, std::nullopt).value_or(known));
}

void Document::setHints(InputHints hints)
{
    m_nextHints = std::move(hints);
}

void Document::setRole(const QString& input, Role role)
{
    InputHints hints = m_hints;
    hints.roles[input.toStdString()] = role;
    if (!m_modelPath.isEmpty())
        openModel(m_modelPath, std::nullopt, std::move(hints));
}

void Document::setArray(const QString& input, const QString& array)
{
    RunOptions options = m_options.run;
    if (array.isEmpty())
        options.inputs.erase(input.toStdString());
    else
        options.inputs[input.toStdString()] = array.toStdString();
    m_hints.arrays = options.inputs;
    setRunOptions(options);
}

void Document::tryRole(const QString& input, Role role)
{
    InputHints hints = m_openingHints;
    hints.roles[input.toStdString()] = role;
    if (!m_openingPath.isEmpty())
        openModel(m_openingPath, std::nullopt, std::move(hints));
}

void Document::tryWidth(const QString& input, std::int64_t width)
{
    InputHints hints = m_openingHints;
    hints.widths[input.toStdString()] = width;
    if (!m_openingPath.isEmpty())
        openModel(m_openingPath, std::nullopt, std::move(hints));
}

void Document::openModel(const QString& file, std::optional<PlanFile> plan, InputHints hints)
{
    const QString path = absolute(file);
    abandon(Task::Run);
    m_awaited = std::move(plan);
    m_checksFirst = m_checksFirst && path == m_openingPath;
    m_openingPath = path;
    m_openingHints = hints;
    m_openedBeside = m_graph;
    OpenOptions options{hints.roles, m_checksFirst, m_rewrites, hints.widths};
    if (m_graph)
        options.shapes = arrayShapes(*m_graph, hints.arrays);
    start(
        Task::OpenModel, tr("Opening %1").arg(QFileInfo(path).fileName()),
        [path = toPath(path), options = std::move(options)](const Progress& progress) {
            return std::make_shared<const Model>(cleave::openModel(path, options, progress));
        },
        [this, path, hints](std::shared_ptr<const Model> model) {
            setModel(std::move(model), path, hints);
        });
}

void Document::reload()
{
    // What is there of a graph that is gone, and results on it, stay.
    const bool isGone = !m_graphPath.isEmpty() && !QFileInfo::exists(m_graphPath);
    if (!m_graphPath.isEmpty())
        openGraph(m_graphPath);
    if (!m_modelPath.isEmpty() && !isGone)
        open(m_modelPath);
}

void Document::openStages(const QString& file)
{
    const QString path = absolute(file);
    abandon(Task::Run);
    dropAwaitedPlan();
    m_openingPath.clear();
    m_openedBeside.reset();
    start(
        Task::OpenModel, tr("Opening %1").arg(QFileInfo(path).fileName()),
        [path = toPath(path)](const Progress& progress) { return std::make_shared<const StagedModel>(readProfileGraph(path, progress)); },
        [this, path](std::shared_ptr<const StagedModel> stages) { setViewed(std::move(stages), path); });
}

void Document::lookAt(const QString& path, const QString& refusal)
{
    if (m_model || path.isEmpty())
        return;
    OpenOptions options{m_openingHints.roles, false, {}, m_openingHints.widths};
    if (m_graph)
        options.shapes = arrayShapes(*m_graph, m_openingHints.arrays);
    start(
        Task::Look, tr("Reading %1").arg(QFileInfo(path).fileName()),
        [path = toPath(path), options = std::move(options), refusal](const Progress& progress) {
            return std::make_shared<const ReadProgram>(readModel(path, options, progress), refusal);
        },
        [this, path](std::shared_ptr<const ReadProgram> program) { setViewed(std::move(program), path); });
}

void Document::openGraph(const QString& file)
{
    const QString path = absolute(file);
    abandon(Task::Run);
    start(
        Task::OpenGraph, tr("Reading %1").arg(QFileInfo(path).fileName()),
        [path = toPath(path)](const Progress& progress) {
            auto graph = std::make_shared<const DataGraph>(readGraph(path, {}, progress));
            std::optional<DegreeSummary> degrees = summarizeDegrees(*graph);
            return std::pair(std::move(graph), std::move(degrees));
        },
        [this, path](std::pair<std::shared_ptr<const DataGraph>, std::optional<DegreeSummary>> read) {
            takeGraph(std::move(read.first), std::move(read.second), path);
        });
}

void Document::openKarateClub()
{
    auto club = std::make_shared<DataGraph>(karateClub());
    club->arrays.erase("x");
    abandon(Task::OpenGraph);
    setRandomFeatures(true);
    setGraph(std::move(club), {});
}

void Document::openExpected(const QString& path)
{
    abandon(Task::Run);
    start(
        Task::OpenExpected, tr("Reading %1").arg(QFileInfo(path).fileName()),
        [file = toPath(path), model = m_model](const Progress& progress) {
            std::map<std::string, Array> arrays = readExpected(file, progress);
            if (model)
                requireExpected(arrays, model->program());
            return arrays;
        },
        [this, path](std::map<std::string, Array> arrays) {
            m_options.expected = std::move(arrays);
            m_expectedPath = path;
            Q_EMIT noted(tr("Verify compares with the outputs in %1.").arg(QFileInfo(path).fileName()));
            Q_EMIT changed(Change::Options);
        });
}

void Document::closeExpected()
{
    abandon(Task::OpenExpected);
    if (m_expectedPath.isEmpty())
        return;
    Q_EMIT noted(tr("Verify no longer compares with the outputs in %1.").arg(QFileInfo(m_expectedPath).fileName()));
    m_options.expected.clear();
    m_expectedPath.clear();
    Q_EMIT changed(Change::Options);
}

std::vector<std::filesystem::path> Document::filesRead() const
{
    std::vector<std::filesystem::path> files;
    for (const QString& path : {m_modelPath, m_graphPath, m_expectedPath})
        if (!path.isEmpty())
            files.push_back(toPath(path));
    return files;
}

void Document::setModel(std::shared_ptr<const Model> model, const QString& path, InputHints hints)
{
    Q_EMIT modelAboutToChange();  // before anything is known by the new one's names
    takeFile(path);
    m_hints = std::move(hints);
    m_options.run.inputs = m_hints.arrays;
    m_viewed.reset();
    putModel(std::move(model));
    if (m_model)
        for (const std::string& note : m_model->program().notes)
            Q_EMIT noted(toText(note));
}

void Document::setViewed(std::shared_ptr<const ViewedGraph> viewed, const QString& path)
{
    Q_EMIT modelAboutToChange();
    takeFile(path);
    m_hints = {};
    m_options.run.inputs.clear();
    m_viewed = std::move(viewed);
    putModel(nullptr);
}

void Document::takeFile(const QString& path)
{
    abandon(Task::Run);
    abandon(Task::OpenExpected);
    m_options.expected.clear();
    m_expectedPath.clear();
    m_modelPath = path;
}

void Document::putModel(std::shared_ptr<const Model> model)
{
    setPlanPath({});
    m_planEditor.setModel(std::move(model), m_rewrites);
}

// Of another file, or after other rewrites.
void Document::showProgram()
{
    abandon(Task::Check);
    abandon(Task::Run);
    m_model = m_planEditor.model();
    m_isChecked = false;
    m_setAside = {};
    setReport({});
    if (const auto before = m_graph; fitGraph(), m_graph != before) {
        m_planEditor.setGraph(m_graph, m_options.run);
        Q_EMIT changed(Change::Graph);
    }
    if (std::exchange(m_rewrites, m_planEditor.rewrites()) != m_rewrites)
        Q_EMIT changed(Change::Options);
    Q_EMIT changed(Change::Model);
    if (m_model)
        checkModel();
}

// While it is looked at already.
void Document::checkModel()
{
    start(
        Task::Check, tr("Checking the cut"),
        [model = m_model](const Progress& progress) {
            checkCut(*model->analysis, *model->cut, progress);
            return true;
        },
        [this](bool checked) { m_isChecked = checked; });
}

void Document::setGraph(std::shared_ptr<const DataGraph> graph, const QString& path)
{
    std::optional<DegreeSummary> degrees = graph ? summarizeDegrees(*graph) : std::nullopt;
    takeGraph(std::move(graph), std::move(degrees), path);
}

void Document::takeGraph(std::shared_ptr<const DataGraph> graph, std::optional<DegreeSummary> degrees, const QString& path)
{
    abandon(Task::Run);
    // One batch of all nodes stays one.
    const bool isWhole = graph && m_graph && m_options.run.batchSize > 0 && m_options.run.batchSize == m_graph->numNodes;
    m_graph = m_graphAsRead = std::move(graph);
    fitGraph();
    if (isWhole)
        m_options.run.batchSize = m_graph->numNodes;
    m_degrees = std::move(degrees);
    if (path != m_graphPath || path.isEmpty())
        closeExpected();  // which are of the graph before
    m_graphPath = path;
    m_setAside = {};
    setReport({});
    m_planEditor.setGraph(m_graph, m_options.run);
    Q_EMIT changed(Change::Graph);
    if (!job(Task::OpenModel))
        openAgain();
}

void Document::fitGraph()
{
    std::shared_ptr<const DataGraph> fitted = m_graphAsRead;
    if (m_model && fitted && knowsNodesOf(*m_model, *fitted))
        fitted = std::make_shared<const DataGraph>(withLearnedNodes(*fitted, *m_model));
    if (m_openedBeside == m_graph)
        m_openedBeside = fitted;
    m_graph = std::move(fitted);
}

// A file that does not say what it takes may be understood beside the graph's arrays, and some sizes are theirs.
bool Document::mayOpenNow() const
{
    if (!m_graph || m_graph == m_openedBeside)
        return false;
    return m_model ? isForOtherArrays(*m_model, arrayShapes(*m_graph, m_options.run.inputs)) : !m_openingPath.isEmpty();
}

void Document::openAgain()
{
    if (mayOpenNow() && m_model)
        openModel(m_modelPath, std::exchange(m_awaited, std::nullopt), m_hints);
    else if (mayOpenNow())
        openModel(m_openingPath, std::exchange(m_awaited, std::nullopt), m_openingHints);
}

void Document::setBatchSize(std::int64_t batchSize)
{
    RunOptions options = m_options.run;
    options.batchSize = batchSize;
    setRunOptions(options);
}

void Document::chooseBatchSize(std::int64_t batchSize)
{
    if (m_model)
        m_planEditor.takeBatches({batchSize, m_options.run.order});
    else
        setBatchSize(batchSize);
}

void Document::setMemoryBound(std::size_t bytes)
{
    if (m_options.run.memoryBytes == bytes)
        return;
    m_options.run.memoryBytes = bytes;
    if (const std::size_t least = leastMemory(m_options.run, m_graph ? static_cast<double>(m_graph->bytes()) : 0); bytes > 0 && bytes < least)
        Q_EMIT failed(tr("Runs on this machine take about %1 beside the program itself: within less they will be refused.")
                          .arg(bytesText(static_cast<double>(least))));
    m_planEditor.setGraph(m_graph, m_options.run);
    Q_EMIT changed(Change::Options);
}

void Document::setNodeOrder(NodeOrder order)
{
    RunOptions options = m_options.run;
    options.order = order;
    setRunOptions(options);
}

void Document::chooseNodeOrder(NodeOrder order)
{
    if (m_model)
        m_planEditor.takeBatches({m_options.run.batchSize, order});
    else
        setNodeOrder(order);
}

void Document::setRandomFeatures(bool random)
{
    RunOptions options = m_options.run;
    options.randomFeatures = random;
    setRunOptions(options);
}

// What is not changed here is not measured anew.
void Document::setRunOptions(const RunOptions& options)
{
    const auto chosen = [](const RunOptions& o) { return std::tuple(o.batchSize, o.order, o.randomFeatures, o.inputs); };
    if (chosen(m_options.run) == chosen(options))
        return;
    m_options.run = options;
    m_planEditor.setGraph(m_graph, m_options.run);
    fitReport();
    Q_EMIT changed(Change::Options);
}

void Document::setRewrites(std::set<Rewrite> rewrites)
{
    if (m_rewrites == rewrites)
        return;
    m_rewrites = std::move(rewrites);
    Q_EMIT changed(Change::Options);
    if (job(Task::OpenModel) && !m_openingPath.isEmpty())
        openModel(m_openingPath, std::exchange(m_awaited, std::nullopt), m_openingHints);
    else if (m_model)
        rewriteModel();
}

void Document::rewriteModel()
{
    abandon(Task::Run);
    m_openingPath.clear();
    m_openedBeside.reset();
    start(
        Task::OpenModel, tr("Rewriting %1").arg(QFileInfo(m_modelPath).fileName()),
        [traced = m_model->traced ? m_model->traced : m_model->analysis, rewrites = m_rewrites](const Progress& progress) {
            return std::make_shared<const Model>(rewrittenModel(traced, rewrites, progress));
        },
        [this, rewrites = m_rewrites](std::shared_ptr<const Model> model) { takeRewritten(std::move(model), rewrites); });
}

// A program that is the same as before keeps its plan.
void Document::takeRewritten(std::shared_ptr<const Model> model, const std::set<Rewrite>& rewrites)
{
    m_rewrites = rewrites;
    const QString texts = rewritesText(*model);
    const QString said = texts.isEmpty() ? tr("The program is as it was traced: no rewrite applies.") : tr("Rewrites: %1.").arg(texts);
    const bool isOther = !m_model || model->analysis->rewrites != m_model->analysis->rewrites, hadMoves = m_planEditor.hasMoves();
    if (isOther)
        m_planEditor.takeProgram(std::move(model), rewrites,
                                 texts.isEmpty() ? tr("Take the program as it was traced") : tr("Rewrite: %1").arg(texts));
    Q_EMIT changed(Change::Options);
    Q_EMIT noted(isOther && hadMoves ? said + u' ' + tr("The plan begins anew: Undo brings back the one before.") : said);
}

// Of the program as it is, where another was asked for and is not to come.
void Document::keepRewrites()
{
    if (m_model && std::exchange(m_rewrites, m_planEditor.rewrites()) != m_planEditor.rewrites())
        Q_EMIT changed(Change::Options);
}

void Document::chooseRewrites()
{
    if (!m_model || !m_graph) {
        setRewrites(allRewrites());
        return;
    }
    const std::vector<PricedPlan>& plans = m_planEditor.costs().plans();
    const auto before = std::ranges::find(plans, plannerName(usualPlanner()), &PricedPlan::name);
    const double secondsBefore = before == plans.end() ? 0 : before->seconds();
    abandon(Task::Run);
    m_openingPath.clear();
    m_openedBeside.reset();
    start(
        Task::OpenModel, tr("Weighing rewrites of %1").arg(QFileInfo(m_modelPath).fileName()),
        [traced = m_model->traced ? m_model->traced : m_model->analysis, graph = m_graph, run = m_options.run](const Progress& progress) {
            return std::make_shared<const ProgramForGraph>(
                programFor(rewrittenModel(traced, allRewrites(), progress), *graph, usualPlanner(), run, Weighing::Always, progress));
        },
        [this, secondsBefore](const std::shared_ptr<const ProgramForGraph>& chosen) {
            std::set<Rewrite> rewrites = allRewrites();
            for (const auto& [rewrite, seconds] : chosen->leftOut)
                rewrites.erase(rewrite);
            takeRewritten(std::make_shared<const Model>(chosen->model), rewrites);
            if (secondsBefore > 0 && chosen->plan && !m_model->analysis->rewrites.empty())
                Q_EMIT noted(
                    tr("The best plan is predicted to take %1 instead of %2.").arg(secondsText(chosen->plan->seconds()), secondsText(secondsBefore)));
            for (const auto& [rewrite, seconds] : chosen->leftOut)
                Q_EMIT noted(seconds > 0 ? tr("Not made: %1. It would take %2 more than it saves on this graph.")
                                               .arg(rewriteText(rewrite), secondsText(seconds))
                                         : tr("Not made: %1. Its rows do not fit into memory.").arg(rewriteText(rewrite)));
        });
}

Tolerance Document::tolerance() const
{
    return m_options.tolerance.value_or(m_model ? usualTolerance(*m_model) : Tolerance{});
}

void Document::setTolerance(const Tolerance& tolerance)
{
    if (tolerance == this->tolerance())
        return;
    m_options.tolerance = tolerance;
    if (m_model && tolerance == usualTolerance(*m_model))
        m_options.tolerance.reset();
    Q_EMIT changed(Change::Options);
}

}  // namespace cleave::views
