#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>

#include "core/analysis/analysis.h"
#include "core/analysis/message_passing.h"
#include "core/analysis/op_view.h"
#include "core/analysis/passes.h"
#include "core/analysis/rewrite_round.h"
#include "core/analysis/row_rules.h"

namespace cleave {

namespace {

// Puts rows of features first wherever the op allows it, so that rows are gathered and added up as they lie in memory: [B, V, F] becomes [V, B, F].
// Each tensor keeps its form as the program has it beside the one with rows first, and is made anew in the former where an op needs that.
class RowsAtFront {
public:
    explicit RowsAtFront(Program& program) : m_p(program), m_reach(findReach(program)) {}

    // How many gathers and reductions found their rows along another dimension.
    int run()
    {
        const int found = passingElsewhere();
        if (found == 0)
            return 0;
        m_rewriter.emplace(m_p);
        for (Op& op : m_rewriter->takeOps())
            if (!isElsewhere(op) || !rearranged(op)) {
                forEachOperand(op, [&](ValueId operand) { asItWas(operand, op); });
                m_rewriter->emit(std::move(op));
            }
        for (const ValueId output : m_p.outputs)
            asItWas(output, m_p.ops.back());
        m_rewriter->finish();
        dropDeadOps(m_p);
        return found;
    }

private:
    bool isFeature(ValueId id) const { return id.index < static_cast<int>(m_reach.size()) ? m_reach[id] == Reach::Feature : true; }

    // The dimension of the rows; nothing where none or several grow with the graph.
    std::optional<int> rowDim(ValueId id) const
    {
        const std::vector<Dim>& sizes = m_p[id].sizes;
        const auto isOpen = [](const Dim& dim) { return !dim.isConstant(); };
        const auto first = std::ranges::find_if(sizes, isOpen);
        if (m_p[id].kind != ValueKind::Tensor || first == sizes.end() || std::any_of(first + 1, sizes.end(), isOpen))
            return {};
        return static_cast<int>(first - sizes.begin());
    }

    int passingElsewhere() const
    {
        int found = 0;
        for (std::size_t i = 0; i < m_p.ops.size(); ++i) {
            const OpId op{static_cast<int>(i)};
            if (const auto gather = gatherForm(m_p, op))
                found += isFeature(gather->source) && gather->sourceDim > 0 && rowDim(gather->source) == gather->sourceDim ? 1 : 0;
            else if (const auto scatter = scatterForm(m_p, op))
                found += isFeature(m_p[op].outputs.front()) && scatter->rowDim > 0 && rowDim(m_p[op].outputs.front()) == scatter->rowDim ? 1 : 0;
        }
        return found;
    }

    // Whether rows of the op's operands or results are not first.
    bool isElsewhere(const Op& op) const
    {
        bool any = false;
        for (const ValueId output : op.outputs) {
            const auto row = rowDim(output);
            if (!row || !isFeature(output))
                return false;
            any = any || *row > 0;
        }
        forEachOperand(op, [&](ValueId operand) { any = any || m_first.contains(operand); });
        return any && !op.outputs.empty();
    }

    // Where a dimension is after dimension `row` has been put first.
    static int toFirst(int dim, int row) { return dim == row ? 0 : dim < row ? dim + 1 : dim; }

    template <class Item>
    static std::vector<Item> rotated(std::vector<Item> items, int row)
    {
        std::rotate(items.begin(), items.begin() + row, items.begin() + row + 1);
        return items;
    }

    Value firstOf(ValueId id, int row) const
    {
        Value value = m_p[id];
        value.sizes = rotated(value.sizes, row);
        return value;
    }

    ValueId emitted(const Op& origin, const std::string& target, std::string overload, std::vector<NamedArgument> args, Value like)
    {
        return m_rewriter->emitNew(origin, target, std::move(overload), std::move(args), like);
    }

    ValueId permuted(const Op& origin, ValueId id, const std::vector<int>& dims)
    {
        Value like = m_p[id];
        std::vector<Argument> list;
        for (std::size_t d = 0; d < dims.size(); ++d) {
            like.sizes[d] = m_p[id].sizes[static_cast<std::size_t>(dims[d])];
            list.push_back({std::int64_t{dims[d]}});
        }
        return emitted(origin, "aten::permute", "", {{"self", {id}}, {"dims", {std::move(list)}}}, std::move(like));
    }

