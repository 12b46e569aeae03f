#include "core/analysis/recompose.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/op_view.h"
#include "core/analysis/recompose_attention.h"
#include "core/analysis/recompose_segments.h"
#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

namespace {

// Decomposed, index_select is index, which LibTorch 1.13 calls with 64 bits only.
void widenIndices(const Program& program, Op& op, Rewriter& rewriter)
{
    if (op.target != "aten::index" && op.target != "aten::index_put")
        return;
    for (NamedArgument& argument : op.args)
        if (auto* list = argument.name == "indices" ? std::get_if<std::vector<Argument>>(&argument.value.value) : nullptr)
            for (Argument& index : *list)
                if (const ValueId* id = index.asValue(); id && (program[*id].dtype == DType::Int32 || program[*id].dtype == DType::Int16)) {
                    Value wide = program[*id];
                    wide.dtype = DType::Int64;
                    index = {rewriter.emitNew(op, "aten::to", "dtype", {{"self", {*id}}, {"dtype", {DType::Int64}}}, wide)};
                }
}

// Rows at a table of numbers [n, k] that is read as [n k], then as [n, k, F].
void viewToTable(const Program& program, Op& op)
{
    const OpView view(program, op);
    const Op* gather = isView(op, {ViewKind::Reshape}) ? producerOf(program, view.value("self")) : nullptr;
    if (!gather || (gather->target != "aten::embedding" && gather->target != "aten::index_select" && gather->target != "aten::index"))
        return;
    const OpView gathered(program, *gather);
    const bool isEmbedding = gather->target == "aten::embedding", isSelect = gather->target == "aten::index_select";
    const ValueId rows = gathered.value(isEmbedding ? "weight" : "self");
    const std::vector<ValueId> indices =
        gather->target == "aten::index" ? gathered.values("indices") : std::vector{gathered.value(isEmbedding ? "indices" : "index")};
    if (!rows.valid() || program[rows].sizes.empty() || indices.size() != 1 || !indices.front().valid() ||
        program[indices.front()].dtype != DType::Int64 || (isSelect && gathered.dim("dim", static_cast<int>(program[rows].sizes.size())) != 0))
        return;
    const Op* flattening = producerOf(program, indices.front());
    const ValueId table = flattening && isView(*flattening, {ViewKind::Reshape}) ? OpView(program, *flattening).value("self") : ValueId{};
    if (!table.valid() || program[table].sizes.size() < 2 || program[indices.front()].sizes.size() != 1)
        return;
    std::vector<Dim> sizes = program[table].sizes;
    sizes.insert(sizes.end(), program[rows].sizes.begin() + 1, program[rows].sizes.end());
    if (sizes != view.output().sizes)
        return;
    op.target = "aten::index";
    op.overload = "Tensor";
    op.args = {{"self", {rows}}, {"indices", {std::vector<Argument>{{table}}}}};
}

// Rows [R, F] or numbers [R], each repeated k times, that are read as [R, k, F]: each row spread over k columns.
void viewToExpand(const Program& program, Op& op, Rewriter& rewriter)
{
    const OpView view(program, op);
    const ValueId given = view.value("self");
    if (!isView(op, {ViewKind::Reshape}) || op.outputs.empty() || !given.valid() || !program[given].producer.valid() ||
        program[program[given].producer].target != "aten::repeat_interleave")
        return;
    const OpView repeating(program, program[program[given].producer]);
    const Value* rows = repeating.tensor("self");
    const Value* repeats = repeating.tensor("repeats");
    const std::vector<Dim> sizes = view.output().sizes;
    const bool isEachAsOften = !repeats || std::ranges::all_of(repeats->sizes, &Dim::isOne);
    if (!rows || !isEachAsOften || rows->sizes.empty() || sizes.size() != rows->sizes.size() + 1 || sizes[0] != rows->sizes[0] ||
        !sizes[1].isConstant() || !std::equal(rows->sizes.begin() + 1, rows->sizes.end(), sizes.begin() + 2))
        return;
    if (repeating.given("dim") ? repeating.dim("dim", static_cast<int>(rows->sizes.size())) != 0 : rows->sizes.size() != 1)
        return;
    Value column = *rows;
    column.sizes.insert(column.sizes.begin() + 1, Dim{1, {}});
    std::vector<Argument> spread(sizes.size(), Argument{std::int64_t{-1}});
    spread[1] = {sizes[1].value};
    const ValueId unsqueezed = rewriter.emitNew(op, "aten::unsqueeze", "", {{"self", {repeating.value("self")}}, {"dim", {std::int64_t{1}}}}, column);
    op.target = "aten::expand";
    op.overload.clear();
    op.args = {{"self", {unsqueezed}}, {"size", {spread}}};
}

// LibTorch 1.13 has none. PyTorch computes it in float32 at least.
ValueId rootMeanSquareNorm(const Program& program, const Op& op, Rewriter& rewriter)
{
    const OpView view(program, op);
    const ValueId input = view.value("input"), weight = view.value("weight");
    const Argument* shape = op.find("normalized_shape");
    const auto* normalized = shape ? std::get_if<std::vector<Argument>>(&shape->value) : nullptr;
    if (!input.valid() || !normalized || normalized->empty() || normalized->size() > program[input].sizes.size())
        throw Error("Op '" + op.name + "' (" + op.target + ") is not given a tensor that it needs.");
    const Value given = program[input], out = view.output();
    Value wide = given;
    wide.dtype = given.dtype == DType::Float64 ? DType::Float64 : DType::Float32;
    const auto call = [&](const char* target, const char* overload, std::vector<NamedArgument> args, const Value& like) {
        return rewriter.emitNew(op, target, overload, std::move(args), like);
    };
    const auto cast = [&](ValueId value, const Value& like) { return call("aten::to", "dtype", {{"self", {value}}, {"dtype", {like.dtype}}}, like); };
    Value mean = wide;
    std::vector<Argument> dims;
    for (std::size_t back = normalized->size(); back > 0; --back) {
        dims.push_back({-static_cast<std::int64_t>(back)});
        mean.sizes[mean.sizes.size() - back] = Dim{1, {}};
    }
    const Argument* eps = op.find("eps");
    const double least = wide.dtype == DType::Float64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
    const Argument number = eps && !eps->isNone() ? *eps : Argument{least};
    const ValueId x = given.dtype == wide.dtype ? input : cast(input, wide);
    const ValueId square = call("aten::mul", "Tensor", {{"self", {x}}, {"other", {x}}}, wide);
    const ValueId ofRow = call("aten::mean", "dim", {{"self", {square}}, {"dim", {dims}}, {"keepdim", {true}}}, mean);
    const ValueId root = call("aten::rsqrt", "", {{"self", {call("aten::add", "Scalar", {{"self", {ofRow}}, {"other", number}}, mean)}}}, mean);
    ValueId result = call("aten::mul", "Tensor", {{"self", {x}}, {"other", {root}}}, wide);
    if (weight.valid())
        result = call("aten::mul", "Tensor", {{"self", {result}}, {"other", {weight}}}, wide);
    return out.dtype == wide.dtype ? result : cast(result, out);
}

// Decomposed, a batch norm gives statistics too, which nobody reads, and which LibTorch 1.13 divides by no rows for where a batch has no edges.
void composeNorm(Op& op)
{
    if (op.target != "aten::_native_batch_norm_legit_no_training")
        return;
    std::vector<NamedArgument> args;
    for (const char* name : {"input", "weight", "bias", "running_mean", "running_var"}) {
        const Argument* given = op.find(name);
        args.push_back({name, given ? *given : Argument{}});
    }
    args.push_back({"training", {false}});
    for (const char* name : {"momentum", "eps"})
        if (const Argument* given = op.find(name))
            args.push_back({name, *given});
    args.push_back({"cudnn_enabled", {false}});
    op.target = "aten::batch_norm";
    op.overload.clear();
    op.args = std::move(args);
    op.outputs.resize(1);
}

// Decomposed, row, col = edge_index takes [2, E] apart into [1, E] twice, and then the dimension away.
void sliceToSelect(const Program& program, Op& op)
{
    const OpView view(program, op);
    const ValueId self = view.value("self");
    if (!isView(op, {ViewKind::Reshape}) || op.outputs.empty() || !self.valid() || !program[self].producer.valid() ||
        program[self].dtype != view.output().dtype)
        return;
    const Op& producer = program[program[self].producer];
    const OpView part(program, producer);
    const Value* whole = part.tensor("self");
    const auto dim = whole ? part.dim("dim", static_cast<int>(whole->sizes.size())) : std::nullopt;
    const auto at = static_cast<std::size_t>(dim.value_or(0));
    if (!whole || (!dim && part.given("dim")) || at >= whole->sizes.size() || !whole->sizes[at].isConstant())
        return;
    std::optional<std::int64_t> index;
    if (producer.target == "aten::slice" && part.integerOr("step", 1) == 1 && (!part.given("start") || part.integer("start")))
        index = part.integerOr("start", 0);
    else if (producer.target == "aten::chunk" || producer.target.starts_with("aten::split"))
        index = std::ranges::find(producer.outputs, self) - producer.outputs.begin();
    const auto isOne = [&](ValueId value) { return program[value].sizes.size() == whole->sizes.size() && program[value].sizes[at] == Dim{1, {}}; };
    // A slice takes what there is of it; a selection does not.
    if (index && *index < 0)
        index = std::max<std::int64_t>(0, *index + whole->sizes[at].value);
    if (index && *index >= whole->sizes[at].value)
        return;
    std::vector<Dim> left = program[self].sizes;
    if (!index || !std::ranges::all_of(producer.outputs, isOne))
        return;
    left.erase(left.begin() + dim.value_or(0));
    if (left != view.output().sizes)
        return;
    const ValueId from = part.value("self");
    op.target = "aten::select";
    op.overload = "int";
    op.args = {{"self", {from}}, {"dim", {static_cast<std::int64_t>(at)}}, {"index", {*index}}};
}

// Decomposed, a stack is a concatenation that is taken apart again: k tensors of [n, F], [k n, F], [k, n, F].
void viewToStack(const Program& program, Op& op)
{
    const OpView view(program, op);
    const ValueId self = view.value("self");
    if (!isReshape(op) || !self.valid() || !program[self].producer.valid())
        return;
    const Op& cat = program[program[self].producer];
    const OpView catView(program, cat);
    const std::vector<ValueId> parts = cat.target == "aten::cat" ? catView.values("tensors") : std::vector<ValueId>();
    if (parts.size() < 2 || !parts.front().valid() || program[parts.front()].sizes.empty() ||
        catView.dim("dim", catView.outputRank()).value_or(0) != 0)
        return;
    const Value& first = program[parts.front()];
    std::vector<Dim> stacked = first.sizes;
    stacked.insert(stacked.begin(), Dim{static_cast<std::int64_t>(parts.size()), {}});
    const bool isStack = view.output().sizes == stacked && std::ranges::all_of(parts, [&](ValueId part) {
                             return part.valid() && program[part].sizes == first.sizes && program[part].dtype == first.dtype;
                         });
    if (!isStack)
        return;
    const Argument tensors = *cat.find("tensors");
    op.target = "aten::stack";
    op.overload.clear();
    op.args = {{"tensors", tensors}, {"dim", {std::int64_t{0}}}};
}

}  // namespace

