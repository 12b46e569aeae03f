#include "core/run/equal_masks.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

#include "core/base/pages.h"
#include "core/base/parallel.h"

namespace cleave {

namespace {

constexpr std::size_t fewest = 3;

bool readsWhereItHolds(const Op& op, ValueId mask)
{
    return op.target == "aten::nonzero" || indexedDim(op, mask) >= 0;
}

bool comparesWithNumber(const Program& program, const Op& op)
{
    const Argument *self = op.find("self"), *other = op.find("other");
    if (op.target != "aten::eq" || op.overload != "Scalar" || !self || !self->asValue() || !other || !other->asInt())
        return false;
    const Value& numbers = program[*self->asValue()];
    return numbers.kind == ValueKind::Tensor && isInteger(numbers.dtype) && numbers.sizes.size() == 1;
}

// Which of these ascending numbers each entry is; their count: none.
PageVector<std::int64_t> placesAmong(const std::vector<std::int64_t>& numbers, const at::Tensor& entries)
{
    constexpr std::int64_t widest = 1 << 16, piece = 1 << 15;
    const auto none = static_cast<std::int64_t>(numbers.size());
    const std::int64_t least = numbers.front(), most = numbers.back();
    const auto search = [&](std::int64_t number) {
        const auto found = std::ranges::lower_bound(numbers, number);
        return found != numbers.end() && *found == number ? found - numbers.begin() : none;
    };
    std::vector<std::int64_t> table;
    const std::uint64_t range = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
    if (range < static_cast<std::uint64_t>(widest))
        for (std::int64_t further = 0; further <= static_cast<std::int64_t>(range); ++further)
            table.push_back(search(least + further));
    PageVector<std::int64_t> places(static_cast<std::size_t>(entries.numel()));
    const auto* entry = entries.data_ptr<std::int64_t>();
    parallelFor((entries.numel() + piece - 1) / piece, at::get_num_threads(), [&](std::int64_t part, int) {
        for (std::int64_t i = part * piece; i < std::min(entries.numel(), (part + 1) * piece); ++i) {
            const bool inRange = entry[i] >= least && entry[i] <= most;
            places[static_cast<std::size_t>(i)] = !inRange        ? none
                                                  : table.empty() ? search(entry[i])
                                                                  : table[static_cast<std::size_t>(entry[i] - least)];
        }
    });
    return places;
}

}  // namespace

int indexedDim(const Op& op, ValueId places)
{
    const Argument *self = op.find("self"), *given = op.find("indices");
    const auto* indices = op.target == "aten::index" && given ? given->asList() : nullptr;
    if (!indices || !self || !self->asValue() || *self->asValue() == places)
        return -1;
    int dim = -1;
    for (std::size_t i = 0; i < indices->size(); ++i)
        if (!(*indices)[i].isNone()) {
            const ValueId* index = (*indices)[i].asValue();
            if (dim >= 0 || !index || *index != places)
                return -1;
            dim = static_cast<int>(i);
        }
    return dim;
}

EqualMasks::EqualMasks(const Program& program, std::span<const std::size_t> ops, const std::vector<ValueId>& wanted) : m_program(program)
{
    std::map<ValueId, OpId> makers;
    for (const std::size_t i : ops)
        if (const OpId id{static_cast<int>(i)};
            comparesWithNumber(program, program[id]) && std::ranges::count(wanted, program[id].outputs.front()) == 0)
            makers[program[id].outputs.front()] = id;
    for (const std::size_t i : ops)
        forEachOperand(program.ops[i], [&](ValueId id) {
            if (const auto maker = makers.find(id); maker != makers.end() && !readsWhereItHolds(program.ops[i], id))
                makers.erase(maker);
        });
    std::map<ValueId, std::size_t> masks;
    for (const auto& [mask, maker] : makers)
        ++masks[*program[maker].find("self")->asValue()];
    for (const auto& [mask, maker] : makers) {
        const ValueId numbers = *program[maker].find("self")->asValue();
        if (masks[numbers] < fewest)
            continue;
        m_makes[maker] = {numbers, *program[maker].find("other")->asInt()};
        m_numbers[numbers].wanted.push_back(m_makes[maker].number);
    }
    for (auto& [id, numbers] : m_numbers) {
        std::ranges::sort(numbers.wanted);
        numbers.wanted.erase(std::ranges::unique(numbers.wanted).begin(), numbers.wanted.end());
    }
    for (const std::size_t i : ops)
        forEachOperand(program.ops[i], [&](ValueId id) {
            const auto maker = makers.find(id);
            if (maker == makers.end() || !m_makes.contains(maker->second))
                return;
            m_reads[OpId{static_cast<int>(i)}] = m_makes[maker->second];
            ++m_numbers[m_makes[maker->second].numbers].readers;
        });
}

void EqualMasks::sort(Numbers& numbers) const
{
    const at::Tensor entries = numbers.tensor.toTensor().to(at::kLong).contiguous();
    numbers.places =
        groupBySegment(placesAmong(numbers.wanted, entries), static_cast<std::int64_t>(numbers.wanted.size()) + 1, at::get_num_threads());
    numbers.tensor = {};
}

std::vector<c10::IValue> EqualMasks::run(OpId id, const OperandValues& operands)
{
    if (const auto made = m_makes.find(id); made != m_makes.end()) {
        Numbers& numbers = m_numbers.at(made->second.numbers);
        c10::IValue tensor = operands(0, made->second.numbers);
        if (!numbers.places)
            numbers.tensor = std::move(tensor);
        return {};
    }
    const Mask& mask = m_reads.at(id);
    Numbers& numbers = m_numbers.at(mask.numbers);
    if (!numbers.places)
        sort(numbers);
    const auto slot = std::ranges::lower_bound(numbers.wanted, mask.number) - numbers.wanted.begin();
    const std::span<const std::int64_t> held = numbers.places->of(slot, slot + 1);
    const at::Tensor places = at::from_blob(const_cast<std::int64_t*>(held.data()), {static_cast<std::int64_t>(held.size())}, at::kLong);
    const Op& op = m_program[id];
    at::Tensor result;
    if (op.target == "aten::nonzero") {
        result = places.view({-1, 1}).clone();
    } else {
        const at::Tensor self = operands(0, *op.find("self")->asValue()).toTensor();
        const auto* indices = op.find("indices")->asList();
        c10::List<c10::optional<at::Tensor>> all;
        for (const Argument& index : *indices)
            all.push_back(index.isNone() ? c10::optional<at::Tensor>() : places);
        const auto dim =
            static_cast<std::int64_t>(std::ranges::find_if(*indices, [](const Argument& index) { return !index.isNone(); }) - indices->begin());
        const auto entries = static_cast<std::int64_t>(numbers.places->edges.size());
        TORCH_CHECK(self.size(dim) == entries, "a mask of ", entries, " entries does not fit ", self.size(dim), " rows");
        result = self.index(all);
    }
    if (--numbers.readers == 0)
        numbers.places.reset();
    return {result};
}

}  // namespace cleave
