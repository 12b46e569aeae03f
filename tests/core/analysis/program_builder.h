#pragma once

#include <string>
#include <vector>

#include "core/model/program.h"

namespace cleave::test {

/// Builds small programs by hand: b.op("relu", {{"self", h}}, {n, f}) with sizes as numbers or symbols.
class ProgramBuilder {
public:
    using Sizes = std::vector<Dim>;

    ProgramBuilder() { program.modules.push_back({}); }

    ValueId tensor(const std::string& name, Sizes sizes, DType dtype = DType::Float32)
    {
        Value value;
        value.name = name;
        value.sizes = std::move(sizes);
        value.dtype = dtype;
        program.values.push_back(std::move(value));
        return {static_cast<int>(program.values.size()) - 1};
    }

    ValueId input(const std::string& name, Sizes sizes, DType dtype = DType::Float32)
    {
        const ValueId id = tensor(name, std::move(sizes), dtype);
        program.inputs.push_back({id, Role::Other});
        return id;
    }

    ValueId weight(const std::string& name, const std::vector<std::int64_t>& sizes)
    {
        Sizes dims;
        Weight weight{name, DType::Float32, sizes, {}, 0, nullptr};
        for (const std::int64_t size : sizes)
            dims.push_back({size, {}});
        const ValueId id = tensor(name, dims);
        program[id].weight = {static_cast<int>(program.weights.size())};
        program.weights.push_back(std::move(weight));
        return id;
    }

    /// target "relu" or "add.Tensor"; one output of these sizes.
    ValueId op(const std::string& target, std::vector<NamedArgument> args, Sizes sizes, DType dtype = DType::Float32)
    {
        const std::size_t dot = target.find('.');
        const ValueId out = tensor(target.substr(0, dot) + "_" + std::to_string(program.ops.size()), std::move(sizes), dtype);
        const OpId id{static_cast<int>(program.ops.size())};
        program.ops.push_back({program[out].name, "aten::" + target.substr(0, dot), dot == std::string::npos ? "" : target.substr(dot + 1),
                               std::move(args), {out}, ModuleId{0}, {"model.py", static_cast<int>(program.ops.size()) + 1, ""}});
        program[out].producer = id;
        return out;
    }

    Program program;
};

inline Dim sym(const std::string& name) { return {0, name}; }
inline Dim num(std::int64_t value) { return {value, {}}; }
inline Argument ints(std::initializer_list<std::int64_t> values)
{
    std::vector<Argument> items;
    for (const std::int64_t value : values)
        items.push_back({value});
    return {items};
}

}  // namespace cleave::test