ValueId onlyPart(const Program& program, const Op& op)
{
    if (op.target != "aten::cat" || op.outputs.size() != 1)
        return {};
    const std::vector<ValueId> parts = OpView(program, op).values("tensors");
    const Value& out = program[op.outputs.front()];
    return parts.size() == 1 && parts.front().valid() && program[parts.front()].sizes == out.sizes && program[parts.front()].dtype == out.dtype
               ? parts.front()
               : ValueId{};
}

namespace {

// Rows that are repeated, each as often as the graph says, are rows at an index.
ValueId repeatedRows(const Program& program, const Op& op, Rewriter& rewriter)
{
    if (op.outputs.empty())
        return {};
    const OpView view(program, op);
    const ValueId self = view.value("self"), repeats = view.value("repeats");
    const auto dim = view.dim("dim", view.rank("self"));
    if (!self.valid() || !repeats.valid() || !dim || !isFloating(program[self].dtype) || program[repeats].sizes.size() != 1 ||
        view.outputRank() != view.rank("self"))
        return {};
    const Dim& rows = program[self].sizes[static_cast<std::size_t>(*dim)];
    const Argument count = rewriter.sizeArgument(rows, op);
    if (count.isNone() || rows != program[repeats].sizes[0])
        return {};
    Value numbers = program[repeats], index = numbers;
    numbers.dtype = index.dtype = DType::Int64;
    index.sizes = {view.output().sizes[static_cast<std::size_t>(*dim)]};
    const ValueId all = rewriter.emitNew(op, "aten::arange", "", {{"end", count}, {"dtype", {DType::Int64}}}, numbers);
    std::vector<NamedArgument> args{{"self", {all}}, {"repeats", {repeats}}, {"dim", {std::int64_t{0}}}};
    if (const Argument* size = op.find("output_size"))
        args.push_back({"output_size", *size});
    const ValueId at = rewriter.emitNew(op, "aten::repeat_interleave", "self_Tensor", std::move(args), index);
    return rewriter.emitNew(op, "aten::index_select", "", {{"self", {self}}, {"dim", {std::int64_t{*dim}}}, {"index", {at}}}, Value(view.output()));
}

}  // namespace

