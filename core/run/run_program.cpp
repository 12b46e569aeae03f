#include "core/run/run_program.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>

#include "core/analysis/op_kinds.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/memory_bound.h"
#include "core/base/pages.h"
#include "core/run/equal_masks.h"
#include "core/run/masked_rows.h"
#include "core/run/number_op.h"
#include "core/run/op_lowering.h"
#include "core/run/side_by_side.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

// Which ops compute `wanted` from `given` and constants.
std::vector<std::size_t> neededOps(const Program& program, const Constants& constants, const std::vector<ValueId>& given,
                                   const std::vector<ValueId>& wanted)
{
    const auto at = [](ValueId id) { return static_cast<std::size_t>(id.index); };
    std::vector<bool> known(program.values.size()), live(program.values.size());
    for (const ValueId id : given)
        known[at(id)] = true;
    for (std::size_t v = 0; constants.size() && v < program.values.size(); ++v)
        if (const ValueId id{static_cast<int>(v)}; !constants[id].isNone() || program[id].kind == ValueKind::None)
            known[v] = true;
    for (const ValueId id : wanted)
        live[at(id)] = true;
    std::vector<std::size_t> ops;
    for (std::size_t i = program.ops.size(); i-- > 0;) {
        const Op& op = program.ops[i];
        if (std::ranges::none_of(op.outputs, [&](ValueId id) { return live[at(id)] && !known[at(id)]; }))
            continue;
        ops.push_back(i);
        forEachOperand(op, [&](ValueId id) { live[at(id)] = true; });
    }
    std::ranges::reverse(ops);
    return ops;
}

// Tensors with a number for each of all pairs of rows are there at once, whatever memory there may be: these ops are refused before they take it.
class PairsAtOnce {
public:
    explicit PairsAtOnce(const Program& program) : m_program(program) {}

    void note(ValueId id, const c10::IValue& value)
    {
        const std::vector<Dim>& dims = m_program[id].sizes;
        if (!value.isTensor() || static_cast<std::size_t>(value.toTensor().dim()) != dims.size())
            return;
        for (std::size_t d = 0; d < dims.size(); ++d)
            if (!dims[d].isConstant())
                m_sizes[dims[d].symbol] = static_cast<double>(value.toTensor().size(static_cast<std::int64_t>(d)));
    }

    void require(OpId id) const
    {
        double bytes = 0;
        const auto add = [&](ValueId value) { bytes += bytesOf(value); };
        forEachOperand(m_program[id], add);
        std::ranges::for_each(m_program[id].outputs, add);
        constexpr double most = 1e18;  // more than any machine has, and few enough to count
        if (bytes == 0)
            return;
        const std::string what = "With all pairs at once, " + describe(m_program, id);
        requireWithinBound(static_cast<std::size_t>(std::min(bytes, most)), what, "");
        if (pagesAreBound() || isView(m_program[id], {ViewKind::Reshape, ViewKind::Repeat, ViewKind::Turn, ViewKind::Part}))
            return;
        const auto there = static_cast<double>(PagesLimit::mostUsed());
        for (const ValueId output : m_program[id].outputs)
            if (const double made = bytesOf(output); made > there)
                throw NeverEnoughMemory(what + " needs about " + formatBytes(made) + " of memory, more than the " + formatBytes(there) +
                                        " that it may take.");
    }

private:
    double bytesOf(ValueId id) const
    {
        const Value& value = m_program[id];
        if (value.kind != ValueKind::Tensor || std::ranges::count_if(value.sizes, [](const Dim& dim) { return !dim.isConstant(); }) < 2)
            return 0;
        double bytes = static_cast<double>(itemSize(value.dtype));
        for (const Dim& dim : value.sizes)
            bytes *= dim.isConstant() ? static_cast<double>(dim.value) : sizeOf(dim.symbol);
        return bytes;
    }

    // 0 for one that is not known yet.
    double sizeOf(const std::string& symbol) const
    {
        const auto known = m_sizes.find(symbol);
        return known == m_sizes.end() ? 0 : known->second;
    }

