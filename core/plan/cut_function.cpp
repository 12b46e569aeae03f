#include <algorithm>

#include "core/plan/cut.h"

/// What a function says of itself.
namespace cleave {

namespace {

void addSegment(std::vector<ValueId>& all, const Frame& frame)
{
    if (frame.kind == FrameKind::Edges && std::ranges::find(all, frame.index) == all.end())
        all.push_back(frame.index);
}

}  // namespace

const StepOperand* operandOf(const Program& program, const Step& step, std::string_view name)
{
    std::size_t position = 0;
    const StepOperand* found = nullptr;
    for (const NamedArgument& argument : program[step.op].args)
        forEachValue(argument.value, [&](ValueId) {
            if (argument.name == name && !found)
                found = &step.operands[position];
            ++position;
        });
    return found;
}

bool isOverNodes(const CutFunction& function, const Step& step)
{
    return step.frame == 0 || function.frames[static_cast<std::size_t>(step.frame)].kind == FrameKind::Block;
}

bool CutFunction::numbers(int type) const
{
    return type == nodeType || std::ranges::any_of(frames, [&](const Frame& frame) {
               return (frame.kind == FrameKind::Block || frame.kind == FrameKind::Targets) && frame.nodeType == type;
           });
}

int CutFunction::targetsOf(int type) const
{
    const auto targets = std::ranges::find_if(frames, [&](const Frame& frame) { return frame.kind == FrameKind::Targets && frame.nodeType == type; });
    return targets == frames.end() ? -1 : static_cast<int>(targets - frames.begin());
}

bool isIntoTargets(const CutFunction& function, int frame)
{
    const Frame& f = function.frames[static_cast<std::size_t>(frame)];
    return f.kind == FrameKind::Edges && f.parent == 0;
}

StepOperand savedRows(CutFunction& function, const Step& step, std::size_t output, ValueId value)
{
    if (step.frame == 0)
        return {OperandKind::Step, value, step.rowDims.at(output), 0};
    const int type = function.frames[static_cast<std::size_t>(step.frame)].nodeType;
    int targets = function.targetsOf(type);
    if (targets < 0) {
        targets = static_cast<int>(function.frames.size());
        function.frames.push_back({FrameKind::Targets, {}, -1, 0, type, {}, {}, {}});
    }
    return {OperandKind::Leading, value, step.rowDims.at(output), targets, IndexInto::Nodes, step.frame};
}

std::string functionName(int first, int last, bool isGlobal, ValueId rowsOf)
{
    if (rowsOf.valid())
        return "rows of an output";
    if (isGlobal)
        return "global ops before function " + std::to_string(last);
    return first < last ? "functions " + std::to_string(first) + " to " + std::to_string(last) : "function " + std::to_string(last);
}

std::string functionName(const CutFunction& function)
{
    return functionName(function.firstLevel, function.level, function.isGlobal, function.rowsOf);
}

std::vector<ValueId> CutFunction::segments() const
{
    std::vector<ValueId> all;
    for (const Frame& frame : frames)
        addSegment(all, frame);
    return all;
}

std::vector<ValueId> CutFunction::segmentsInto(int type) const
{
    std::vector<ValueId> all;
    for (const Frame& frame : frames)
        if (frame.parent >= 0 && frames[static_cast<std::size_t>(frame.parent)].nodeType == type)
            addSegment(all, frame);
    return all;
}

}  // namespace cleave
