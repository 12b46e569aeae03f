#include "core/analysis/moved_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/analysis/op_view.h"
#include "core/analysis/passes.h"
#include "core/analysis/rewriter.h"

namespace cleave {

namespace {

class MovedRows {
public:
    explicit MovedRows(Program& program) : m_p(program), m_reach(findReach(program)), m_rewriter(program) {}

    int run()
    {
        int count = 0;
        for (Op& op : m_rewriter.takeOps()) {
            m_rewriter.resolveOperands(op);
            const Op old = op;
            m_rewriter.emit(std::move(op));
            follow(old);
            for (const ValueId output : old.outputs)
                count += comesBack(old, output);
        }
        m_rewriter.finish();
        for (Value& value : m_p.values)
            for (Dim& dim : value.sizes)
                if (const auto same = m_same.find(dim.symbol); same != m_same.end() && !dim.isConstant())
                    dim = same->second;
        return count;
    }

private:
    // Rows [leading dimensions, the root's other dimensions]: which rows of the root they are, with 1 for each of the other dimensions.
    struct Moved {
        ValueId root, index;
        int leading = 1;
        bool hasAll = true;  // each row of the root once
    };

    // What a value is of its own, before anything has moved.
    std::optional<Moved> rootOf(const Op& op, ValueId value)
    {
        if (const auto moved = m_moved.find(value); moved != m_moved.end())
            return moved->second;
        const std::vector<Dim> sizes = m_p[value].sizes;
        const bool isFeature = value.index >= static_cast<int>(m_reach.size()) || m_reach[value] == Reach::Feature;
        if (!isFeature || m_p[value].kind != ValueKind::Tensor || sizes.empty() || sizes[0].isConstant() ||
            !std::all_of(sizes.begin() + 1, sizes.end(), [](const Dim& dim) { return dim.isConstant(); }))
            return {};
        m_rewriter.noteSize(value);
        const Argument rows = m_rewriter.sizeArgument(sizes[0], op);
        if (rows.isNone())
            return {};
        Value numbers;
        numbers.dtype = DType::Int64;
        numbers.sizes = {sizes[0]};
        ValueId index = m_rewriter.emitNew(op, "aten::arange", "", {{"end", rows}, {"dtype", {DType::Int64}}}, numbers);
        for (std::size_t d = 1; d < sizes.size(); ++d) {
            numbers.sizes.push_back({1, {}});
            index = m_rewriter.emitNew(op, "aten::unsqueeze", "", {{"self", {index}}, {"dim", {std::int64_t{-1}}}}, numbers);
        }
        return Moved{value, index};
    }

    std::size_t others(const Moved& moved) const { return m_p[moved.root].sizes.size() - 1; }

    // Whether an op may be the first to move rows: others are followed where something has moved.
    bool movesRows(const Op& op, ValueId self) const
    {
        const std::vector<Dim>&from = m_p[self].sizes, &to = m_p[op.outputs.front()].sizes;
        const OpView view(m_p, op);
        const auto rank = static_cast<int>(from.size());
        if (isOneOf(op.target, {"aten::flip", "aten::roll"}))
            return view.dims("dims", rank).value_or(std::vector{-1}) == std::vector{0};
        if (isOneOf(op.target, {"aten::slice", "aten::narrow"}))
            return (view.given("dim") ? view.dim("dim", rank) : 0) == 0 && from != to;
        return isReshape(op) && to.size() == from.size() + 1 && std::equal(from.begin() + 1, from.end(), to.begin() + 2);
    }

