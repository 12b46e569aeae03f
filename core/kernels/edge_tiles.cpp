#include "core/kernels/edge_tiles.h"

#include <algorithm>

namespace cleave {

namespace {

constexpr std::int64_t tileBytes = 1 << 14;  // of the widest value of a tile

bool isOperand(const EdgeProgram& program, int value)
{
    return value < static_cast<int>(program.operands.size());
}

}  // namespace

bool isExpanded(const EdgeProgram& program, const EdgeInstruction& instruction, const EdgeTerm& term)
{
    return instruction.code != EdgeCode::SumInner && program.width(term.value) != instruction.width;
}

bool isReducedInPlace(const EdgeProgram& program, int value)
{
    if (!isOperand(program, value))
        return false;
    const EdgeRow row = program.operands[static_cast<std::size_t>(value)].row;
    return row == EdgeRow::Source || row == EdgeRow::Edge;
}

EdgeTiles::EdgeTiles(const EdgeProgram& program, const std::vector<EdgeArray>& arrays, std::int64_t itemBytes, bool readsInPlace)
{
    const std::size_t inputs = program.operands.size(), count = inputs + program.code.size();
    const bool isFloat = itemBytes == sizeof(float);
    const auto isNative = [&](int value) {
        return arrays[static_cast<std::size_t>(value)].type == (isFloat ? DType::Float32 : DType::Float64);
    };
    // Edge rows of T that lie after each other are read where they are.
    const auto isDirect = [&](int value) {
        if (!isOperand(program, value) || !isNative(value) || !readsInPlace)
            return false;
        const EdgeOperand& operand = program.operands[static_cast<std::size_t>(value)];
        return operand.row == EdgeRow::Edge && arrays[static_cast<std::size_t>(value)].stride == operand.width;
    };
    std::vector<bool> needed(count);
    const auto need = [&](int value) {
        if (value >= 0 && !isDirect(value))
            needed[static_cast<std::size_t>(value)] = true;
    };
    const auto needOperands = [&](const EdgeChain& chain, std::int64_t width) {
        for (const int value : chain.operands)
            if (!isOperand(program, value) || (!isNative(value) && program.width(value) != width))
                need(value);
    };

    for (const EdgeResult& result : program.results) {
        std::optional<EdgeChain>& chain = chains.emplace_back();
        if (result.reduced &&
            std::ranges::none_of(program.results, [&](const EdgeResult& other) { return !other.reduced && other.value == result.value; }))
            chain = chainOf(program, result.value, result.weights, isFloat);
        if (chain) {
            needOperands(*chain, program.width(result.value));
            continue;
        }
        if (!result.reduced || !isReducedInPlace(program, result.value))
            need(result.value);
        need(result.weights);
    }
    innerChains.resize(program.code.size());
    std::int64_t expanded = 0;
    for (std::size_t i = program.code.size(); i-- > 0;) {
        if (!needed[inputs + i])
            continue;
        const EdgeInstruction& instruction = program.code[i];
        if (instruction.code == EdgeCode::SumInner)
            innerChains[i] = chainOf(program, instruction.x.value, -1, isFloat);
        if (innerChains[i]) {
            needOperands(*innerChains[i], program.width(instruction.x.value));
            continue;
        }
        for (const EdgeTerm& term : {instruction.x, instruction.y}) {
            need(term.value);
            if (term.value >= 0 && isExpanded(program, instruction, term))
                expanded = std::max(expanded, instruction.width);
        }
    }

    std::int64_t widest = 1, total = 2 * expanded;
    for (std::size_t v = 0; v < count; ++v)
        if (needed[v]) {
            widest = std::max(widest, program.width(static_cast<int>(v)));
            total += program.width(static_cast<int>(v));
        }
    // Where several results read the same rows, these are in the caches still.
    areUsed = total > 0 || program.results.size() > 1;
    edges = std::clamp<std::int64_t>(tileBytes / itemBytes / widest, 16, 512);
    expansion = expanded * edges;
    offset.assign(count, -1);
    size = 2 * expansion;
    for (std::size_t v = 0; v < count; ++v)
        if (needed[v]) {
            offset[v] = size;
            size += program.width(static_cast<int>(v)) * edges;
        }
}

}  // namespace cleave
