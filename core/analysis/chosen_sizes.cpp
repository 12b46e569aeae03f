#include "core/analysis/chosen_sizes.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/op_kinds.h"
#include "core/analysis/op_view.h"
#include "core/analysis/passes.h"
#include "core/analysis/rewriter.h"

namespace cleave {

namespace {

// A number that only tensors of features tell: how many rows one has, what an entry of whole numbers says, or that and a constant.
struct Count {
    ValueId tensor;
    std::optional<std::size_t> dim;  // none: the entry itself
    std::int64_t more = 0;

    bool operator==(const Count&) const = default;
};

using Counts = std::map<ValueId, Count>;

std::optional<Count> sumOf(const Op& op, const Counts& counts)
{
    const Argument *a = op.find("a"), *b = op.find("b");
    if (!isOneOf(op.target, {"operator::add", "operator::sub"}) || a == nullptr || b == nullptr)
        return {};
    const bool isSum = op.target == "operator::add";
    for (const auto& [number, constant] : {std::pair(a, b), std::pair(b, a)}) {
        const auto found = number->asValue() ? counts.find(*number->asValue()) : counts.end();
        if (found == counts.end() || constant->asInt() == nullptr || (!isSum && number == b))
            continue;
        Count count = found->second;
        const bool isOut = isSum ? __builtin_add_overflow(count.more, *constant->asInt(), &count.more)
                                 : __builtin_sub_overflow(count.more, *constant->asInt(), &count.more);
        return isOut ? std::nullopt : std::optional(count);
    }
    return {};
}

// Numbers made of such counts and others, V + u1, where a tensor of features has as many rows: edges that features keep, and a loop of each node.
class CountsOfTensors {
public:
    CountsOfTensors(const Program& program, const IdMap<ValueId, Reach>& reach, Counts& counts) : m_program(program), m_reach(reach), m_counts(counts)
    {
    }

    // In the order of the program: a tensor that stands for a number is there before the first op that reads the number.
    void visit(const Op& op)
    {
        bool isOfCounts = false;
        forEachOperand(op, [&](ValueId operand) {
            isOfCounts = isOfCounts || m_counts.contains(operand) || m_open.contains(operand);
            if (isArithmetic(op) || m_open.erase(operand) == 0)
                return;
            if (const auto tensor = m_withSize.find(m_program[operand].number.symbol); tensor != m_withSize.end())
                m_counts.try_emplace(operand, tensor->second);
        });
        if (op.outputs.size() != 1)
            return;
        const ValueId made = op.outputs.front();
        const Value& value = m_program[made];
        if (isOfCounts && isArithmetic(op) && value.kind == ValueKind::Int && !value.number.isConstant())
            m_open.insert(made);
        if (value.kind == ValueKind::Tensor && m_reach[made] == Reach::Feature)
            for (std::size_t d = 0; d < value.sizes.size(); ++d)
                if (!value.sizes[d].isConstant())
                    m_withSize.try_emplace(value.sizes[d].symbol, Count{made, d});
    }

private:
    static bool isArithmetic(const Op& op) { return isOneOf(op.target, {"operator::add", "operator::sub", "operator::mul", "operator::floordiv"}); }

    const Program& m_program;
    const IdMap<ValueId, Reach>& m_reach;
    Counts& m_counts;
    std::set<ValueId> m_open;
    std::map<std::string, Count> m_withSize;
};

Counts countsOfFeatures(const Program& program)
{
    const IdMap<ValueId, Reach> reach = findReach(program);
    Counts counts;
    CountsOfTensors ofTensors(program, reach, counts);
    for (const Op& op : program.ops) {
        ofTensors.visit(op);
        if (op.outputs.size() != 1)
            continue;
        const OpView view(program, op);
        const ValueId tensor = view.value("self");
        const bool isOfFeatures =
            tensor.valid() && program[tensor].kind == ValueKind::Tensor && reach[tensor] == Reach::Feature && !program.isInput(tensor);
        if (op.target == "aten::sym_size" && isOfFeatures) {
            const auto dim = view.dim("dim", view.rank("self"));
            if (dim && !program[tensor].sizes[static_cast<std::size_t>(*dim)].isConstant())
                counts[op.outputs.front()] = {tensor, static_cast<std::size_t>(*dim)};
        } else if (op.target == "aten::item" && isOfFeatures && isInteger(program[tensor].dtype)) {
            counts[op.outputs.front()] = {tensor, {}};
        } else if (const std::optional<Count> sum = sumOf(op, counts)) {
            counts[op.outputs.front()] = *sum;
        }
    }
    return counts;
}

class ChosenRows {
public:
    explicit ChosenRows(Program& program) : m_program(program), m_counts(countsOfFeatures(program)), m_rewriter(program) {}

