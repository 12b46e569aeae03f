#include "views/plan_marks.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace cleave::views {

std::vector<int> cutsOf(const DagModel& dag, const PlanEditor& editor)
{
    std::vector<int> cuts;
    for (const DagBand& band : dag.bands)
        if (!band.isHidden && band.place >= 0 && band.place + 1 < editor.space()->functions())
            cuts.push_back(band.place);
    return cuts;
}

namespace {

struct PlanMarksTexts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::PlanMarks)
};

// Where the ops of a box have gone.
struct Moved {
    std::size_t ops = 0;
    std::set<Position> to;
};

Moved movedOf(const DagBox& box, const PlanEditor& editor, const Plan& plan)
{
    Moved moved;
    if (box.key.kind == BoxKind::Tensor)
        return moved;
    for (const OpId op : box.ops)
        if (const int i = editor.space()->indexOf(op); i >= 0)
            if (const Position now = plan.positions[static_cast<std::size_t>(i)]; now != editor.base().positions[static_cast<std::size_t>(i)]) {
                moved.to.insert(now);
                ++moved.ops;
            }
    return moved;
}

// "pinned", "together A".
QStringList constraintsOf(const DagBox& box, const Constraints& constraints, const std::map<OpId, QString>& groups)
{
    QStringList texts;
    const auto add = [&](const QString& text) {
        if (!texts.contains(text))
            texts.append(text);
    };
    for (const OpId op : box.ops) {
        if (constraints.pinned(op))
            add(PlanMarksTexts::tr("pinned"));
        if (const auto group = groups.find(constraints.group(op)); group != groups.end())
            add(PlanMarksTexts::tr("together %1").arg(group->second));
    }
    return texts;
}

// Letters for the groups of ops that are kept together.
std::map<OpId, QString> groupNames(const PlanEditor& editor, const Plan& plan)
{
    std::map<OpId, int> sizes;
    for (const PlacedOp& placed : editor.space()->ops())
        ++sizes[plan.constraints.group(placed.op)];
    std::map<OpId, QString> names;
    for (const auto& [group, size] : sizes)
        if (size > 1)
            names[group] = names.size() < 26 ? QString(QChar(static_cast<char16_t>(u'A' + names.size()))) : QString::number(names.size());
    return names;
}

// Save points of a cut that are others than those the picture was drawn for, in the order of values.
struct Changed {
    int cut = 0;
    std::vector<ValueId> saved, added;
};

std::vector<Changed> changedCuts(const DagModel& dag, const PlanEditor& editor, const Plan& plan)
{
    const std::vector<std::vector<ValueId>> now = editor.space()->allSavePoints(plan), drawn = editor.space()->allSavePoints(editor.base());
    std::vector<Changed> changed;
    for (const int cut : cutsOf(dag, editor)) {
        const auto i = static_cast<std::size_t>(cut);
        if (now[i] == drawn[i] && !plan.joined.contains(cut))
            continue;
        changed.push_back({cut, now[i], {}});
        std::ranges::set_difference(now[i], drawn[i], std::back_inserter(changed.back().added));
    }
    std::ranges::sort(changed, {}, &Changed::cut);
    return changed;
}

// Of each box that makes tensors which are saved at cuts without a box for them: their names and the cuts.
std::map<int, QStringList> savesOf(const DagModel& dag, const PlanEditor& editor, const std::vector<Changed>& changed)
{
    std::set<std::pair<int, ValueId>> drawn;
    for (const DagBox& box : dag.boxes)
        if (box.key.kind == BoxKind::Tensor)
            drawn.emplace(dag.bands[static_cast<std::size_t>(box.key.band)].place, box.key.value);
    const Program& program = editor.space()->analysis().program;
    std::vector<int> boxes(program.ops.size(), -1);
    for (std::size_t i = 0; i < dag.boxes.size(); ++i)
        for (const OpId op : dag.boxes[i].ops)
            boxes[static_cast<std::size_t>(op.index)] = static_cast<int>(i);
    std::map<int, QStringList> saves;
    for (const Changed& at : changed)
        for (const ValueId tensor : at.added)
            if (const OpId producer = program[tensor].producer; producer.valid() && !drawn.contains({at.cut, tensor}))
                if (const int box = boxes[static_cast<std::size_t>(producer.index)]; box >= 0)
                    saves[box].append(PlanMarksTexts::tr("%1 saved at cut %2").arg(QString::fromStdString(program[tensor].name)).arg(at.cut + 1));
    return saves;
}

