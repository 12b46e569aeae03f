#include "views/plan_editor.h"

#include <QUndoCommand>
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/run/calibrate.h"
#include "views/text.h"

namespace cleave::views {

// A model and its plans. Costs point into it, also those that a worker still computes.
struct PlanEditor::Subject {
    explicit Subject(std::shared_ptr<const Model> m) : model(std::move(m)), space(*model->analysis) {}

    std::shared_ptr<const Model> model;
    PlanSpace space;
};

struct PlanEditor::Costs {
    std::vector<PricedPlan> plans;
    std::shared_ptr<const CostModel> model;
    QStringList notes;

    static Costs measured(const std::shared_ptr<const Subject>& subject, const DataGraph& graph, const RunOptions& options, const Progress& progress)
    {
        Costs costs;
        Planning planning(*subject->model, graph, options, readRates(ratesPath()), progress);
        const PlanningRequest request{{}, 0, options.batchSize, options.order};
        for (const Planner planner : {Planner::MessageDegree, Planner::Greedy, Planner::Optimal})
            costs.plans.push_back(planning.make(planner, request, progress));
        // What only serves for comparison may not be possible.
        for (const Planner planner : {Planner::NodeWise, Planner::FullGraph})
            try {
                costs.plans.push_back(planning.make(planner, request, progress));
            } catch (const Error& error) {
                costs.notes.append(toText(error.what()));
            }
        struct Priced {
            std::shared_ptr<const Subject> subject;  // into which the model points
            CostModel model;
        };
        auto priced = std::make_shared<const Priced>(Priced{subject, CostModel(subject->space, costs.plans.front().counts, planning.rates(), planning.profile())});
        costs.model = {priced, &priced->model};
        return costs;
    }
};

class PlanEditor::Step : public QUndoCommand {
public:
    Step(PlanEditor& editor, Plan after, const QString& text) : QUndoCommand(text), m_editor(editor), m_before(editor.m_plan), m_after(std::move(after)) {}

