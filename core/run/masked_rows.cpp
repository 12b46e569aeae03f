#include "core/run/masked_rows.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/analysis/op_view.h"
#include "core/base/memory_bound.h"
#include "core/base/parallel.h"

namespace cleave {

namespace {

constexpr std::int64_t placesAtOnce = 1 << 16;  // that a thread takes at once

using Readers = std::map<ValueId, std::vector<OpId>>;

// Rows of as many as the mask has entries: of others, places may well be read.
bool readsWhole(const Program& program, const Op& op, ValueId places, const Op& maker)
{
    const int dim = indexedDim(op, places);
    const Value *rows = OpView(program, op).tensor("self"), *mask = OpView(program, maker).tensor("self");
    return dim >= 0 && rows && mask && dim < static_cast<int>(rows->sizes.size()) &&
           rows->sizes[static_cast<std::size_t>(dim)] == mask->sizes.front();
}

bool readsSize(const Op& op) { return op.target == "aten::sym_size" && op.outputs.size() == 1; }

// The column of places in what nonzero gives for a mask of one dimension.
bool readsPlaces(const Program& program, const Op& op)
{
    const OpView view(program, op);
    return op.target == "aten::select" && view.dim("dim", 2) == 1 && view.integer("index") == 0;
}

bool isMask(const Program& program, const Op& op)
{
    const Value* mask = OpView(program, op).tensor("self");
    return op.target == "aten::nonzero" && mask && mask->dtype == DType::Bool && mask->sizes.size() == 1;
}

// Puts tensors of one type beside each other in this dimension.
bool joins(const Program& program, const Op& op, int dim)
{
    const OpView view(program, op);
    if (op.target != "aten::cat" || view.dim("dim", view.outputRank()) != dim)
        return false;
    return std::ranges::all_of(view.values("tensors"), [&](ValueId id) {
        return id.valid() && program[id].kind == ValueKind::Tensor && program[id].dtype == view.output().dtype &&
               program[id].sizes.size() == view.output().sizes.size();
    });
}

}  // namespace

// How often it holds before each piece, and in all.
struct MaskedRows::Mask {
    at::Tensor holds;  // bool [N]
    std::vector<std::int64_t> before;

    explicit Mask(const at::Tensor& mask) : holds(mask.contiguous())
    {
        const std::int64_t pieces = (holds.numel() + placesAtOnce - 1) / placesAtOnce;
        before.resize(static_cast<std::size_t>(pieces) + 1);
        const auto* held = holds.data_ptr<bool>();
        parallelFor(pieces, at::get_num_threads(), [&](std::int64_t piece, int) {
            std::int64_t count = 0;
            for (std::int64_t i = piece * placesAtOnce; i < std::min(holds.numel(), (piece + 1) * placesAtOnce); ++i)
                count += held[i] ? 1 : 0;
            before[static_cast<std::size_t>(piece) + 1] = count;
        });
        std::partial_sum(before.begin(), before.end(), before.begin());
    }

