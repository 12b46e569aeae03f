#include "views/plan_menu.h"

#include <QCoreApplication>
#include <QMenu>
#include <algorithm>

#include "views/core_text.h"
#include "views/text.h"

namespace cleave::views {

namespace {

struct PlanMenuTexts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::PlanMenu)
};

void addMoves(QMenu& menu, PlanEditor& editor, const std::vector<OpId>& ops)
{
    const auto& placed = editor.space()->ops()[static_cast<std::size_t>(editor.space()->indexOf(ops.front()))];
    for (Position to = placed.least; to <= placed.most; ++to.at) {
        if (!editor.space()->isOpenTo(placed, to))
            continue;
        const Move move = editor.space()->moveOps(editor.plan(), ops, to);
        QAction* action = menu.addAction(PlanMenuTexts::tr("Move %1").arg(editor.positionText(to)));
        action->setCheckable(true);
        action->setChecked(move.plan && *move.plan == editor.plan());
        action->setEnabled(move.plan.has_value() && !action->isChecked());
        action->setToolTip(fromCore(move.reason));
        QObject::connect(action, &QAction::triggered, &editor, [&editor, ops, to] { editor.moveOps(ops, to); });
    }
}

void addSaves(QMenu& menu, PlanEditor& editor, ValueId tensor)
{
    const PlanSpace& space = *editor.space();
    for (int cut = 0; cut + 1 < space.functions(); ++cut) {
        const std::vector<ValueId> now = space.savePoints(editor.plan(), cut);
        const bool saved = std::ranges::find(now, tensor) != now.end();
        const Move move = space.setSavePoint(editor.plan(), tensor, cut, !saved);
        if (!saved && !move.plan)
            continue;
        const int number = cut + 1;
        QAction* action =
            menu.addAction(saved ? PlanMenuTexts::tr("Do not save at cut %1").arg(number) : PlanMenuTexts::tr("Save at cut %1").arg(number));
        action->setEnabled(move.plan.has_value());
        action->setToolTip(fromCore(move.reason));
        QObject::connect(action, &QAction::triggered, &editor, [&editor, tensor, cut, saved] { editor.setSaved(tensor, cut, !saved); });
    }
}

QAction* addWish(QMenu& menu, const QString& text, const Move& move)
{
    QAction* action = menu.addAction(text);
    action->setEnabled(move.plan.has_value());
    action->setToolTip(fromCore(move.reason));
    return action;
}

// Of one op: what every planner keeps.
void addConstraints(QMenu& menu, PlanEditor& editor, OpId op, OpId other)
{
    const PlanSpace& space = *editor.space();
    const Plan& plan = editor.plan();
    const auto nameOf = [&](OpId of) { return toText(space.analysis().program[of].name); };
    menu.addSeparator();
    if (plan.constraints.pinned(op)) {
        QObject::connect(menu.addAction(PlanMenuTexts::tr("Unpin")), &QAction::triggered, &editor, [&editor, op] { editor.unpin(op); });
    } else {
        const int function = plan.positions[static_cast<std::size_t>(space.indexOf(op))].function();
        QAction* pin = addWish(menu, PlanMenuTexts::tr("Pin to function %1").arg(function), space.pin(plan, op, function));
        QObject::connect(pin, &QAction::triggered, &editor, [&editor, op] { editor.pin(op); });
    }
    if (other.valid() && other != op && plan.constraints.group(op) != plan.constraints.group(other)) {
        QAction* keep = addWish(menu, PlanMenuTexts::tr("Keep together with %1").arg(nameOf(other)), space.keepTogether(plan, op, other));
        QObject::connect(keep, &QAction::triggered, &editor, [&editor, op, other] { editor.keepTogether(op, other); });
    }
    Plan free = plan;
    free.constraints.leave(op);
    if (free != plan)
        QObject::connect(menu.addAction(PlanMenuTexts::tr("Let it go its own way")), &QAction::triggered, &editor,
                         [&editor, op] { editor.letGo(op); });
    menu.addSeparator();
}