    void follow(const Op& op)
    {
        const OpView view(m_p, op);
        if (op.outputs.empty())
            return;
        if (isOneOf(op.target, {"aten::cat", "aten::concat", "aten::stack"})) {
            followJoined(op, view.values("tensors"));
            return;
        }
        const ValueId self = view.value("self");
        if (!self.valid() || (!m_moved.contains(self) && !movesRows(op, self)))
            return;
        const std::optional<Moved> from = rootOf(op, self);
        if (!from)
            return;
        const std::optional<std::vector<NamedArgument>> args = argumentsFor(op, *from);
        if (!args)
            return;
        const bool keepsAll =
            isReshape(op) || isOneOf(op.target, {"aten::flip", "aten::roll", "aten::transpose", "aten::clone", "aten::contiguous"}) || isWhole(op, self);
        Op made{op.name, op.target, op.overload, *args, {}, op.module, op.source};
        made.name = op.target.substr(op.target.rfind(':') + 1);
        std::vector<Moved> all;
        for (const ValueId output : op.outputs) {
            const int leading = static_cast<int>(m_p[output].sizes.size() - others(*from));
            all.push_back({from->root, m_rewriter.newValue(op, indexLike(output, leading)), leading, from->hasAll && keepsAll});
            made.outputs.push_back(all.back().index);
        }
        made.name = m_p[made.outputs.front()].name;
        m_rewriter.emit(std::move(made));
        for (std::size_t i = 0; i < all.size(); ++i)
            m_moved[op.outputs[i]] = all[i];
    }

    // A slice of everything.
    bool isWhole(const Op& op, ValueId self) const
    {
        return op.target == "aten::slice" && m_p[self].sizes == m_p[op.outputs.front()].sizes && OpView(m_p, op).integerOr("step", 1) == 1;
    }

    Value indexLike(ValueId moved, int leading) const
    {
        Value index = m_p[moved];
        index.dtype = DType::Int64;
        for (std::size_t d = static_cast<std::size_t>(leading); d < index.sizes.size(); ++d)
            index.sizes[d] = {1, {}};
        return index;
    }

    void followJoined(const Op& op, const std::vector<ValueId>& parts)
    {
        const OpView view(m_p, op);
        std::vector<Argument> indices;
        std::optional<Moved> first;
        for (const ValueId part : parts) {
            const auto moved = m_moved.find(part);
            if (moved == m_moved.end() || (first && (moved->second.root != first->root || moved->second.leading != first->leading)))
                return;
            first = first ? first : std::optional(moved->second);
            indices.push_back(Argument{moved->second.index});
        }
        const bool stacks = op.target == "aten::stack";
        const int rank = view.outputRank();
        const int dim = view.given("dim") ? view.dim("dim", rank).value_or(rank) : 0;
        if (!first || dim >= first->leading + (stacks ? 1 : 0))
            return;
        Moved joined{first->root, {}, first->leading + (stacks ? 1 : 0), false};
        joined.index = m_rewriter.emitNew(op, op.target, op.overload, {{"tensors", {indices}}, {"dim", {std::int64_t{dim}}}},
                                          indexLike(op.outputs.front(), joined.leading));
        m_moved[op.outputs.front()] = joined;
    }

    // The op's arguments for the index; nothing if it does more than move rows.
    std::optional<std::vector<NamedArgument>> argumentsFor(const Op& op, const Moved& from) const
    {
        const OpView view(m_p, op);
        const std::size_t behind = others(from);
        const int rank = from.leading + static_cast<int>(behind);
        const auto isLeading = [&](const char* name) {
            const auto dim = view.given(name) ? view.dim(name, rank) : std::optional(0);
            return dim && *dim < from.leading;
        };
        std::vector<NamedArgument> args = op.args;
        for (NamedArgument& argument : args)
            if (argument.name == "self")
                argument.value = {from.index};
        const std::vector<Dim>&root = m_p[from.root].sizes, &to = m_p[op.outputs.front()].sizes;
        const bool keepsOthers = to.size() > behind && std::equal(root.begin() + 1, root.end(), to.end() - static_cast<std::ptrdiff_t>(behind));
        if (!keepsOthers)
            return {};
        if (isOneOf(op.target, {"aten::clone", "aten::contiguous"}))
            return args;
        if (isReshape(op)) {
            for (NamedArgument& argument : args)
                if (auto* sizes = argument.name == "self" ? nullptr : std::get_if<std::vector<Argument>>(&argument.value.value))
                    for (std::size_t d = sizes->size() - std::min(behind, sizes->size()); d < sizes->size(); ++d)
                        (*sizes)[d] = {std::int64_t{1}};
            return args;
        }
        if (isOneOf(op.target, {"aten::flip", "aten::roll"})) {
            const auto dims = view.dims("dims", rank);
            return dims && std::ranges::all_of(*dims, [&](int dim) { return dim < from.leading; }) ? std::optional(args) : std::nullopt;
        }
        if (isOneOf(op.target, {"aten::slice", "aten::narrow", "aten::select", "aten::unbind", "aten::chunk", "aten::split", "aten::split_with_sizes",
                                "aten::index_select"}))
            return isLeading("dim") && isFromGraph(op) ? std::optional(args) : std::nullopt;
        if (op.target == "aten::transpose")
            return isLeading("dim0") && isLeading("dim1") ? std::optional(args) : std::nullopt;
        if (op.target == "aten::index") {
            const std::vector<ValueId> indices = view.values("indices");
            bool isListOfNumbers = true;
            for (std::size_t i = 0; i < indices.size(); ++i)
                isListOfNumbers =
                    isListOfNumbers && (!indices[i].valid() || (static_cast<int>(i) < from.leading && m_p[indices[i]].dtype != DType::Bool));
            return isListOfNumbers && isFromGraph(op) ? std::optional(args) : std::nullopt;
        }
        return {};
    }