    std::int64_t count() const { return before.back(); }
};

MaskedRows::MaskedRows(const Program& program, std::span<const std::size_t> ops, const std::vector<ValueId>& wanted, const EqualMasks& others)
    : m_program(program)
{
    Readers readers;
    for (const std::size_t i : ops)
        forEachOperand(program.ops[i], [&](ValueId id) { readers[id].push_back(OpId{static_cast<int>(i)}); });
    const auto isWanted = [&](ValueId id) { return std::ranges::count(wanted, id) > 0; };
    for (const std::size_t i : ops) {
        const OpId maker{static_cast<int>(i)};
        if (!isMask(program, program[maker]) || others.has(maker) || isWanted(program[maker].outputs.front()))
            continue;
        std::vector<OpId> found{maker}, reads;
        bool isKnown = true;
        for (const OpId places : readers[program[maker].outputs.front()]) {
            isKnown = isKnown && readsPlaces(program, program[places]) && !isWanted(program[places].outputs.front());
            found.push_back(places);
            for (const OpId reader : isKnown ? readers[program[places].outputs.front()] : std::vector<OpId>()) {
                const bool isRead = readsWhole(program, program[reader], program[places].outputs.front(), program[maker]);
                isKnown = isKnown && (isRead || readsSize(program[reader]));
                (isRead ? reads : found).push_back(reader);
            }
        }
        if (!isKnown || reads.empty())
            continue;
        m_ops.insert(found.begin(), found.end());
        m_ops.insert(reads.begin(), reads.end());
        m_readers[program[maker].outputs.front()] = readers[program[maker].outputs.front()].size();
        for (const OpId places : readers[program[maker].outputs.front()])
            m_readers[program[places].outputs.front()] = readers[program[places].outputs.front()].size();
        for (const OpId read : reads) {
            const ValueId rows = program[read].outputs.front();
            const auto* indices = program[read].find("indices")->asList();
            const auto dim =
                static_cast<int>(std::ranges::find_if(*indices, [](const Argument& index) { return !index.isNone(); }) - indices->begin());
            std::vector<OpId> cats, sizes;
            for (const OpId reader : readers[rows])
                (readsSize(program[reader]) ? sizes : cats).push_back(reader);
            if (isWanted(rows) || cats.size() != 1 || !joins(program, program[cats.front()], dim))
                continue;
            m_later.insert(rows);
            m_ops.insert(cats.front());
            m_ops.insert(sizes.begin(), sizes.end());
        }
    }
}

// Which goes with its last reader.
std::shared_ptr<const MaskedRows::Mask> MaskedRows::maskOf(ValueId places)
{
    const auto mask = m_masks.find(places);
    return --m_readers.at(places) > 0 ? mask->second : std::move(m_masks.extract(mask).mapped());
}

std::vector<std::int64_t> MaskedRows::sizesOf(const Rows& rows)
{
    std::vector<std::int64_t> sizes = rows.from.sizes().vec();
    sizes[static_cast<std::size_t>(rows.dim)] = rows.mask->count();
    return sizes;
}

// To the rows of `to`, which is contiguous, from the first on.
void MaskedRows::copy(const Rows& rows, const at::Tensor& to, std::int64_t first)
{
    const at::Tensor from = rows.from.contiguous();
    const std::int64_t count = from.size(rows.dim), room = to.size(rows.dim);
    std::int64_t outer = 1, bytes = static_cast<std::int64_t>(from.element_size());
    for (std::int64_t d = 0; d < from.dim(); ++d)
        (d < rows.dim ? outer : bytes) *= d == rows.dim ? 1 : from.size(d);
    const auto* source = static_cast<const std::byte*>(from.data_ptr());
    auto* target = static_cast<std::byte*>(to.data_ptr());
    const auto* holds = rows.mask->holds.data_ptr<bool>();
    const auto pieces = static_cast<std::int64_t>(rows.mask->before.size()) - 1;
    parallelFor(outer * pieces, at::get_num_threads(), [&](std::int64_t part, int) {
        stayWithinBound();
        const std::int64_t row = part / pieces, piece = part % pieces, end = std::min(count, (piece + 1) * placesAtOnce);
        const std::byte* read = source + row * count * bytes;
        std::byte* write = target + (row * room + first + rows.mask->before[static_cast<std::size_t>(piece)]) * bytes;
        for (std::int64_t i = piece * placesAtOnce; i < end;) {
            const auto* run = static_cast<const bool*>(std::memchr(holds + i, 1, static_cast<std::size_t>(end - i)));
            if (!run)
                break;
            const std::int64_t begin = run - holds;
            const auto* after = static_cast<const bool*>(std::memchr(run, 0, static_cast<std::size_t>(end - begin)));
            i = after ? after - holds : end;
            std::memcpy(write, read + begin * bytes, static_cast<std::size_t>((i - begin) * bytes));
            write += (i - begin) * bytes;
        }
    });
}

at::Tensor MaskedRows::joined(const Op& op, const OperandValues& operands)
{
    std::vector<Rows> later;
    std::vector<at::Tensor> tensors;
    std::vector<std::vector<std::int64_t>> sizes;
    const std::vector<ValueId> ids = OpView(m_program, op).values("tensors");
    std::int64_t dim = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto known = m_later.contains(ids[i]) ? m_rows.extract(ids[i]) : decltype(m_rows)::node_type();
        later.push_back(known ? known.mapped() : Rows());
        tensors.push_back(known ? at::Tensor() : operands(i, ids[i]).toTensor());
        sizes.push_back(known ? sizesOf(later.back()) : tensors.back().sizes().vec());
        dim = known ? later.back().dim : dim;
    }
    std::vector<std::int64_t> all = sizes.front();
    bool fits = true;
    const auto options = later.front().from.defined() ? later.front().from.options() : tensors.front().options();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        fits = fits && sizes[i].size() == all.size() && (later[i].from.defined() ? later[i].from : tensors[i]).scalar_type() == options.dtype();
        for (std::size_t d = 0; fits && d < all.size(); ++d)
            fits = static_cast<std::int64_t>(d) == dim || sizes[i][d] == all[d];
        if (fits && i > 0)
            all[static_cast<std::size_t>(dim)] += sizes[i][static_cast<std::size_t>(dim)];
    }
    if (!fits) {
        for (std::size_t i = 0; i < ids.size(); ++i)
            if (later[i].from.defined())
                copy(later[i], tensors[i] = at::empty(sizes[i], later[i].from.options()), 0);
        return at::cat(tensors, dim);
    }
    at::Tensor result = at::empty(all, options);
    std::int64_t first = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::int64_t count = sizes[i][static_cast<std::size_t>(dim)];
        if (later[i].from.defined())
            copy(later[i], result, first);
        else
            result.narrow(dim, first, count).copy_(tensors[i]);
        first += count;
    }
    return result;
}