namespace {

bool isBag(const Op& op, const std::set<ValueId>& read)
{
    return isEmbeddingBag(op) && op.outputs.size() > 1 &&
           std::none_of(op.outputs.begin() + 1, op.outputs.end(), [&](ValueId other) { return read.contains(other); });
}

}  // namespace

void composeBags(Program& program)
{
    const std::set<ValueId> read = valuesRead(program);
    if (std::ranges::none_of(program.ops, [&](const Op& op) { return isBag(op, read); }))
        return;
    Rewriter rewriter(program);
    for (Op& op : rewriter.takeOps()) {
        rewriter.resolveOperands(op);
        if (const ValueId composed = isBag(op, read) ? bagReduction(program, op, rewriter) : ValueId{}; composed.valid()) {
            rewriter.replace(op.outputs.front(), composed);
            continue;
        }
        const std::vector<ValueId> outputs = op.outputs;
        rewriter.emit(std::move(op));
        for (const ValueId id : outputs)
            rewriter.noteSize(id);
    }
    rewriter.finish();
}

ValueId composeNewOp(const Program& program, const Op& op, Rewriter& rewriter)
{
    if (op.target == "aten::rms_norm")
        return rootMeanSquareNorm(program, op, rewriter);
    if (op.target == "aten::segment_reduce")
        return segmentReduction(program, op, rewriter);
    if (op.target == "aten::repeat_interleave")
        return repeatedRows(program, op, rewriter);
    return {};
}

void recompose(const Program& program, Op& op, Rewriter& rewriter, const std::set<ValueId>& read)
{
    widenIndices(program, op, rewriter);
    viewToStack(program, op);
    sliceToSelect(program, op);
    viewToTable(program, op);
    viewToExpand(program, op, rewriter);
    recomposeAttention(program, op, rewriter);
    if (op.outputs.size() > 1 && std::none_of(op.outputs.begin() + 1, op.outputs.end(), [&](ValueId other) { return read.contains(other); }))
        composeNorm(op);
}

}  // namespace cleave