    // The tensor with its rows first.
    ValueId first(const Op& origin, ValueId id)
    {
        const int row = rowDim(id).value();
        if (row == 0)
            return id;
        const auto known = m_first.find(id);
        if (known != m_first.end())
            return known->second;
        if (const OpId maker = m_p[id].producer; maker.valid() && isFactory(m_p[maker].target)) {
            std::vector<NamedArgument> args = m_p[maker].args;
            const auto size = std::ranges::find(args, "size", &NamedArgument::name);
            if (size != args.end() && size->value.asList() && size->value.asList()->size() == m_p[id].sizes.size()) {
                size->value = {rotated(*size->value.asList(), row)};
                return m_first[id] = emitted(origin, m_p[maker].target, m_p[maker].overload, std::move(args), firstOf(id, row));
            }
        }
        std::vector<int> dims(m_p[id].sizes.size());
        std::iota(dims.begin(), dims.end(), 0);
        return m_first[id] = permuted(origin, id, rotated(dims, row));
    }

    // The tensor as the program has it, if it is there with its rows first only.
    void asItWas(ValueId id, const Op& origin)
    {
        const auto known = m_first.find(id);
        if (known == m_first.end() || m_p[id].producer.valid() || m_p.isInput(id))
            return;
        const int row = rowDim(id).value();
        std::vector<Argument> dims;
        for (int d = 0; d < static_cast<int>(m_p[id].sizes.size()); ++d)
            dims.push_back({std::int64_t{toFirst(d, row)}});
        m_rewriter->emit(
            {m_p[id].name, "aten::permute", "", {{"self", {known->second}}, {"dims", {std::move(dims)}}}, {id}, origin.module, origin.source});
    }

    // A tensor that is broadcast to `rank` dimensions with rows along `row`, so that it is broadcast to the same with rows first; invalid if it
    // cannot be.
    ValueId broadcast(const Op& origin, ValueId id, int rank, int row)
    {
        const Value value = m_p[id];
        const int missing = rank - static_cast<int>(value.sizes.size());
        if (value.kind != ValueKind::Tensor || missing > row)
            return id;
        if (const auto own = rowDim(id)) {
            if (*own + missing != row)
                return {};
            ValueId result = first(origin, id);
            for (int i = 0; i < missing && row > 0; ++i)
                result = unsqueezed(origin, result, 1);
            return result;
        }
        if (std::ranges::any_of(value.sizes, [](const Dim& dim) { return !dim.isConstant(); }) ||
            !value.sizes[static_cast<std::size_t>(row - missing)].isOne())
            return {};
        std::vector<int> dims(value.sizes.size());
        std::iota(dims.begin(), dims.end(), 0);
        ValueId result = row == missing ? id : permuted(origin, id, rotated(dims, row - missing));
        for (int i = 0; i < missing && row > missing; ++i)
            result = unsqueezed(origin, result, 1);
        return result;
    }

    ValueId unsqueezed(const Op& origin, ValueId id, int dim)
    {
        Value like = m_p[id];
        like.sizes.insert(like.sizes.begin() + dim, Dim{1, {}});
        return emitted(origin, "aten::unsqueeze", "", {{"self", {id}}, {"dim", {std::int64_t{dim}}}}, std::move(like));
    }

    // What an op with its operands' rows first is called with.
    struct Call {
        std::string target, overload;
        std::vector<NamedArgument> args;

        Argument& operator[](std::string_view name) { return std::ranges::find(args, name, &NamedArgument::name)->value; }

        void set(std::string_view name, Argument value)
        {
            if (const auto found = std::ranges::find(args, name, &NamedArgument::name); found != args.end())
                found->value = std::move(value);
            else
                args.push_back({std::string(name), std::move(value)});
        }
    };

    // Its results have their rows first; where they had them first before, they are the program's.
    bool emitFirst(const Op& op, Call call)
    {
        Op made{op.name, std::move(call.target), std::move(call.overload), std::move(call.args), {}, op.module, op.source};
        for (const ValueId output : op.outputs)
            if (const int row = rowDim(output).value(); row > 0)
                m_first[output] = made.outputs.emplace_back(m_rewriter->newValue(op, firstOf(output, row)));
            else
                made.outputs.push_back(output);
        if (made.outputs.front() != op.outputs.front())
            made.name = m_p[made.outputs.front()].name;
        m_rewriter->emit(std::move(made));
        return true;
    }