std::vector<c10::IValue> MaskedRows::run(OpId id, const OperandValues& operands)
{
    const Op& op = m_program[id];
    const OpView view(m_program, op);
    const ValueId output = op.outputs.front();
    if (op.target == "aten::nonzero") {
        m_masks[output] = std::make_shared<const Mask>(operands(0, view.value("self")).toTensor());
        return {};
    }
    if (op.target == "aten::select") {
        m_masks[output] = maskOf(view.value("self"));
        return {};
    }
    if (op.target == "aten::cat")
        return {joined(op, operands)};
    if (readsSize(op)) {
        const ValueId of = view.value("self");
        if (m_readers.contains(of))
            return {maskOf(of)->count()};
        const std::vector<std::int64_t>& sizes = m_sizes.at(of);
        return {sizes.at(static_cast<std::size_t>(view.dim("dim", static_cast<int>(sizes.size())).value_or(0)))};
    }
    Rows rows;
    rows.from = operands(0, view.value("self")).toTensor();
    const auto* indices = op.find("indices")->asList();
    const auto index = std::ranges::find_if(*indices, [](const Argument& argument) { return !argument.isNone(); });
    rows.dim = index - indices->begin();
    rows.mask = maskOf(*index->asValue());
    TORCH_CHECK(rows.from.dim() > rows.dim && rows.from.size(rows.dim) == rows.mask->holds.numel(), "a mask of ", rows.mask->holds.numel(),
                " entries does not fit ", rows.from.dim() > rows.dim ? rows.from.size(rows.dim) : 0, " rows");
    if (m_later.contains(output)) {
        m_sizes[output] = sizesOf(rows);
        m_rows[output] = std::move(rows);
        return {};
    }
    at::Tensor result = at::empty(sizesOf(rows), rows.from.options());
    copy(rows, result, 0);
    return {result};
}

}  // namespace cleave