    int run()
    {
        for (Op& op : m_rewriter.takeOps()) {
            m_rewriter.resolveOperands(op);
            if (const std::optional<ValueId> made = restated(op)) {
                m_rewriter.replace(op.outputs.front(), *made);
                ++m_made;
                continue;
            }
            writeToTheEnd(op);
            m_rewriter.emit(std::move(op));
        }
        m_rewriter.finish();
        if (m_made > 0)
            dropDeadOps(m_program);
        return m_made;
    }

private:
    using Sizes = std::vector<Argument>;

    std::optional<ValueId> restated(const Op& op)
    {
        if (op.outputs.size() != 1 || m_program[op.outputs.front()].kind != ValueKind::Tensor)
            return {};
        if (isOneOf(op.target, {"aten::zeros", "aten::ones", "aten::full"}))
            return filled(op);
        if (op.target == "aten::arange")
            return counted(op);
        if (isOneOf(op.target, {"aten::reshape", "aten::view"}))
            return reshaped(op);
        if (op.target == "aten::expand")
            return expanded(op);
        return {};
    }

    const Count* count(const Argument& argument) const
    {
        const ValueId* value = argument.asValue();
        const auto found = value ? m_counts.find(*value) : m_counts.end();
        return found != m_counts.end() ? &found->second : nullptr;
    }

    static const Sizes* listOf(const Op& op)
    {
        for (const char* name : {"size", "shape"})
            if (const Argument* argument = op.find(name))
                return std::get_if<Sizes>(&argument->value);
        return nullptr;
    }

    // Where the one number of chosen rows stands among sizes that are literals otherwise.
    std::optional<std::size_t> place(const Sizes& sizes) const
    {
        std::optional<std::size_t> found;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            if (const std::int64_t* literal = sizes[i].asInt(); literal && *literal >= 0)
                continue;
            if (found || !count(sizes[i]))
                return {};
            found = i;
        }
        return found;
    }

    // [rows]: one column of the tensor that is counted, or as many zeros as an entry says.
    std::optional<ValueId> columnOf(const Op& op, const Count& count, const Dim& rows)
    {
        if (!count.dim || count.more != 0)
            return zeros(op, count, rows);
        Value like = m_program[count.tensor];
        for (std::size_t d = 0; d < like.sizes.size(); ++d)
            if (d != *count.dim && (!like.sizes[d].isConstant() || like.sizes[d].value == 0))
                return {};
        ValueId column = count.tensor;
        for (std::size_t d = like.sizes.size(); d-- > 0;)
            if (d != *count.dim) {
                like.sizes.erase(like.sizes.begin() + static_cast<std::ptrdiff_t>(d));
                column = m_rewriter.emitNew(op, "aten::select", "int",
                                            {{"self", {column}}, {"dim", whole(static_cast<std::int64_t>(d))}, {"index", whole(0)}}, like);
            }
        return column;
    }

    std::optional<ValueId> zeros(const Op& op, const Count& count, const Dim& rows)
    {
        if (count.dim)
            return {};
        Value like = m_program[count.tensor];
        like.sizes = {Dim{1, {}}};
        ValueId times = m_rewriter.emitNew(op, "aten::reshape", "", {{"self", {count.tensor}}, {"shape", {Sizes{whole(1)}}}}, like);
        if (count.more != 0)
            times = m_rewriter.emitNew(op, "aten::add", "Scalar", {{"self", {times}}, {"other", whole(count.more)}}, like);
        like.dtype = DType::Int64;
        times = m_rewriter.emitNew(op, "aten::to", "dtype", {{"self", {times}}, {"dtype", {DType::Int64}}}, like);
        like.sizes = {rows};
        return m_rewriter.emitNew(op, "aten::repeat_interleave", "Tensor", {{"repeats", {times}}}, like);
    }

    // [rows] of one number.
    std::optional<ValueId> filledColumn(const Op& op, const Count& count, const Dim& rows, const std::string& target, const Argument* fill,
                                        DType dtype)
    {
        const std::optional<ValueId> column = columnOf(op, count, rows);
        if (!column)
            return {};
        Value like = m_program[*column];
        like.dtype = dtype;
        std::vector<NamedArgument> args{{"self", {*column}}};
        if (fill)
            args.push_back({"fill_value", *fill});
        args.push_back({"dtype", {dtype}});
        return m_rewriter.emitNew(op, target, "", std::move(args), like);
    }

    std::optional<ValueId> filled(const Op& op)
    {
        const Sizes* sizes = listOf(op);
        const std::optional<std::size_t> at = sizes ? place(*sizes) : std::nullopt;
        const Value output = m_program[op.outputs.front()];
        if (!at || output.dtype == DType::Unknown)
            return {};
        const Count rows = *count((*sizes)[*at]);
        const std::optional<ValueId> column = filledColumn(op, rows, output.sizes[*at], op.target + "_like", op.find("fill_value"), output.dtype);
        if (column && sizes->size() == 1)
            m_lengths[*column] = rows;
        if (!column || sizes->size() == 1)
            return column;
        Sizes ones(sizes->size(), whole(1)), all = *sizes;
        ones[*at] = all[*at] = whole(-1);
        Value like = output;
        for (std::size_t d = 0; d < like.sizes.size(); ++d)
            if (d != *at)
                like.sizes[d] = Dim{1, {}};
        const ValueId alone = m_rewriter.emitNew(op, "aten::reshape", "", {{"self", {*column}}, {"shape", {ones}}}, like);
        return m_rewriter.emitNew(op, "aten::expand", "", {{"self", {alone}}, {"size", {all}}}, output);
    }

