#include "core/analysis/recompose_segments.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/op_view.h"
#include "core/analysis/views.h"
#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

namespace {

// Ops beside one that they stand for, which lead to rows of `out` from rows of `from`.
class Reduction {
public:
    Reduction(const Program& program, const Op& op, Rewriter& rewriter, Value from, ValueId counted)
        : m_program(program), m_op(op), m_rewriter(rewriter), m_from(std::move(from)), m_out(OpView(program, op).output()), m_counted(counted)
    {
        for (std::size_t d = 0; d < m_out.sizes.size(); ++d)
            m_sizes.push_back(d > 0 && m_out.sizes[d].isConstant() ? whole(m_out.sizes[d].value) : rewriter.sizeArgument(m_out.sizes[d], op));
        if (std::ranges::any_of(m_sizes, &Argument::isNone))
            throw Error("Op '" + op.name + "' (" + op.target + ") is not given a tensor that it needs.");
    }

    ValueId call(const char* target, const char* overload, std::vector<NamedArgument> args, const Value& like)
    {
        return m_rewriter.emitNew(m_op, target, overload, std::move(args), like);
    }

    // The segment of each row: how many pointers there are up to it, but for the first one.
    ValueId segmentsBetween(ValueId pointers) { return call("aten::sub", "Scalar", {{"self", {bucket(pointers)}}, {"other", whole(1)}}, index()); }

    ValueId segmentsOf(ValueId lengths)
    {
        Value ends = m_program[lengths];
        ends.dtype = DType::Int64;
        return bucket(call("aten::cumsum", "", {{"self", {lengths}}, {"dim", whole(0)}}, ends));
    }

    ValueId sum(ValueId rows, ValueId segment)
    {
        const ValueId zeros = call("aten::zeros", "", {{"size", {m_sizes}}, {"dtype", {m_out.dtype}}}, m_out);
        return call("aten::index_add", "", {{"self", {zeros}}, {"dim", whole(0)}, {"index", {segment}}, {"source", {rows}}}, m_out);
    }

    // Of segments whose rows are read at `fill`, if they are none, or begin with it.
    ValueId extreme(ValueId rows, ValueId segment, bool isLargest, const Argument& fill, bool begins)
    {
        const ValueId start = call("aten::full", "", {{"size", {m_sizes}}, {"fill_value", fill}, {"dtype", {m_out.dtype}}}, m_out);
        Value like = index();
        std::vector<Argument> asRows{whole(-1)};
        for (std::size_t d = 1; d < m_from.sizes.size(); ++d) {
            like.sizes.push_back({1, {}});
            segment = call("aten::unsqueeze", "", {{"self", {segment}}, {"dim", whole(-1)}}, like);
            asRows.push_back(m_sizes[d]);
        }
        like.sizes = m_from.sizes;
        if (m_from.sizes.size() > 1)
            segment = call("aten::expand", "", {{"self", {segment}}, {"size", {asRows}}}, like);
        std::vector<NamedArgument> args{
            {"self", {start}}, {"dim", whole(0)}, {"index", {segment}}, {"src", {rows}}, {"reduce", {std::string(isLargest ? "amax" : "amin")}}};
        if (!begins)
            args.push_back({"include_self", {false}});
        return call("aten::scatter_reduce", "two", std::move(args), m_out);
    }

    ValueId lengthsBetween(ValueId pointers)
    {
        Value lengths = m_program[pointers];
        lengths.sizes = {m_out.sizes[0]};
        const auto part = [&](std::vector<NamedArgument> where) {
            where.insert(where.begin(), {{"self", {pointers}}, {"dim", whole(0)}});
            return call("aten::slice", "Tensor", std::move(where), lengths);
        };
        const ValueId ends = part({{"start", whole(1)}});
        return call("aten::sub", "Tensor", {{"self", {ends}}, {"other", {part({{"start", whole(0)}, {"end", whole(-1)}})}}}, lengths);
    }

    ValueId atLeastOne(ValueId lengths) { return call("aten::clamp_min", "", {{"self", {lengths}}, {"min", whole(1)}}, Value(m_program[lengths])); }

