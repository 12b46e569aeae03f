#include "views/plan_marks.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace cleave::views {

namespace {

struct Texts {
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
            add(Texts::tr("pinned"));
        if (const auto group = groups.find(constraints.group(op)); group != groups.end())
            add(Texts::tr("together %1").arg(group->second));
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

// Of each box that makes tensors which are saved at cuts without a box for them: their names and the cuts.
std::map<int, QStringList> savesOf(const DagModel& dag, const PlanEditor& editor, const std::map<int, std::set<ValueId>>& saved)
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
    for (const auto& [cut, tensors] : saved)
        for (const ValueId tensor : tensors)
            if (const OpId producer = program[tensor].producer; producer.valid() && !drawn.contains({cut, tensor}))
                if (const int box = boxes[static_cast<std::size_t>(producer.index)]; box >= 0)
                    saves[box].append(Texts::tr("%1 saved at cut %2").arg(QString::fromStdString(program[tensor].name)).arg(cut + 1));
    return saves;
}

}  // namespace

std::vector<int> cutsOf(const DagModel& dag, const PlanEditor& editor)
{
    std::vector<int> cuts;
    for (const DagBand& band : dag.bands)
        if (!band.isHidden && band.place >= 0 && band.place + 1 < editor.space()->functions())
            cuts.push_back(band.place);
    return cuts;
}

PlanMarks planMarks(const DagModel& dag, const PlanEditor& editor, const Plan& plan)
{
    PlanMarks marks;
    for (const DagBand& band : dag.bands)
        marks.strips.push_back(band.strip);
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
    std::map<int, std::set<ValueId>> saved;
    const std::vector<std::vector<ValueId>> all = editor.space()->allSavePoints(plan);
    for (const int cut : cutsOf(dag, editor))
        saved[cut] = {all[static_cast<std::size_t>(cut)].begin(), all[static_cast<std::size_t>(cut)].end()};
    for (const auto& [box, texts] : savesOf(dag, editor, saved))
        marks.saves[static_cast<std::size_t>(box)] = texts.join(QStringLiteral(" · "));
    for (std::size_t i = 0; i < dag.bands.size(); ++i)
        if (const auto known = saved.find(dag.bands[i].place); known != saved.end()) {
            std::vector<ValueId> crossing;
            std::ranges::set_difference(known->second, inputs, std::back_inserter(crossing));
            marks.strips[i] = stripWith(analysis, crossing);
            marks.strips[i].isJoined = plan.joined.contains(dag.bands[i].place);
        }
    const std::map<OpId, QString> groups = groupNames(editor, plan);
    for (std::size_t i = 0; i < dag.boxes.size(); ++i) {
        const DagBox& box = dag.boxes[i];
        QStringList place = constraintsOf(box, plan.constraints, groups);
        if (const Moved moved = movedOf(box, editor, plan); moved.ops > 0 && moved.ops == box.ops.size() && moved.to.size() == 1) {
            place.prepend(QStringLiteral("→ ") + editor.positionText(*moved.to.begin()));
            marks.functions[i] = moved.to.begin()->function();
        } else if (moved.ops > 0) {
            place.prepend(Texts::tr("%1 of %2 ops moved").arg(moved.ops).arg(box.ops.size()));
        }
        marks.places[i] = place.join(QStringLiteral(" · "));
        const auto known = saved.find(dag.bands[static_cast<std::size_t>(box.key.band)].place);
        marks.unsaved[i] = box.key.kind == BoxKind::Tensor && box.writtenBy >= 0 && known != saved.end() && !known->second.contains(box.key.value);
    }
    return marks;
}

}  // namespace cleave::views
