#include "views/plan_editor.h"

#include <QUndoCommand>
#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/plan/code.h"
#include "views/core_text.h"
#include "views/description.h"
#include "views/text.h"

namespace cleave::views {

class PlanEditor::Step : public QUndoCommand {
public:
    Step(PlanEditor& editor, State after, std::optional<Batches> batches, const QString& text)
        : QUndoCommand(text),
          m_editor(editor),
          m_before(editor.m_now),
          m_after(std::move(after)),
          m_batchesBefore(editor.batches()),
          m_batchesAfter(batches)
    {
    }

    void undo() override { show(m_before, m_batchesBefore); }
    void redo() override { show(m_after, m_batchesAfter.value_or(m_batchesBefore)); }

private:
    void show(const State& state, const Batches& batches)
    {
        m_editor.setState(state, state.subject != m_editor.m_now.subject);
        if (m_batchesAfter)
            Q_EMIT m_editor.batchesWanted(batches);
    }

    PlanEditor& m_editor;
    State m_before, m_after;
    Batches m_batchesBefore;
    std::optional<Batches> m_batchesAfter;  // nothing: they are no part of the step
};

PlanEditor::PlanEditor(QObject* parent) : QObject(parent)
{
    connect(&m_costs, &PlanCosts::changed, this, [this] {
        price();
        Q_EMIT costsChanged();
    });
    connect(&m_costs, &PlanCosts::curveChanged, this, &PlanEditor::curveChanged);
    connect(&m_costs, &PlanCosts::noted, this, &PlanEditor::noted);
    connect(&m_costs, &PlanCosts::failed, this, &PlanEditor::failed);
}

PlanEditor::~PlanEditor() = default;

PlanEditor::State PlanEditor::stateOf(std::shared_ptr<const Model> model, const std::set<Rewrite>& rewrites)
{
    State state;
    state.rewrites = rewrites;
    if (model)
        state.subject = std::make_shared<const PlannedModel>(std::move(model));
    if (state.subject)
        state.plan = state.base = state.subject->space.messageDegree();
    return state;
}

void PlanEditor::setModel(std::shared_ptr<const Model> model, const std::set<Rewrite>& rewrites)
{
    m_history.clear();
    m_history.setClean();                                   // what is empty is not cleared, and a plan may have been restored without a step
    const std::optional<Batches> before = batchesBefore();  // a plan of the model that goes brought them
    m_brought.reset();
    setState(stateOf(std::move(model), rewrites), true);
    if (before)
        Q_EMIT batchesWanted(*before);
}

void PlanEditor::takeProgram(std::shared_ptr<const Model> model, const std::set<Rewrite>& rewrites, const QString& text)
{
    m_history.push(new Step(*this, stateOf(std::move(model), rewrites), {}, text));
}

void PlanEditor::setGraph(std::shared_ptr<const DataGraph> graph, const RunOptions& options)
{
    m_options = options;
    m_costs.setGraph(std::move(graph), options);
}

const PlanSpace* PlanEditor::space() const
{
    return m_now.subject ? &m_now.subject->space : nullptr;
}

std::shared_ptr<const Model> PlanEditor::plannedModel() const
{
    if (!m_now.subject || m_now.plan == m_now.base)
        return m_now.subject ? m_now.subject->model : nullptr;
    Model planned = *m_now.subject->model;
    planned.cut = std::make_shared<const CutProgram>(m_now.subject->space.cut(m_now.plan, copied()));
    return std::make_shared<const Model>(std::move(planned));
}

PlanCode PlanEditor::code() const
{
    return m_now.subject ? generateCode(m_now.subject->space, m_now.plan, copied(), m_options.batchSize) : PlanCode{};
}

// Of the plan: by its cost, or as its file said.
std::set<BlockCopy> PlanEditor::copied() const
{
    if (const std::optional<PlanCost> known = m_costs.costOf(m_now.plan))
        return known->copied;
    return m_now.loaded && m_now.loaded->plan == m_now.plan ? m_now.loaded->copied : std::set<BlockCopy>{};
}

void PlanEditor::preview(const Plan& plan)
{
    m_preview = plan;
    show();
}

bool PlanEditor::previewCut(int cut, bool up)
{
    const Move move = m_now.subject ? m_now.subject->space.moveCut(shown(), cut, up) : Move{};
    if (move.plan) {
        m_previewedCut = cut;
        preview(*move.plan);
    } else {
        Q_EMIT refused(fromCore(move.reason));
    }
    return move.plan.has_value();
}

void PlanEditor::endPreview()
{
    m_previewedCut.reset();
    if (std::exchange(m_preview, std::nullopt))
        show();
}

bool PlanEditor::keepMovedCut(int cut)
{
    const std::optional<Plan> kept = std::exchange(m_preview, std::nullopt);
    m_previewedCut.reset();
    return kept && take(*kept, movedCutText(cut, *kept));
}

bool PlanEditor::keepPreview()
{
    const std::optional<int> cut = std::exchange(m_previewedCut, std::nullopt);
    return cut && keepMovedCut(*cut);
}

bool PlanEditor::takeBatches(const Batches& batches)
{
    const QString size = batches.size == 0 ? tr("Batches of a size that Cleave chooses") : tr("Batches of %1 nodes").arg(countText(batches.size));
    return take(m_now.plan, batches.order == m_options.order ? size : tr("Order of nodes: “%1”").arg(orderText(batches.order)), batches);
}

// "Move cut 2: save linear_1 instead of relu"
QString PlanEditor::movedCutText(int cut, const Plan& after) const
{
    const std::vector<ValueId> before = m_now.subject->space.savePoints(m_now.plan, cut), now = m_now.subject->space.savePoints(after, cut);
    const auto missing = [&](const std::vector<ValueId>& from, const std::vector<ValueId>& in) {
        constexpr int most = 2;
        QStringList names;
        int more = 0;
        for (const ValueId tensor : from)
            if (std::ranges::find(in, tensor) == in.end() && names.size() < most)
                names.append(toText(m_now.subject->model->program()[tensor].name));
            else if (std::ranges::find(in, tensor) == in.end())
                ++more;
        const QString text = names.join(QStringLiteral(", "));
        return more == 0 ? text : tr("%1 and %n more", nullptr, more).arg(text);
    };
    const QString gone = missing(before, now), added = missing(now, before);
    if (gone.isEmpty() && added.isEmpty())
        return tr("Move cut %1").arg(cut + 1);
    if (gone.isEmpty())
        return tr("Move cut %1: save %2 as well").arg(cut + 1).arg(added);
    return added.isEmpty() ? tr("Move cut %1: no longer save %2").arg(cut + 1).arg(gone)
                           : tr("Move cut %1: save %2 instead of %3").arg(cut + 1).arg(added, gone);
}

void PlanEditor::save(const std::filesystem::path& path)
{
    write(path);
    m_history.setClean();
}

void PlanEditor::write(const std::filesystem::path& path) const
{
    if (!m_now.subject)
        return;
    std::optional<RecordedCost> recorded;
    if (const std::optional<PlanCost> known = m_costs.costOf(m_now.plan))
        recorded = RecordedCost{"this plan",
                                m_costs.graphName(),
                                *known,
                                m_costs.modelFor(m_now.plan.joined)->counts(),
                                m_costs.model()->rates(),
                                false,
                                0,
                                m_costs.placementOf(m_now.plan, *known, m_now.devices)};
    writePlan(path, m_now.subject->space, {m_now.plan, m_options.batchSize, m_options.order, copied(), {}, true, m_now.devices}, recorded);
}

StoredPlan PlanEditor::load(const std::filesystem::path& path, bool isSaved)
{
    if (!m_now.subject)
        throw Error("Open the plan's model first: a plan file holds the plan alone.");
    const StoredPlan loaded = readPlan(path, m_now.subject->space);
    take(loaded.plan,
         isSaved ? tr("Open the plan %1").arg(QString::fromStdU16String(path.filename().u16string())) : tr("Restore the plan that was not saved"), {},
         loaded.devices, loaded);
    if (isSaved && loaded.isOfThisFile)
        m_history.setClean();
    else
        m_history.resetClean();
    return loaded;
}

void PlanEditor::setShowsCosts(bool shows)
{
    if (std::exchange(m_showsCosts, shows) != shows)
        Q_EMIT costsChanged();
}

void PlanEditor::showAgain()
{
    Q_EMIT costsChanged();
    Q_EMIT curveChanged();
}

void PlanEditor::compareWith(const std::filesystem::path& path)
{
    if (!m_now.subject)
        throw Error("Open the plans' model first: a plan file holds the plan alone.");
    m_other = Other{QString::fromStdU16String(path.filename().u16string()), readPlan(path, m_now.subject->space).plan};
    Q_EMIT comparisonChanged();
}

void PlanEditor::endComparison()
{
    if (std::exchange(m_other, std::nullopt))
        Q_EMIT comparisonChanged();
}

QStringList PlanEditor::differences() const
{
    QStringList lines;
    for (std::size_t i = 0; m_other && i < m_now.plan.positions.size(); ++i)
        if (const Position here = m_now.plan.positions[i], there = m_other->plan.positions[i]; here != there)
            lines.append(
                tr("%1: %2 here, %3 in %4.").arg(nameOf(m_now.subject->space.ops()[i].op), positionText(here), positionText(there), m_other->name));
    for (int cut = 0; m_other && cut + 1 < m_now.subject->space.functions(); ++cut)
        if (const bool here = m_now.plan.joined.contains(cut); here != m_other->plan.joined.contains(cut))
            lines.append(
                (here ? tr("Functions %1 and %2 run together here, but not in %3.") : tr("Functions %1 and %2 run together in %3, but not here."))
                    .arg(cut)
                    .arg(cut + 1)
                    .arg(m_other->name));
    return lines;
}

void PlanEditor::setState(const State& state, bool isOtherProgram)
{
    m_now = state;
    m_preview.reset();
    if (isOtherProgram) {
        endComparison();
        m_costs.setModel(m_now.subject);
    }
    m_costs.setConstraints(m_now.plan.constraints);
    if (isOtherProgram) {
        price();
        Q_EMIT programChanged();
    }
    show();
    Q_EMIT changed();
}

void PlanEditor::price()
{
    m_costs.want(shown().joined);
    m_cost = m_costs.costOf(shown());
    m_placement = m_cost ? m_costs.placementOf(shown(), *m_cost, m_now.devices) : std::nullopt;
}

void PlanEditor::show()
{
    price();
    Q_EMIT shownChanged();
}

bool PlanEditor::moveOps(const std::vector<OpId>& ops, Position to)
{
    if (!m_now.subject || ops.empty())
        return false;
    return apply(m_now.subject->space.moveOps(m_now.plan, ops, to), ops, tr("Move %1 %2").arg(opsText(ops), positionText(to)));
}

bool PlanEditor::setSaved(ValueId tensor, int cut, bool saved)
{
    if (!m_now.subject)
        return false;
    const QString name = toText(m_now.subject->model->program()[tensor].name);
    return apply(m_now.subject->space.setSavePoint(m_now.plan, tensor, cut, saved), {m_now.subject->model->program()[tensor].producer},
                 saved ? tr("Save %1 at cut %2").arg(name).arg(cut + 1) : tr("Do not save %1 at cut %2").arg(name).arg(cut + 1));
}

// Ops that the text names already are not told again.
bool PlanEditor::apply(const Move& move, const std::vector<OpId>& named, const QString& text)
{
    if (!move.plan) {
        Q_EMIT refused(fromCore(move.reason));
        return false;
    }
    QStringList along;
    for (const OpId op : move.alongside)
        if (std::ranges::find(named, op) == named.end())
            along.append(nameOf(op));
    return take(*move.plan, along.isEmpty() ? text : tr("%1, with %2").arg(text, along.join(QStringLiteral(", "))));
}

bool PlanEditor::pin(OpId op)
{
    const int i = m_now.subject ? m_now.subject->space.indexOf(op) : -1;
    if (i < 0)
        return false;
    const int function = m_now.plan.positions[static_cast<std::size_t>(i)].function();
    return apply(m_now.subject->space.pin(m_now.plan, op, function), {op}, tr("Pin %1 to function %2").arg(nameOf(op)).arg(function));
}

bool PlanEditor::unpin(OpId op)
{
    return m_now.subject && apply(m_now.subject->space.unpin(m_now.plan, op), {op}, tr("Unpin %1").arg(nameOf(op)));
}

bool PlanEditor::keepTogether(OpId a, OpId b)
{
    return m_now.subject &&
           apply(m_now.subject->space.keepTogether(m_now.plan, a, b), {a, b}, tr("Keep %1 and %2 together").arg(nameOf(a), nameOf(b)));
}

bool PlanEditor::letGo(OpId op)
{
    Plan free = m_now.plan;
    free.constraints.leave(op);
    return m_now.subject && take(free, tr("Let %1 go its own way").arg(nameOf(op)));
}

bool PlanEditor::setJoined(int cut, bool joined)
{
    if (!m_now.subject)
        return false;
    std::string why = joined ? m_now.subject->space.whyNotJoined(cut) : std::string();
    Plan plan = m_now.plan;
    joined ? void(plan.joined.insert(cut)) : void(plan.joined.erase(cut));
    if (why.empty())
        why = m_now.subject->space.whyIllegal(plan);
    if (!why.empty()) {
        Q_EMIT refused(fromCore(why));
        return false;
    }
    return take(plan, joined ? tr("Run functions %1 and %2 together").arg(cut).arg(cut + 1)
                             : tr("Run functions %1 and %2 one after the other").arg(cut).arg(cut + 1));
}

QString PlanEditor::nameOf(OpId op) const
{
    return toText(m_now.subject->model->program()[op].name);
}

bool PlanEditor::take(const Plan& plan, const QString& text, std::optional<Batches> taken, std::optional<DeviceWishes> devices,
                      std::optional<StoredPlan> loaded)
{
    if (plan == m_now.plan && taken.value_or(batches()) == batches() && devices.value_or(m_now.devices) == m_now.devices) {
        if (loaded)
            m_now.loaded = std::move(loaded);
        return false;
    }
    State after = m_now;
    after.plan = plan;
    if (loaded)
        after.loaded = std::move(loaded);
    if (devices)
        after.devices = *devices;
    m_history.push(new Step(*this, std::move(after), taken, text));
    return true;
}

std::optional<Batches> PlanEditor::batchesBefore() const
{
    return m_brought && m_brought->now == batches() ? std::optional(m_brought->before) : std::nullopt;
}

bool PlanEditor::take(const PricedPlan& priced, const QString& text)
{
    Plan plan = m_now.plan;
    plan.joined = priced.planned.plan.joined;
    if (plan.joined.empty() || priced.batchSize == m_costs.plans().front().batchSize)
        return take(plan.joined.empty() ? priced.planned.plan : plan, text, batchesBefore());
    m_brought = {batches(), {priced.batchSize, m_options.order}};
    return take(plan, tr("%1, in batches of %2 nodes").arg(text, countText(priced.batchSize)), m_brought->now);
}

bool PlanEditor::takeDevices(const DeviceWishes& devices, const QString& text)
{
    return m_now.subject && take(m_now.plan, text, {}, devices.functions.empty() ? DeviceWishes{} : devices);
}

bool PlanEditor::runOn(const std::string& device)
{
    if (!m_now.subject)
        return false;
    if (device == "cpu")
        return takeDevices({}, tr("Run all functions on the CPU"));
    DeviceWishes wishes{device, {}};
    for (const CutFunction& function : plannedModel()->cut->functions)
        if (!function.isGlobal)
            wishes.functions.insert(DeviceWishes::nameOf(function));
    return takeDevices(wishes, tr("Run all functions on %1").arg(toText(device)));
}

bool PlanEditor::runWhereFaster(const std::string& device)
{
    const std::optional<PlanCost> cost = m_costs.costOf(m_now.plan);
    return cost && takeDevices(m_costs.placed(m_now.plan, *cost, device), tr("Run functions on %1 where that is faster").arg(toText(device)));
}

bool PlanEditor::runOn(const std::string& device, const DeviceWishes::Function& function, bool isThere)
{
    DeviceWishes wishes = m_now.devices.device == device ? m_now.devices : DeviceWishes{device, {}};
    isThere ? void(wishes.functions.insert(function)) : void(wishes.functions.erase(function));
    const QString number = QString::number(std::get<int>(function));
    return takeDevices(wishes, isThere ? tr("Run function %1 on %2").arg(number, toText(device)) : tr("Run function %1 on the CPU").arg(number));
}

QString PlanEditor::opsText(const std::vector<OpId>& ops) const
{
    const QString first = nameOf(ops.front());
    return ops.size() == 1 ? first : tr("%1 and %n more", nullptr, static_cast<int>(ops.size()) - 1).arg(first);
}

QString PlanEditor::positionText(Position position) const
{
    const int number = position.function();
    return position.isPre() ? tr("before message passing %1").arg(number) : tr("to function %1").arg(number);
}

QString functionText(const FunctionCost& f) { return fromCore(functionName(f.first, f.last, f.isGlobal, f.rowsOf)); }
bool isIdle(const FunctionCost& f) { return f.seconds() == 0; }

std::vector<std::size_t> inOrderOfRuns(const PlanCost& cost)
{
    std::vector<std::size_t> order(cost.functions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
        const FunctionCost& f = cost.functions[i];
        return std::pair(f.last, f.isGlobal ? 0 : f.rowsOf.valid() ? 2 : 1);
    });
    return order;
}

QString functionTitle(const FunctionCost& f) { return titleFromCore(functionName(f.first, f.last, f.isGlobal, f.rowsOf)); }

}  // namespace cleave::views