// Of a band's function, or of all that it runs together with.
QString deviceOf(const DagBand& band, const Plan& plan, const DeviceWishes& wishes)
{
    const auto nameIf = [&](bool isThere) { return isThere ? QString::fromStdString(wishes.device) : QString(); };
    if (band.rowsOf.valid())
        return nameIf(std::ranges::any_of(wishes.functions, [&](const auto& function) { return std::get<ValueId>(function) == band.rowsOf; }));
    if (band.place < 0)
        return {};
    int last = band.place;
    while (plan.joined.contains(last))
        ++last;
    return nameIf(wishes.functions.contains({last, {}, false}));
}

}  // namespace

PlanMarks planMarks(const DagModel& dag, const PlanEditor& editor, const Plan& plan)
{
    PlanMarks marks;
    for (const DagBand& band : dag.bands) {
        marks.strips.push_back(band.strip);
        marks.devices.push_back(deviceOf(band, plan, editor.devices()));
    }
    marks.places.resize(dag.boxes.size());
    marks.functions.assign(dag.boxes.size(), -1);
    marks.saves.resize(dag.boxes.size());
    marks.unsaved.resize(dag.boxes.size());
    if (plan == editor.base())
        return marks;
    const Analysis& analysis = editor.space()->analysis();
    std::set<ValueId> inputs;
    for (const Input& input : analysis.program.inputs)
        inputs.insert(input.value);
    const std::vector<Changed> changed = changedCuts(dag, editor, plan);
    const auto changedAt = [&](int cut) {
        const auto found = std::ranges::lower_bound(changed, cut, {}, &Changed::cut);
        return found != changed.end() && found->cut == cut ? &*found : nullptr;
    };
    for (const auto& [box, texts] : savesOf(dag, editor, changed))
        marks.saves[static_cast<std::size_t>(box)] = texts.join(QStringLiteral(" · "));
    for (std::size_t i = 0; i < dag.bands.size(); ++i)
        if (const Changed* at = changedAt(dag.bands[i].place)) {
            std::vector<ValueId> crossing;
            std::ranges::set_difference(at->saved, inputs, std::back_inserter(crossing));
            marks.strips[i] = stripWith(analysis, crossing);
            marks.strips[i].isJoined = plan.joined.contains(at->cut);
        }
    for (std::size_t i = 0; i < plan.positions.size(); ++i)
        if (const Position now = plan.positions[i], drawn = editor.base().positions[i]; now.function() != drawn.function()) {
            ++marks.ops[now.function()];
            --marks.ops[drawn.function()];
        }
    const std::map<OpId, QString> groups = groupNames(editor, plan);
    for (std::size_t i = 0; i < dag.boxes.size(); ++i) {
        const DagBox& box = dag.boxes[i];
        QStringList place = constraintsOf(box, plan.constraints, groups);
        if (const Moved moved = movedOf(box, editor, plan); moved.ops > 0 && moved.ops == box.ops.size() && moved.to.size() == 1) {
            place.prepend(QStringLiteral("→ ") + editor.positionText(*moved.to.begin()));
            marks.functions[i] = moved.to.begin()->function();
        } else if (moved.ops > 0) {
            place.prepend(PlanMarksTexts::tr("%1 of %2 ops moved").arg(moved.ops).arg(box.ops.size()));
        }
        marks.places[i] = place.join(QStringLiteral(" · "));
        if (box.key.kind == BoxKind::Tensor && box.writtenBy >= 0)
            if (const Changed* at = changedAt(dag.bands[static_cast<std::size_t>(box.key.band)].place))
                marks.unsaved[i] = !std::ranges::binary_search(at->saved, box.key.value);
    }
    return marks;
}

}  // namespace cleave::views