    ValueId mean(ValueId sum, ValueId lengths)
    {
        Value like = m_program[lengths];
        for (std::size_t d = 1; d < m_out.sizes.size(); ++d) {
            like.sizes.push_back({1, {}});
            lengths = call("aten::unsqueeze", "", {{"self", {lengths}}, {"dim", whole(-1)}}, like);
        }
        return call("aten::div", "Tensor", {{"self", {sum}}, {"other", {lengths}}}, m_out);
    }

private:
    Value index() const
    {
        Value index = m_from;
        index.dtype = DType::Int64;
        index.sizes = {m_from.sizes[0]};
        return index;
    }

    ValueId bucket(ValueId boundaries)
    {
        if (!m_numbers.valid()) {
            Argument count = m_rewriter.sizeArgument(m_from.sizes[0], m_op);
            if (count.isNone()) {
                Value number;
                number.kind = ValueKind::Int;
                number.number = m_from.sizes[0];
                count = {call("aten::sym_size", "int", {{"self", {m_counted}}, {"dim", whole(0)}}, number)};
            }
            m_numbers = call("aten::arange", "", {{"end", count}, {"dtype", {DType::Int64}}}, index());
        }
        return call("aten::bucketize", "Tensor", {{"self", {m_numbers}}, {"boundaries", {boundaries}}, {"right", {true}}}, index());
    }

    const Program& m_program;
    const Op& m_op;
    Rewriter& m_rewriter;
    Value m_from, m_out;
    ValueId m_counted;              // has as many rows as are reduced
    ValueId m_numbers;              // 0, 1, 2, … of these
    std::vector<Argument> m_sizes;  // of the result
};

}  // namespace

ValueId segmentReduction(const Program& program, const Op& op, Rewriter& rewriter)
{
    if (op.outputs.empty())
        return {};
    const OpView view(program, op);
    const ValueId data = view.value("data"), offsets = view.value("offsets"), lengths = view.value("lengths");
    const ValueId pointers = offsets.valid() ? offsets : lengths;
    const std::string* reduce = op.find("reduce") ? op.find("reduce")->asString() : nullptr;
    const Argument* initial = op.find("initial");
    const bool hasInitial = initial && !initial->isNone();
    const double* real = hasInitial ? std::get_if<double>(&initial->value) : nullptr;
    const bool isZero = real ? *real == 0 : hasInitial && initial->asInt() && *initial->asInt() == 0;
    if (!data.valid() || !pointers.valid() || !reduce || program[data].sizes.empty() || program[pointers].sizes.size() != 1 ||
        view.integerOr("axis", 0) != 0 || program[data].sizes.size() != view.output().sizes.size())
        throw Error("Op '" + op.name + "' (" + op.target + ") is not given a tensor that it needs.");
    const bool isExtreme = *reduce == "amax" || *reduce == "amin" || *reduce == "max" || *reduce == "min";
    if (!isExtreme && ((*reduce != "sum" && *reduce != "mean") || (hasInitial && !isZero)))
        throw Error("Op '" + op.name + "' (" + op.target + ") reduces by '" + printable(*reduce) +
                    "' from a start of its own: Cleave knows sums, means and extremes.");
    Reduction reduction(program, op, rewriter, program[data], data);
    const ValueId segment = offsets.valid() ? reduction.segmentsBetween(offsets) : reduction.segmentsOf(lengths);
    if (isExtreme) {
        const bool isLargest = reduce->ends_with("max");
        const double least = isLargest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
        return reduction.extreme(data, segment, isLargest, hasInitial ? *initial : Argument{least}, true);
    }
    const ValueId sum = reduction.sum(data, segment);
    if (*reduce == "sum")
        return sum;
    const ValueId count = offsets.valid() ? reduction.lengthsBetween(offsets) : lengths;
    return reduction.mean(sum, hasInitial ? reduction.atLeastOne(count) : count);
}