    // Puts the rows of a tensor among the arguments first, which lie along `row`.
    bool put(const Op& op, Call& call, std::string_view name, int row)
    {
        const ValueId id = OpView(m_p, op).value(name);
        if (!id.valid() || rowDim(id) != row)
            return false;
        call[name] = {first(op, id)};
        return true;
    }

    bool rearranged(const Op& op);
    bool elementwise(const Op& op, Call call);
    bool layer(const Op& op, Call call);
    bool gathered(const Op& op, Call call);
    bool scattered(const Op& op, Call call);
    bool permutation(const Op& op);
    bool regrouped(const Op& op);
    bool alongDim(const Op& op, Call call);
    bool joined(const Op& op, Call call);
    bool reduced(const Op& op, Call call);
    bool expanded(const Op& op, Call call);

    Program& m_p;
    IdMap<ValueId, Reach> m_reach;
    std::optional<Rewriter> m_rewriter;
    std::map<ValueId, ValueId> m_first;
};

// False where the op is to be called with its operands as they were.
bool RowsAtFront::rearranged(const Op& op)
{
    const Call call{op.target, op.overload, op.args};
    return elementwise(op, call) || layer(op, call) || gathered(op, call) || scattered(op, call) || permutation(op) || regrouped(op) ||
           alongDim(op, call) || joined(op, call) || reduced(op, call) || expanded(op, call);
}

bool RowsAtFront::elementwise(const Op& op, Call call)
{
    if (!isElementwise(op.target) || op.outputs.size() != 1)
        return false;
    const ValueId output = op.outputs.front();
    const int rank = static_cast<int>(m_p[output].sizes.size()), row = rowDim(output).value();
    for (NamedArgument& argument : call.args)
        if (const ValueId* id = argument.value.asValue()) {
            const ValueId by = broadcast(op, *id, rank, row);
            if (!by.valid())
                return false;
            argument.value = {by};
        }
    return emitFirst(op, std::move(call));
}

// Layers that work on the last dimensions, behind the rows.
bool RowsAtFront::layer(const Op& op, Call call)
{
    const OpView view(m_p, op);
    const int row = rowDim(op.outputs.front()).value(), behind = view.outputRank() - 1 - row;
    if (op.target == "aten::linear")
        return behind >= 1 && !isFeature(view.value("weight")) && put(op, call, "input", row) && emitFirst(op, std::move(call));
    if (op.target == "aten::matmul")
        return behind >= 1 && view.rank("other") == 2 && !rowDim(view.value("other")) && put(op, call, "self", row) && emitFirst(op, std::move(call));
    if (op.target == "aten::prelu") {
        const Value* weight = view.tensor("weight");
        return weight != nullptr && std::ranges::all_of(weight->sizes, &Dim::isOne) && put(op, call, "self", row) && emitFirst(op, std::move(call));
    }
    if (op.target != "aten::layer_norm")
        return false;
    const auto* shape = op.find("normalized_shape") ? op.find("normalized_shape")->asList() : nullptr;
    return shape && static_cast<int>(shape->size()) <= behind && put(op, call, "input", row) && emitFirst(op, std::move(call));
}

bool RowsAtFront::gathered(const Op& op, Call call)
{
    const OpView view(m_p, op);
    const ValueId self = view.value("self");
    if (op.target != "aten::index_select" && op.target != "aten::index")
        return false;
    const int row = rowDim(op.outputs.front()).value();
    if (op.target == "aten::index") {
        const std::vector<ValueId> indices = view.values("indices");
        if (static_cast<int>(indices.size()) != row + 1 || std::count_if(indices.begin(), indices.end(), [](ValueId v) { return v.valid(); }) != 1 ||
            !indices.back().valid() || m_p[indices.back()].sizes.size() != 1 || m_p[indices.back()].dtype == DType::Bool)
            return false;
        call.set("indices", {std::vector<Argument>{{indices.back()}}});
        return put(op, call, "self", row) && emitFirst(op, std::move(call));
    }
    const auto dim = view.dim("dim", view.rank("self"));
    if (!dim || !self.valid() || !put(op, call, "self", row))
        return false;
    call.set("dim", {std::int64_t{toFirst(*dim, row)}});
    return emitFirst(op, std::move(call));
}

bool RowsAtFront::scattered(const Op& op, Call call)
{
    const std::string& t = op.target;
    const bool byElement = t == "aten::scatter_add" || t == "aten::scatter_reduce";
    if (!byElement && t != "aten::index_add" && t != "aten::index_reduce")
        return false;
    const OpView view(m_p, op);
    const int row = rowDim(op.outputs.front()).value();
    const std::string_view source = byElement ? "src" : "source";
    const ValueId index = view.value("index"), added = view.value(source);
    if (view.dim("dim", view.rank("self")) != row || !index.valid() || !added.valid() ||
        m_p[added].sizes.size() != m_p[op.outputs.front()].sizes.size())
        return false;
    const ValueId root = viewRoot(m_p, index);
    if (m_p[root].sizes.size() != 1 || !put(op, call, "self", row) || !put(op, call, source, row))
        return false;
    call.set("dim", {std::int64_t{0}});
    if (byElement) {
        ValueId repeated = root;
        for (int d = 1; d < view.outputRank(); ++d)
            repeated = unsqueezed(op, repeated, d);
        Value like = firstOf(added, row);
        like.dtype = m_p[root].dtype;
        std::vector<Argument> sizes{{std::int64_t{-1}}};
        for (std::size_t d = 1; d < like.sizes.size(); ++d)
            sizes.push_back({like.sizes[d].value});
        call.set("index", {emitted(op, "aten::expand", "", {{"self", {repeated}}, {"size", {std::move(sizes)}}}, std::move(like))});
    }
    return emitFirst(op, std::move(call));
}

bool RowsAtFront::permutation(const Op& op)
{
    const OpView view(m_p, op);
    const ValueId self = view.value("self"), output = op.outputs.front();
    const int rank = view.outputRank();
    std::vector<int> dims(static_cast<std::size_t>(rank));
    std::iota(dims.begin(), dims.end(), 0);
    if (op.target == "aten::permute") {
        const auto given = view.dims("dims", rank);
        if (!given || given->size() != dims.size())
            return false;
        dims = *given;
    } else if (op.target == "aten::transpose") {
        const auto a = view.dim("dim0", rank), b = view.dim("dim1", rank);
        if (!a || !b)
            return false;
        std::swap(dims[static_cast<std::size_t>(*a)], dims[static_cast<std::size_t>(*b)]);
    } else if (op.target == "aten::t" && rank == 2) {
        std::swap(dims[0], dims[1]);
    } else {
        return false;
    }
    const auto from = self.valid() ? rowDim(self) : std::nullopt;
    if (!from || view.rank("self") != rank)
        return false;
    const int row = rowDim(output).value();
    dims = rotated(dims, row);
    for (int& dim : dims)
        dim = toFirst(dim, *from);
    const ValueId rows = first(op, self);
    if (row > 0) {
        m_first[output] = std::ranges::is_sorted(dims) ? rows : permuted(op, rows, dims);
        return true;
    }
    std::vector<Argument> list;
    for (const int dim : dims)
        list.push_back({std::int64_t{dim}});
    return emitFirst(op, {"aten::permute", "", {{"self", {rows}}, {"dims", {std::move(list)}}}});
}

// Dimensions before the rows are regrouped among themselves, and those behind.
bool RowsAtFront::regrouped(const Op& op)
{
    const OpView view(m_p, op);
    const ValueId self = view.value("self"), output = op.outputs.front();
    if ((!isReshape(op) && !isOneOf(op.target, {"aten::flatten", "aten::unflatten"})) || !self.valid() || !rowDim(self))
        return false;
    const int from = rowDim(self).value(), to = rowDim(output).value();
    const auto before = [&](ValueId id, int row) {
        std::int64_t product = 1;
        for (int d = 0; d < row; ++d)
            if (__builtin_mul_overflow(product, m_p[id].sizes[static_cast<std::size_t>(d)].value, &product))
                return std::int64_t{-1};
        return product;
    };
    if (m_p[self].sizes[static_cast<std::size_t>(from)] != m_p[output].sizes[static_cast<std::size_t>(to)] || before(self, from) < 0 ||
        before(self, from) != before(output, to))
        return false;
    std::vector<Argument> shape{{std::int64_t{-1}}};
    const std::vector<Dim> sizes = rotated(m_p[output].sizes, to);
    for (std::size_t d = 1; d < sizes.size(); ++d)
        if (sizes[d].value > 0)
            shape.push_back({sizes[d].value});
        else
            return false;
    return emitFirst(op, {"aten::reshape", "", {{"self", {first(op, self)}}, {"shape", {std::move(shape)}}}});
}

// Ops with one dimension to work along, which is not that of the rows.
bool RowsAtFront::alongDim(const Op& op, Call call)
{
    static const std::set<std::string_view> targets{"aten::slice",        "aten::narrow",    "aten::split",    "aten::split_with_sizes",
                                                    "aten::chunk",        "aten::softmax",   "aten::_softmax", "aten::log_softmax",
                                                    "aten::_log_softmax", "aten::cumsum",    "aten::glu",      "aten::select",
                                                    "aten::unbind",       "aten::unsqueeze", "aten::squeeze"};
    const OpView view(m_p, op);
    const ValueId self = view.value("self");
    if (!targets.contains(op.target) || !self.valid() || !rowDim(self))
        return false;
    const int from = rowDim(self).value();
    const bool adds = op.target == "aten::unsqueeze";
    const int rank = adds ? view.outputRank() : view.rank("self"), row = adds ? rowDim(op.outputs.front()).value() : from;
    std::optional<int> dim = view.given("dim") ? std::nullopt : std::optional(op.target == "aten::glu" ? rank - 1 : 0);
    if (const auto dims = view.dims("dim", rank); dims && dims->size() == 1)
        dim = dims->front();
    if (!dim || *dim == row || (op.target == "aten::squeeze" && !view.given("dim")))
        return false;
    const Argument number{std::int64_t{toFirst(*dim, row)}};
    const bool isList = op.find("dim") && op.find("dim")->asList();
    call.set("dim", isList ? Argument{std::vector<Argument>{number}} : number);
    return put(op, call, "self", from) && emitFirst(op, std::move(call));
}

bool RowsAtFront::joined(const Op& op, Call call)
{
    const bool stacks = op.target == "aten::stack";
    if (!stacks && op.target != "aten::cat" && op.target != "aten::concat")
        return false;
    const OpView view(m_p, op);
    const int rank = view.outputRank(), row = rowDim(op.outputs.front()).value();
    const auto dim = view.given("dim") ? view.dim("dim", rank) : std::optional(0);
    if (!dim || (stacks && *dim == row))
        return false;
    std::vector<Argument> tensors;
    for (const ValueId id : view.values("tensors")) {
        if (!id.valid() || rowDim(id) != (stacks && *dim < row ? row - 1 : row))
            return false;
        tensors.push_back({first(op, id)});
    }
    call.set("tensors", {std::move(tensors)});
    call.set("dim", {std::int64_t{toFirst(*dim, row)}});
    return emitFirst(op, std::move(call));
}

bool RowsAtFront::reduced(const Op& op, Call call)
{
    static const std::set<std::string_view> targets{"aten::sum",
                                                    "aten::mean",
                                                    "aten::amax",
                                                    "aten::amin",
                                                    "aten::max",
                                                    "aten::min",
                                                    "aten::prod",
                                                    "aten::argmax",
                                                    "aten::argmin",
                                                    "aten::logsumexp",
                                                    "aten::std",
                                                    "aten::var",
                                                    "aten::linalg_vector_norm"};
    const OpView view(m_p, op);
    const ValueId self = view.value("self");
    if (!targets.contains(op.target) || view.tensor("other") || !self.valid() || !rowDim(self))
        return false;
    const int row = rowDim(self).value();
    const auto dims = view.dims("dim", view.rank("self"));
    if (!dims || std::ranges::count(*dims, row) > 0)
        return false;
    std::vector<Argument> list;
    for (const int dim : *dims)
        list.push_back({std::int64_t{toFirst(dim, row)}});
    call.set("dim", op.find("dim")->asList() ? Argument{list} : list.front());
    return put(op, call, "self", row) && emitFirst(op, std::move(call));
}

bool RowsAtFront::expanded(const Op& op, Call call)
{
    const OpView view(m_p, op);
    const int row = rowDim(op.outputs.front()).value(), rank = view.outputRank();
    const auto* size = op.target == "aten::expand" && op.find("size") ? op.find("size")->asList() : nullptr;
    const ValueId self = view.value("self");
    if (!size || static_cast<int>(size->size()) != rank || !self.valid() || !rowDim(self))
        return false;
    const ValueId by = broadcast(op, self, rank, row);
    if (!by.valid())
        return false;
    call.set("self", {by});
    call.set("size", {rotated(*size, row)});
    return emitFirst(op, std::move(call));
}

}  // namespace

int rowsAtFront(Program& program)
{
    return RowsAtFront(program).run();
}

}  // namespace cleave
