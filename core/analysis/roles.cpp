#include <algorithm>
#include <set>

#include "core/analysis/analysis.h"
#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

namespace {

bool isEdgeIndex(const Value& value)
{
    return value.kind == ValueKind::Tensor && isInteger(value.dtype) && value.sizes.size() == 2 && value.sizes[0] == Dim{2, {}};
}

bool mentions(const std::string& name, std::string_view word)
{
    return name.find(word) != std::string::npos;
}

bool hasRows(const Value& value)
{
    return value.kind == ValueKind::Tensor && !value.sizes.empty() && !value.sizes[0].isConstant();
}

}  // namespace

void assignRoles(Program& program, const std::map<std::string, Role>& chosen)
{
    std::set<std::string> edgeSymbols;
    for (const Input& input : program.inputs)
        if (isEdgeIndex(program[input.value]) && !program[input.value].sizes[1].isConstant())
            edgeSymbols.insert(program[input.value].sizes[1].symbol);

    bool anyFloatFeatures = false;
    for (Input& input : program.inputs) {
        const Value& value = program[input.value];
        input.role = Role::Other;
        if (isEdgeIndex(value))
            input.role = Role::GraphStructure;
        else if (hasRows(value) && (edgeSymbols.contains(value.sizes[0].symbol) || mentions(value.name, "edge")))
            input.role = Role::EdgeFeatures;
        else if (hasRows(value) && isFloating(value.dtype))
            input.role = Role::NodeFeatures;
        anyFloatFeatures = anyFloatFeatures || input.role == Role::NodeFeatures;
    }
    // Integers for each node are features (types to embed) only where nothing else is; batch vectors never are.
    if (!anyFloatFeatures)
        for (Input& input : program.inputs) {
            const Value& value = program[input.value];
            const bool names = mentions(value.name, "batch") || mentions(value.name, "ptr");
            if (input.role == Role::Other && hasRows(value) && isInteger(value.dtype) && !names)
                input.role = Role::NodeFeatures;
        }

    for (const auto& [name, role] : chosen) {
        const auto input = std::ranges::find_if(program.inputs, [&](const Input& i) { return program[i.value].name == name; });
        if (input == program.inputs.end()) {
            std::vector<std::string> names;
            for (const Input& i : program.inputs)
                names.push_back(program[i.value].name);
            throw Error("The model has no input '" + printable(name) + "'; its inputs are " + join(names, ", ") + ".");
        }
        input->role = role;
    }
}

}  // namespace cleave