// Of a box of one op, or a tensor; invalid for others.
OpId placedOp(const PlanEditor& editor, const DagBox& box)
{
    const PlanSpace& space = *editor.space();
    const OpId op = box.key.kind == BoxKind::Tensor ? space.analysis().program[box.key.value].producer
                    : box.ops.size() == 1           ? box.ops.front()
                                                    : OpId{};
    return op.valid() && space.indexOf(op) >= 0 ? op : OpId{};
}

}  // namespace

std::vector<OpId> movableOps(const PlanEditor& editor, const DagBox& box)
{
    const PlanSpace* space = editor.space();
    if (space == nullptr || box.key.kind == BoxKind::Repeat)
        return {};
    const std::vector<OpId> ops = box.key.kind == BoxKind::Tensor ? std::vector{space->analysis().program[box.key.value].producer} : box.ops;
    const auto isMovable = [&](OpId op) {
        const int i = op.valid() ? space->indexOf(op) : -1;
        return i >= 0 && space->ops()[static_cast<std::size_t>(i)].movable;
    };
    return std::ranges::all_of(ops, isMovable) ? ops : std::vector<OpId>{};
}

QString whyUnmovable(const PlanEditor& editor, const DagBox& box)
{
    const PlanSpace* space = editor.space();
    if (space == nullptr || (box.key.kind != BoxKind::Op && box.key.kind != BoxKind::Module) || box.key.band == 0)
        return {};
    for (const OpId op : box.ops) {
        const int i = space->indexOf(op);
        if (i >= 0 && space->ops()[static_cast<std::size_t>(i)].movable)
            continue;
        for (Position to{0}; to.at <= 2 * space->functions() - 2; ++to.at)
            if (const Move move = space->moveOp(editor.plan(), op, to); !move.plan)
                return QStringLiteral("✗ ") + fromCore(move.reason);
    }
    return {};
}

void addCutActions(QMenu& menu, PlanEditor& editor, int cut)
{
    menu.setToolTipsVisible(true);
    const bool joined = editor.plan().joined.contains(cut);
    const QString text =
        joined ? PlanMenuTexts::tr("Run functions %1 and %2 one after the other") : PlanMenuTexts::tr("Run functions %1 and %2 together");
    QAction* action = menu.addAction(text.arg(cut).arg(cut + 1));
    const std::string why = joined ? std::string() : editor.space()->whyNotJoined(cut);
    action->setEnabled(why.empty());
    action->setToolTip(why.empty() && !joined ? PlanMenuTexts::tr("Over blocks of one hop more, with nothing saved between them") : fromCore(why));
    QObject::connect(action, &QAction::triggered, &editor, [&editor, cut, joined] { editor.setJoined(cut, !joined); });
}

void addPlanActions(QMenu& menu, PlanEditor& editor, const DagBox& box, const DagBox* other)
{
    menu.setToolTipsVisible(true);
    if (const std::vector<OpId> ops = movableOps(editor, box); !ops.empty())
        addMoves(menu, editor, ops);
    if (const OpId op = placedOp(editor, box); op.valid())
        addConstraints(menu, editor, op, other != nullptr ? placedOp(editor, *other) : OpId{});
    if (box.key.kind == BoxKind::Tensor)
        addSaves(menu, editor, box.key.value);
    else if (box.ops.size() == 1)
        for (const ValueId tensor : editor.space()->analysis().program[box.ops.front()].outputs)
            addSaves(menu, editor, tensor);
    if (menu.isEmpty())
        menu.addAction(PlanMenuTexts::tr("Stays in its function, whatever the plan"))->setEnabled(false);
}

void addTensorActions(QMenu& menu, PlanEditor& editor, ValueId tensor)
{
    DagBox box;
    box.key.kind = BoxKind::Tensor;
    box.key.value = tensor;
    addPlanActions(menu, editor, box);
}

}  // namespace cleave::views