namespace {

// [n, k] of a list of their n·k entries, from which bags of k each are read; the table itself where there are no offsets.
ValueId tableOfBags(const Program& program, ValueId indices, ValueId offsets)
{
    if (!offsets.valid())
        return program[indices].sizes.size() == 2 ? indices : ValueId{};
    const OpId maker = program[offsets].producer, flattening = program[indices].producer;
    if (!maker.valid() || program[maker].target != "aten::arange" || !flattening.valid() || !isReshape(program[flattening]))
        return {};
    const OpView range(program, program[maker]);
    const ValueId table = OpView(program, program[flattening]).value("self");
    if (!table.valid() || range.integerOr("start", 0) != 0 || program[table].sizes.size() != 2)
        return {};
    const Dim& width = program[table].sizes[1];
    return width.isConstant() && range.integerOr("step", 1) == width.value ? table : ValueId{};
}

// Of tensor[:-1]: tensor.
ValueId allButLast(const Program& program, ValueId value)
{
    const auto part = partOf(program, value);
    return part && part->start == 0 && part->leftAtEnd == 1 ? part->whole : ValueId{};
}

}  // namespace

ValueId bagReduction(const Program& program, const Op& op, Rewriter& rewriter)
{
    enum class Bag : std::int64_t { Sum, Mean, Max };  // as PyTorch counts them
    const OpView view(program, op);
    const ValueId table = view.value("weight"), indices = view.value("indices"), offsets = view.value("offsets"),
                  factors = view.value("per_sample_weights");
    const std::int64_t mode = view.integerOr("mode", 0);
    if (op.outputs.empty() || !table.valid() || !indices.valid() || program[table].sizes.size() != 2 || program[table].sizes[0].isConstant() ||
        view.integerOr("padding_idx", -1) >= 0 || mode < 0 || mode > static_cast<std::int64_t>(Bag::Max))
        return {};
    const Bag bag = static_cast<Bag>(mode);
    const bool hasLast = view.flag("include_last_offset", false);
    const ValueId many = hasLast ? ValueId{} : tableOfBags(program, indices, offsets), pointers = hasLast ? offsets : allButLast(program, offsets);
    const bool isTable = many.valid();
    const std::vector<Dim> of = program[isTable ? many : indices].sizes;
    if (!isTable && (of.size() != 1 || !pointers.valid()))
        return {};
    Value rows = program[table];
    rows.sizes.insert(rows.sizes.begin(), of.begin(), of.end());
    rows.sizes.erase(rows.sizes.begin() + static_cast<std::ptrdiff_t>(of.size()));
    const auto call = [&](const char* target, const char* overload, std::vector<NamedArgument> args, const Value& like) {
        return rewriter.emitNew(op, target, overload, std::move(args), like);
    };
    ValueId read = isTable ? call("aten::index", "Tensor", {{"self", {table}}, {"indices", {std::vector<Argument>{{many}}}}}, rows)
                           : call("aten::index_select", "", {{"self", {table}}, {"dim", whole(0)}, {"index", {indices}}}, rows);
    if (factors.valid()) {
        Value column = program[factors];
        column.sizes = of;
        column.sizes.push_back({1, {}});
        const ValueId times = isTable
                                  ? call("aten::reshape", "",
                                         {{"self", {factors}}, {"shape", {std::vector<Argument>{whole(-1), whole(of[1].value), whole(1)}}}}, column)
                                  : call("aten::unsqueeze", "", {{"self", {factors}}, {"dim", whole(-1)}}, column);
        read = call("aten::mul", "Tensor", {{"self", {read}}, {"other", {times}}}, rows);
    }
    if (isTable) {
        const std::vector<Argument> entries{whole(1)};
        const char* const target = bag == Bag::Sum ? "aten::sum" : bag == Bag::Mean ? "aten::mean" : "aten::amax";
        rows.sizes.erase(rows.sizes.begin() + 1);
        return call(target, bag == Bag::Sum ? "dim_IntList" : bag == Bag::Mean ? "dim" : "", {{"self", {read}}, {"dim", {entries}}}, rows);
    }
    Reduction reduction(program, op, rewriter, rows, indices);
    const ValueId segment = reduction.segmentsBetween(pointers);
    if (bag == Bag::Max)
        return reduction.extreme(read, segment, true, Argument{0.0}, false);
    const ValueId sum = reduction.sum(read, segment);
    return bag == Bag::Sum ? sum : reduction.mean(sum, reduction.atLeastOne(reduction.lengthsBetween(pointers)));
}

}  // namespace cleave
