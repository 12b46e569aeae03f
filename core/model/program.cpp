#include "core/model/program.h"

#include <algorithm>
#include <array>

#include "core/base/format.h"

namespace cleave {

namespace {

constexpr std::array roles{std::pair{Role::NodeFeatures, std::string_view{"node-features"}},
                           std::pair{Role::GraphStructure, std::string_view{"graph-structure"}},
                           std::pair{Role::EdgeFeatures, std::string_view{"edge-features"}},
                           std::pair{Role::Other, std::string_view{"other"}}};

}  // namespace

std::string toString(const Dim& dim)
{
    return dim.isConstant() ? std::to_string(dim.value) : dim.symbol;
}

std::string toString(const std::vector<Dim>& sizes)
{
    std::vector<std::string> texts;
    for (const Dim& dim : sizes)
        texts.push_back(toString(dim));
    return "[" + join(texts, ", ") + "]";
}

const Argument* Op::find(std::string_view argument) const
{
    const auto found = std::ranges::find(args, argument, &NamedArgument::name);
    return found == args.end() ? nullptr : &found->value;
}

std::string_view roleName(Role role)
{
    return std::ranges::find(roles, role, &std::pair<Role, std::string_view>::first)->second;
}

bool roleFromName(std::string_view name, Role& role)
{
    const auto found = std::ranges::find(roles, name, &std::pair<Role, std::string_view>::second);
    if (found == roles.end())
        return false;
    role = found->first;
    return true;
}

bool Program::isInput(ValueId id) const
{
    return std::ranges::find(inputs, id, &Input::value) != inputs.end();
}

bool isEdgeIndex(const Value& value)
{
    return value.kind == ValueKind::Tensor && isInteger(value.dtype) && value.sizes.size() == 2 && value.sizes[0] == Dim{2, {}};
}

std::string describe(const Program& program, OpId id)
{
    const Op& op = program[id];
    std::string text = "op '" + printable(op.name) + "' (" + printable(op.target) + ")";
    if (op.module.valid() && !program[op.module].path.empty())
        text += " in module '" + printable(program[op.module].path) + "'";
    if (!op.source.file.empty()) {
        const std::string file = op.source.file.substr(op.source.file.rfind('/') + 1);
        text += ", " + printable(file) + ":" + std::to_string(op.source.line);
    }
    return text;
}

}  // namespace cleave
