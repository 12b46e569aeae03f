#include "core/analysis/recompose_attention.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/analysis/op_view.h"

namespace cleave {

namespace {

struct Product {
    ValueId left, right, added;  // added may be invalid
};

std::optional<Product> productOf(const Program& program, const Op* op)
{
    if (op == nullptr)
        return {};
    const OpView view(program, *op);
    if (op->target == "aten::matmul")
        return Product{view.value("self"), view.value("other"), {}};
    if (op->target == "aten::mm" || op->target == "aten::bmm")
        return Product{view.value("self"), view.value("mat2"), {}};
    if (op->target == "aten::baddbmm" && !op->find("beta") && !op->find("alpha"))
        return Product{view.value("batch1"), view.value("batch2"), view.value("self")};
    return {};
}

// A matrix of all pairs, or as many as there are heads.
bool isOfPairs(const Value& value)
{
    const std::size_t rank = value.sizes.size();
    return value.kind == ValueKind::Tensor && isFloating(value.dtype) && rank >= 2 && !value.sizes[rank - 1].isConstant() &&
           !value.sizes[rank - 2].isConstant();
}

bool sameMatrices(const Value& a, const Value& b)
{
    return a.sizes.size() >= 2 && b.sizes.size() >= 2 && a.dtype == b.dtype && std::equal(a.sizes.end() - 2, a.sizes.end(), b.sizes.end() - 2);
}

// Through what leaves the matrices of pairs as they are, whatever it does to the dimensions before.
ValueId behindViews(const Program& program, ValueId value)
{
    const auto leavesPairs = [](const Op* op) { return op != nullptr && isView(*op, {ViewKind::Whole, ViewKind::Reshape, ViewKind::Repeat}); };
    for (const Op* op = producerOf(program, value); leavesPairs(op); op = producerOf(program, value)) {
        const ValueId self = OpView(program, *op).value("self");
        if (!self.valid() || !sameMatrices(program[self], program[value]))
            break;
        value = self;
    }
    return value;
}

std::optional<double> numberOf(const Op& op, std::string_view name)
{
    const Argument* argument = op.find(name);
    const double* real = argument ? std::get_if<double>(&argument->value) : nullptr;
    const std::int64_t* whole = argument ? argument->asInt() : nullptr;
    return real ? std::optional(*real) : whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

// Where all keys are left out, PyTorch takes zeros in place of the softmax.
ValueId withoutSafety(const Program& program, ValueId weights)
{
    const Op* op = producerOf(program, weights);
    if (op == nullptr || op->target != "aten::where")
        return weights;
    const OpView view(program, *op);
    const bool isSoftmaxOrZeros =
        filledWith(program, view.value("self")) == 0.0 && view.tensor("other") && view.tensor("other")->sizes == view.output().sizes;
    return isSoftmaxOrZeros ? view.value("other") : weights;
}

// Scores: factor * left right + mask.
struct Scores {
    double factor = 1;
    ValueId mask;
    Product product;
};

// A mask for all queries alike, [..., 1, keys].
bool isMask(const Program& program, ValueId value, const Value& scores)
{
    if (!value.valid() || program[value].kind != ValueKind::Tensor || program[value].dtype != scores.dtype)
        return false;
    const auto& sizes = program[value].sizes;
    return sizes.size() >= 2 && sizes[sizes.size() - 2].isOne() && sizes.back() == scores.sizes.back();
}

std::optional<Scores> scoresOf(const Program& program, ValueId value)
{
    Scores scores;
    for (int steps = 0; steps < 8; ++steps) {
        value = behindViews(program, value);
        if (!isOfPairs(program[value]))
            return {};
        const Op* op = producerOf(program, value);
        if (const auto product = productOf(program, op)) {
            if (product->added.valid() && (scores.mask.valid() || scores.factor != 1 || !isMask(program, product->added, program[value])))
                return {};
            if (product->added.valid())
                scores.mask = product->added;
            scores.product = *product;
            return scores;
        }
        if (op == nullptr)
            return {};
        const OpView view(program, *op);
        const ValueId self = view.value("self"), other = view.value("other");
        const auto number = numberOf(*op, "other");
        const bool isScaled = op->target == "aten::mul" || op->target == "aten::div";
        if (isScaled && number && *number != 0 && !op->find("rounding_mode")) {
            scores.factor *= op->target == "aten::mul" ? *number : 1 / *number;
            value = self;
        } else if (op->target == "aten::add" && !op->find("alpha") && !scores.mask.valid() && scores.factor == 1) {
            // Seen from behind: scores that are scaled after the mask was added would need it scaled as well.
            const bool isSecond = isMask(program, other, program[value]);
            if (!isSecond && !isMask(program, self, program[value]))
                return {};
            scores.mask = isSecond ? other : self;
            value = isSecond ? self : other;
        } else {
            return {};
        }
        if (!value.valid())
            return {};
    }
    return {};
}

// The dimensions before the matrix.
std::vector<Dim> headsOf(const Value& value) { return {value.sizes.begin(), value.sizes.end() - 2}; }

// With as many dimensions as the scores' product; invalid where that is not clear.
ValueId maskFor(const Program& program, const Scores& scores, const Op& op, Rewriter& rewriter)
{
    const std::vector<Dim> heads = headsOf(program[scores.product.left]), own = headsOf(program[scores.mask]);
    const auto count = [](const std::vector<Dim>& dims) {
        std::int64_t product = 1;
        for (const Dim& dim : dims)
            product = dim.isConstant() ? product * dim.value : -1;
        return product;
    };
    if (own.size() <= heads.size() && std::ranges::all_of(own, &Dim::isOne))
        return scores.mask;
    if (own == heads)
        return scores.mask;
    if (count(own) < 0 || count(own) != count(heads))
        return {};
    Value mask = program[scores.mask];
    std::vector<Argument> shape;
    for (const Dim& dim : heads)
        shape.push_back({dim.value});
    shape.insert(shape.end(), {Argument{std::int64_t{1}}, Argument{std::int64_t{-1}}});
    const Dim keys = mask.sizes.back();
    mask.sizes = heads;
    mask.sizes.insert(mask.sizes.end(), {Dim{1, {}}, keys});
    return rewriter.emitNew(op, "aten::reshape", "", {{"self", {scores.mask}}, {"shape", {std::move(shape)}}}, mask);
}

}  // namespace

void recomposeAttention(const Program& program, Op& op, Rewriter& rewriter)
{
    const auto outer = op.target == "aten::baddbmm" ? std::nullopt : productOf(program, &op);
    if (!outer || !outer->left.valid() || !outer->right.valid() || !isOfPairs(program[outer->left]))
        return;
    const ValueId weights = behindViews(program, withoutSafety(program, behindViews(program, outer->left)));
    const Op* softmax = producerOf(program, weights);
    if (softmax == nullptr || (softmax->target != "aten::softmax" && softmax->target != "aten::_softmax"))
        return;
    const OpView view(program, *softmax);
    const int rank = view.rank("self");
    if (rank < 2 || view.dim("dim", rank) != rank - 1 || view.tensor("self")->dtype != program[weights].dtype)
        return;
    const std::optional<Scores> scores = scoresOf(program, view.value("self"));
    if (!scores || !scores->product.left.valid() || !scores->product.right.valid())
        return;
    const Value query = program[scores->product.left], keys = program[scores->product.right], values = program[outer->right];
    const bool fits = query.sizes.size() >= 2 && query.sizes.size() == keys.sizes.size() && keys.sizes.size() == values.sizes.size() &&
                      headsOf(query) == headsOf(keys) && headsOf(keys) == headsOf(values) && query.dtype == values.dtype &&
                      keys.sizes.back() == values.sizes[values.sizes.size() - 2];
    const ValueId mask = fits && scores->mask.valid() ? maskFor(program, *scores, op, rewriter) : ValueId{};
    if (!fits || (scores->mask.valid() && !mask.valid()))
        return;
    Value turned = keys;
    std::swap(turned.sizes[turned.sizes.size() - 1], turned.sizes[turned.sizes.size() - 2]);
    const double scale = scores->factor;
    const ValueId left = scores->product.left, right = outer->right;
    const ValueId key = rewriter.emitNew(
        op, "aten::transpose", "int", {{"self", {scores->product.right}}, {"dim0", {std::int64_t{-2}}}, {"dim1", {std::int64_t{-1}}}}, turned);
    op.target = "aten::scaled_dot_product_attention";
    op.overload.clear();
    op.args = {{"query", {left}}, {"key", {key}}, {"value", {right}}};
    if (mask.valid())
        op.args.push_back({"attn_mask", {mask}});
    op.args.push_back({"scale", {scale}});
}

}  // namespace cleave
