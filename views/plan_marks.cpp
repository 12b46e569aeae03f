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

QString placeOf(const DagBox& box, const PlanEditor& editor)
{
    if (box.key.kind == BoxKind::Tensor)
        return {};
    std::optional<Position> to;
    std::size_t moved = 0;
    for (const OpId op : box.ops)
        if (const int i = editor.space()->indexOf(op); i >= 0) {
            const Position now = editor.shown().positions[static_cast<std::size_t>(i)];
            if (now == editor.base().positions[static_cast<std::size_t>(i)])
                continue;
            to = now;
            ++moved;
        }
    if (!to)
        return {};
    return moved == box.ops.size() ? QStringLiteral("→ ") + editor.positionText(*to) : Texts::tr("%1 of %2 ops moved").arg(moved).arg(box.ops.size());
}

}  // namespace

std::vector<int> cutsOf(const DagModel& dag, const PlanEditor& editor)
{
    std::vector<int> cuts;
    for (const DagBand& band : dag.bands)
        if (band.place >= 0 && band.place + 1 < editor.space()->functions())
            cuts.push_back(band.place);
    return cuts;
}

PlanMarks planMarks(const DagModel& dag, const PlanEditor& editor)
{
    PlanMarks marks;
    for (const DagBand& band : dag.bands)
        marks.strips.push_back(band.strip);
    marks.places.resize(dag.boxes.size());
    marks.unsaved.resize(dag.boxes.size());
    if (editor.shown() == editor.base())
        return marks;
    const Analysis& analysis = editor.space()->analysis();
    std::set<ValueId> inputs;
    for (const Input& input : analysis.program.inputs)
        inputs.insert(input.value);
    std::map<int, std::set<ValueId>> saved;
    for (const int cut : cutsOf(dag, editor)) {
        const std::vector<ValueId> all = editor.space()->savePoints(editor.shown(), cut);
        saved[cut] = {all.begin(), all.end()};
    }
    for (std::size_t i = 0; i < dag.bands.size(); ++i)
        if (const auto known = saved.find(dag.bands[i].place); known != saved.end()) {
            std::vector<ValueId> crossing;
            std::ranges::set_difference(known->second, inputs, std::back_inserter(crossing));
            marks.strips[i] = stripWith(analysis, crossing);
        }
    for (std::size_t i = 0; i < dag.boxes.size(); ++i) {
        const DagBox& box = dag.boxes[i];
        marks.places[i] = placeOf(box, editor);
        const auto known = saved.find(dag.bands[static_cast<std::size_t>(box.key.band)].place);
        marks.unsaved[i] = box.key.kind == BoxKind::Tensor && box.writtenBy >= 0 && known != saved.end() && !known->second.contains(box.key.value);
    }
    return marks;
}

}  // namespace cleave::views