    // Whether nothing but what is moved depends on features.
    bool isFromGraph(const Op& op) const
    {
        const ValueId self = OpView(m_p, op).value("self");
        bool all = true;
        forEachOperand(op, [&](ValueId operand) {
            all = all && (operand == self || m_p[operand].kind != ValueKind::Tensor ||
                          (operand.index < static_cast<int>(m_reach.size()) && m_reach[operand] != Reach::Feature));
        });
        return all;
    }

    // As many rows as the root has: read at the index.
    bool comesBack(const Op& op, ValueId output)
    {
        const auto found = m_moved.find(output);
        if (found == m_moved.end() || found->second.leading != 1)
            return false;
        const Moved moved = found->second;
        const Value root = m_p[moved.root];
        const Dim rows = m_p[output].sizes.front();
        if (rows != root.sizes.front() && !moved.hasAll && !isTold(op, root.sizes.front()))
            return false;
        if (rows != root.sizes.front())
            m_same[rows.symbol] = root.sizes.front();
        m_moved.erase(output);
        Value list;
        list.dtype = DType::Int64;
        list.sizes = {root.sizes.front()};
        const ValueId index =
            m_rewriter.emitNew(op, "aten::reshape", "", {{"self", {moved.index}}, {"shape", {std::vector<Argument>{{std::int64_t{-1}}}}}}, list);
        m_rewriter.replace(
            output, m_rewriter.emitNew(op, "aten::index_select", "", {{"self", {moved.root}}, {"dim", {std::int64_t{0}}}, {"index", {index}}}, root));
        return true;
    }

    // A view that is told how many rows there are, whatever an exporter writes for it.
    bool isTold(const Op& op, const Dim& rows) const
    {
        for (const char* name : {"size", "shape"})
            if (const Argument* argument = op.find(name))
                if (const auto* sizes = argument->asList(); sizes != nullptr && !sizes->empty())
                    if (const ValueId* first = sizes->front().asValue())
                        return m_p[*first].number == rows;
        return false;
    }

    Program& m_p;
    IdMap<ValueId, Reach> m_reach;
    Rewriter m_rewriter;
    std::map<ValueId, Moved> m_moved;
    std::map<std::string, Dim> m_same;  // sizes that are others, as it turned out
};

}  // namespace

int gatherMovedRows(Program& program)
{
    static const std::set<std::string_view> moving{"aten::flip", "aten::roll", "aten::slice", "aten::narrow", "aten::view", "aten::reshape"};
    // Only where the number of rows is taken apart, or all of them change places.
    const auto isFirst = [&](const Op& op) {
        if (!moving.contains(op.target) || op.outputs.size() != 1)
            return false;
        const ValueId self = OpView(program, op).value("self");
        const std::vector<Dim>& to = program[op.outputs.front()].sizes;
        if (!self.valid() || program[self].sizes.empty() || program[self].sizes[0].isConstant() || to.empty())
            return false;
        return op.target == "aten::flip" || op.target == "aten::roll" || (!to[0].isConstant() && to[0] != program[self].sizes[0]);
    };
    return std::ranges::any_of(program.ops, isFirst) ? MovedRows(program).run() : 0;
}

}  // namespace cleave
