#include "core/run/read_by_sources.h"

#include <torch/csrc/jit/ir/constants.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/run/edge_op.h"

namespace cleave {

namespace jit = torch::jit;

std::vector<ReadBySources> findReadBySources(const jit::Graph& graph)
{
    const auto inputs = graph.inputs();
    const auto indexOf = [&](const jit::Value* value) { return static_cast<std::size_t>(std::ranges::find(inputs, value) - inputs.begin()); };
    std::vector<ReadBySources> found;
    std::map<std::size_t, std::size_t> readings;  // of either, by programs
    const auto join = [&](ReadBySources read) {
        const auto meets = [&](const ReadBySources& other) {
            return std::ranges::any_of(other.sources, [&](std::size_t input) { return read.sources.contains(input); }) ||
                   std::ranges::any_of(other.rows, [&](std::size_t input) { return read.rows.contains(input); });
        };
        for (auto other = std::ranges::find_if(found, meets); other != found.end(); other = std::ranges::find_if(found, meets)) {
            read.sources.merge(other->sources);
            read.rows.merge(other->rows);
            found.erase(other);
        }
        found.push_back(std::move(read));
    };
    for (const jit::Node* node : graph.nodes()) {
        if (node->kind() != c10::Symbol::fromQualString("cleave::edges"))
            continue;
        const auto& op = *reinterpret_cast<const EdgeOp*>(jit::toIValue(node->input(0))->toInt());
        const auto operands = node->input(2)->node()->inputs(), sources = node->input(3)->node()->inputs();
        std::size_t source = 0;
        for (std::size_t i = 0; i < op.program.operands.size(); ++i)
            if (op.program.operands[i].row == EdgeRow::Source) {
                const std::size_t rows = indexOf(operands[i]), index = indexOf(sources[source++]);
                ++readings[rows];
                ++readings[index];
                join({{index}, {rows}});
            }
    }
    // What is no input, and what others read as well, stays as it is.
    const auto isApart = [&](std::size_t input) { return input < inputs.size() && readings.at(input) == inputs[input]->uses().size(); };
    std::erase_if(found,
                  [&](const ReadBySources& read) { return !std::ranges::all_of(read.sources, isApart) || !std::ranges::all_of(read.rows, isApart); });
    return found;
}

}  // namespace cleave