    void undo() override { m_editor.setPlan(m_before); }
    void redo() override { m_editor.setPlan(m_after); }

private:
    PlanEditor& m_editor;
    Plan m_before, m_after;
};

PlanEditor::PlanEditor(QObject* parent) : QObject(parent) {}

PlanEditor::~PlanEditor() = default;

void PlanEditor::setModel(std::shared_ptr<const Model> model)
{
    dropCosts();
    m_loaded.reset();
    m_history.clear();
    m_subject = model ? std::make_shared<const Subject>(std::move(model)) : nullptr;
    m_base = m_subject ? m_subject->space.messageDegree() : Plan{};
    setPlan(m_base);
    measure();
}

void PlanEditor::setGraph(std::shared_ptr<const DataGraph> graph, const RunOptions& options)
{
    m_graph = std::move(graph);
    m_options = options;
    measure();
}

const PlanSpace* PlanEditor::space() const { return m_subject ? &m_subject->space : nullptr; }

std::shared_ptr<const Model> PlanEditor::plannedModel() const
{
    if (!m_subject || m_plan == m_base)
        return m_subject ? m_subject->model : nullptr;
    Model planned = *m_subject->model;
    planned.cut = std::make_shared<const CutProgram>(m_subject->space.cut(m_plan, copied()));
    return std::make_shared<const Model>(std::move(planned));
}

// Of the plan: by its cost, or as its file said.
std::set<BlockCopy> PlanEditor::copied() const
{
    if (const std::optional<PlanCost> known = costOf(m_plan))
        return known->copied;
    return m_loaded && m_loaded->plan == m_plan ? m_loaded->copied : std::set<BlockCopy>{};
}

std::optional<PlanCost> PlanEditor::costOf(const Plan& plan) const
{
    if (!m_costs || m_costs->counts().joined != plan.joined)
        return {};
    return m_costs->price(plan);
}

void PlanEditor::preview(const Plan& plan)
{
    m_preview = plan;
    show();
}

void PlanEditor::endPreview()
{
    if (std::exchange(m_preview, std::nullopt))
        show();
}

bool PlanEditor::keepPreview(const QString& text)
{
    const std::optional<Plan> kept = std::exchange(m_preview, std::nullopt);
    return kept && take(*kept, text);
}

void PlanEditor::save(const std::filesystem::path& path)
{
    write(path);
    m_history.setClean();
}

void PlanEditor::write(const std::filesystem::path& path) const
{
    if (!m_subject)
        return;
    std::optional<RecordedCost> recorded;
    if (const std::optional<PlanCost> known = costOf(m_plan))
        recorded = RecordedCost{"this plan", m_graph->name, *known, m_costs->counts(), m_costs->rates(), false, 0};
    writePlan(path, m_subject->space, {m_plan, m_options.batchSize, m_options.order, copied(), {}}, recorded);
}

StoredPlan PlanEditor::load(const std::filesystem::path& path, bool isSaved)
{
    if (!m_subject)
        throw Error("Open the plan's model first: a plan file holds the plan alone.");
    m_loaded = readPlan(path, m_subject->space);
    take(m_loaded->plan, tr("Open the plan %1").arg(QString::fromStdU16String(path.filename().u16string())));
    if (isSaved)
        m_history.setClean();
    else
        m_history.resetClean();
    return *m_loaded;
}

void PlanEditor::setPlan(const Plan& plan)
{
    m_plan = plan;
    m_preview.reset();
    show();
    Q_EMIT changed();
}

void PlanEditor::show()
{
    m_cost = costOf(shown());
    Q_EMIT shownChanged();
}

bool PlanEditor::moveOps(const std::vector<OpId>& ops, Position to)
{
    if (!m_subject || ops.empty())
        return false;
    return apply(m_subject->space.moveOps(m_plan, ops, to), ops, tr("Move %1 %2").arg(opsText(ops), positionText(to)));
}

bool PlanEditor::setSaved(ValueId tensor, int cut, bool saved)
{
    if (!m_subject)
        return false;
    const QString name = toText(m_subject->model->program()[tensor].name);
    return apply(m_subject->space.setSavePoint(m_plan, tensor, cut, saved), {m_subject->model->program()[tensor].producer},
                 saved ? tr("Save %1 at cut %2").arg(name).arg(functionNumber(cut) + 1) : tr("Do not save %1 at cut %2").arg(name).arg(functionNumber(cut) + 1));
}

// Ops that the text names already are not told again.
bool PlanEditor::apply(const Move& move, const std::vector<OpId>& named, const QString& text)
{
    if (!move.plan) {
        Q_EMIT refused(toText(move.reason));
        return false;
    }
    QStringList along;
    for (const OpId op : move.alongside)
        if (std::ranges::find(named, op) == named.end())
            along.append(toText(m_subject->model->program()[op].name));
    return take(*move.plan, along.isEmpty() ? text : tr("%1, with %2").arg(text, along.join(QStringLiteral(", "))));
}

bool PlanEditor::take(const Plan& plan, const QString& text)
{
    if (plan == m_plan)
        return false;
    m_history.push(new Step(*this, plan, text));
    return true;
}

void PlanEditor::dropCosts()
{
    Job::retire(m_job, this);
    m_plans.clear();
    m_costs.reset();
    m_cost.reset();
    m_problem.clear();
}

// Plans of all planners, and what every other plan costs.
void PlanEditor::measure()
{
    dropCosts();
    Q_EMIT costsChanged();
    if (!m_subject || !m_graph)
        return;
    m_job = std::make_unique<Job>(
        tr("Counting rows of blocks"),
        [subject = m_subject, graph = m_graph, options = m_options](const Progress& progress) { return Costs::measured(subject, *graph, options, progress); },
        [this](Costs costs) {
            m_plans = std::move(costs.plans);
            m_costs = std::move(costs.model);
            m_cost = costOf(shown());
            for (const QString& note : costs.notes)
                Q_EMIT noted(note);
        });
    connect(m_job.get(), &Job::failed, this, [this](const QString& sentence) {
        m_problem = sentence;
        Q_EMIT noted(sentence);
    });
    connect(m_job.get(), &Job::finished, this, [this] {
        m_job.release()->deleteLater();
        Q_EMIT costsChanged();
    });
}

QString PlanEditor::opsText(const std::vector<OpId>& ops) const
{
    const QString first = toText(m_subject->model->program()[ops.front()].name);
    return ops.size() == 1 ? first : tr("%1 and %n more", nullptr, static_cast<int>(ops.size()) - 1).arg(first);
}

QString PlanEditor::positionText(Position position) const
{
    const int number = functionNumber(position.function());
    return position.isPre() ? tr("before message passing %1").arg(number) : tr("to function %1").arg(number);
}

// Global ops have functions of their own in between.
int PlanEditor::functionNumber(int place) const
{
    const std::vector<CutFunction>& functions = m_subject->model->cut->functions;
    const auto found = std::ranges::find_if(functions, [&](const CutFunction& f) { return f.isOfLevel() && f.level == place; });
    return found == functions.end() ? place : static_cast<int>(found - functions.begin());
}

}  // namespace cleave::views