    // 0, 1, 2, …: how many there are up to each, without it.
    std::optional<ValueId> counted(const Op& op)
    {
        const OpView view(m_program, op);
        const Argument* end = op.find("end");
        const Count* rows = end ? count(*end) : nullptr;
        const Value output = m_program[op.outputs.front()];
        if (!rows || view.integerOr("start", 0) != 0 || view.integerOr("step", 1) != 1 || (op.find("start") && !view.integer("start")) ||
            !isInteger(output.dtype))
            return {};
        const std::optional<ValueId> ones = filledColumn(op, *rows, output.sizes.front(), "aten::ones_like", nullptr, output.dtype);
        if (!ones)
            return {};
        const ValueId upTo = m_rewriter.emitNew(op, "aten::cumsum", "", {{"self", {*ones}}, {"dim", whole(0)}, {"dtype", {output.dtype}}}, output);
        return m_rewriter.emitNew(op, "aten::sub", "Scalar", {{"self", {upTo}}, {"other", whole(1)}}, output);
    }

    std::optional<ValueId> reshaped(const Op& op)
    {
        const Sizes* sizes = listOf(op);
        const std::optional<std::size_t> at = sizes ? place(*sizes) : std::nullopt;
        if (!at || std::ranges::any_of(*sizes, [](const Argument& size) { return size.asInt() && *size.asInt() == 0; }))
            return {};
        Sizes free = *sizes;
        free[*at] = whole(-1);
        return m_rewriter.emitNew(op, "aten::reshape", "", {{"self", {OpView(m_program, op).value("self")}}, {"shape", {free}}},
                                  Value(m_program[op.outputs.front()]));
    }

    std::optional<ValueId> expanded(const Op& op)
    {
        const Sizes* sizes = listOf(op);
        const std::optional<std::size_t> at = sizes ? place(*sizes) : std::nullopt;
        const ValueId self = OpView(m_program, op).value("self");
        if (!at || !self.valid())
            return {};
        const Value output = m_program[op.outputs.front()];
        const std::vector<Dim> from = m_program[self].sizes;
        const std::size_t added = sizes->size() - from.size();
        Sizes free = *sizes;
        free[*at] = whole(-1);
        if (*at >= added && !from[*at - added].isConstant())
            return m_rewriter.emitNew(op, "aten::expand", "", {{"self", {self}}, {"size", {free}}}, output);
        // Beside a column of as many rows: what there is one of becomes as many.
        const std::optional<ValueId> column = columnOf(op, *count((*sizes)[*at]), output.sizes[*at]);
        if (!column)
            return {};
        Sizes ones(sizes->size(), whole(1));
        ones[*at] = whole(-1);
        Value like = m_program[*column];
        like.sizes.assign(sizes->size(), Dim{1, {}});
        like.sizes[*at] = output.sizes[*at];
        const ValueId alone = m_rewriter.emitNew(op, "aten::reshape", "", {{"self", {*column}}, {"shape", {ones}}}, like);
        like.sizes = output.sizes;
        const ValueId wide = m_rewriter.emitNew(op, "aten::expand", "", {{"self", {alone}}, {"size", {free}}}, like);
        return m_rewriter.emitNew(op, "aten::expand_as", "", {{"self", {self}}, {"other", {wide}}}, output);
    }

    // What writes up to the end of such a tensor leaves the number out as well: pointers are written behind the first.
    void writeToTheEnd(Op& op)
    {
        if (op.target != "aten::slice_scatter" || op.outputs.size() != 1)
            return;
        const auto length = m_lengths.find(OpView(m_program, op).value("self"));
        if (length == m_lengths.end())
            return;
        const Count written = length->second;
        m_lengths[op.outputs.front()] = written;
        for (NamedArgument& argument : op.args)
            if (const Count* end = argument.name == "end" ? count(argument.value) : nullptr; end != nullptr && *end == written) {
                argument.value = whole(std::numeric_limits<std::int64_t>::max());
                ++m_made;
            }
    }

    Program& m_program;
    Counts m_counts;
    Rewriter m_rewriter;
    std::map<ValueId, Count> m_lengths;  // of tensors with one dimension that were made
    int m_made = 0;
};

}  // namespace

int makeOfChosenRows(Program& program)
{
    return countsOfFeatures(program).empty() ? 0 : ChosenRows(program).run();
}

}  // namespace cleave