    const Program& m_program;
    std::map<std::string, double> m_sizes;
};

// What op() gives; where LibTorch refuses it, the sentence says which op that is.
template <class Run>
std::vector<c10::IValue> named(const Program& program, OpId op, Run run)
{
    try {
        return run();
    } catch (const c10::Error& error) {
        const std::string reason = error.what_without_backtrace();
        throw std::runtime_error(describe(program, op) + ": " + reason);
    }
}

}  // namespace

Constants evaluateConstants(const Analysis& analysis)
{
    const Program& program = analysis.program;
    Constants constants(program.values.size());
    for (std::size_t v = 0; v < program.values.size(); ++v)
        if (const Value& value = program.values[v]; value.weight.valid())
            constants[ValueId{static_cast<int>(v)}] = toTensor(program[value.weight]);
    std::vector<ValueId> wanted;
    for (const Op& op : program.ops)
        for (const ValueId id : op.outputs)
            if (analysis.values[id].reach == Reach::Constant && (program[id].kind != ValueKind::None))
                wanted.push_back(id);
    guarded("Computing what depends on weights only failed", [&] {
        const auto results = runProgram(program, constants, {}, wanted, "Computing what depends on weights only", {});
        for (std::size_t i = 0; i < wanted.size(); ++i)
            constants[wanted[i]] = results[i];
    });
    return constants;
}

std::vector<c10::IValue> runProgram(const Program& program, const Constants& constants, const Bindings& inputs, const std::vector<ValueId>& wanted,
                                    const std::string& name, const Progress& progress, Kernels kernels)
{
    constexpr std::size_t opsPerReport = 8;
    const auto at = [](ValueId id) { return static_cast<std::size_t>(id.index); };
    std::map<ValueId, c10::IValue> live = inputs;
    std::vector<ValueId> given;
    for (const auto& [id, value] : inputs)
        given.push_back(id);
    const std::vector<std::size_t> ops = neededOps(program, constants, given, wanted);
    std::vector<std::size_t> readers(program.values.size());
    for (const std::size_t op : ops)
        forEachOperand(program.ops[op], [&](ValueId id) { ++readers[at(id)]; });
    for (const ValueId id : wanted)
        ++readers[at(id)];
    const auto take = [&](std::size_t, ValueId id) {
        const auto known = live.find(id);
        if (known == live.end())
            return constants[id];
        return --readers[at(id)] > 0 ? known->second : std::move(live.extract(known).mapped());
    };
    EqualMasks masks(program, ops, wanted);
    MaskedRows rows(program, kernels != Kernels::None ? std::span(ops) : std::span<const std::size_t>(), wanted, masks);
    PairsAtOnce pairs(program);
    for (const auto& [id, value] : live)
        pairs.note(id, value);
    for (std::size_t k = 0; k < ops.size(); ++k) {
        if (k % opsPerReport == 0)
            progress.update(static_cast<double>(k) / static_cast<double>(ops.size()), name);
        progress.check();
        yieldToOthers();
        const OpId id{static_cast<int>(ops[k])};
        pairs.require(id);
        const bool isNumbers = kernels != Kernels::None && isNumberOp(program, id);
        const auto results = named(program, id, [&] {
            return masks.has(id)  ? masks.run(id, take)
                   : rows.has(id) ? rows.run(id, take)
                   : isNumbers    ? std::vector{runNumberOp(program, id, take)}
                                  : callOp(program, id, take);
        });
        for (std::size_t i = 0; i < program[id].outputs.size() && i < results.size(); ++i) {
            if (readers[at(program[id].outputs[i])] > 0)
                live[program[id].outputs[i]] = results[i];
            pairs.note(program[id].outputs[i], results[i]);
        }
    }
    std::vector<c10::IValue> results;
    for (const ValueId id : wanted)
        results.push_back(live.contains(id) ? live.at(id) : constants[id]);
    return results;
}

}  // namespace cleave
