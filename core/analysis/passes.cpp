#include "core/analysis/passes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/analysis/dims.h"
#include "core/analysis/message_passing.h"
#include "core/analysis/op_view.h"
#include "core/analysis/recompose.h"
#include "core/analysis/rewriter.h"
#include "core/base/error.h"
#include "core/model/size_term.h"

namespace cleave {

namespace {

Reach inputReach(Role role)
{
    return role == Role::NodeFeatures ? Reach::Feature : Reach::Structure;
}

bool isSizeOp(std::string_view target)
{
    return target == "aten::sym_size" || target == "aten::sym_numel";
}

bool isCheck(const Op& op)
{
    static const std::set<std::string_view> checks{"aten::_assert_scalar", "aten::_assert_async", "aten::sym_constrain_range",
                                                   "aten::sym_constrain_range_for_size", "aten::_assert_tensor_metadata",
                                                   "aten::_functional_assert_async", "aten::_functional_sym_constrain_range",
                                                   "aten::_functional_sym_constrain_range_for_size"};
    return checks.contains(op.target) || (op.outputs.empty() && op.target.find("assert") != std::string::npos);
}

bool isDropout(std::string_view target)
{
    return target.ends_with("dropout") && target.starts_with("aten::");
}

// What draws random numbers only if it is told to: in training, or with something to be dropped.
bool drawsIfTold(const Program& program, const Op& op)
{
    const OpView view(program, op);
    const bool trains = view.flag(op.target == "aten::rrelu" ? "training" : "train", false);
    if (op.target == "aten::scaled_dot_product_attention")
        return view.number("dropout_p").value_or(0) > 0;
    if (op.target == "aten::rrelu")
        return trains;
    return isOneOf(op.target, {"aten::gru", "aten::lstm", "aten::rnn_tanh", "aten::rnn_relu"}) && trains && view.number("dropout").value_or(0) > 0;
}

bool isRandom(const Program& program, const Op& op)
{
    static const std::set<std::string_view> random{"aten::rand", "aten::randn", "aten::rand_like", "aten::randn_like", "aten::randint",
                                                   "aten::randint_like", "aten::randperm", "aten::bernoulli", "aten::multinomial",
                                                   "aten::normal", "aten::uniform", "aten::exponential", "aten::poisson", "aten::random",
                                                   "aten::native_dropout", "aten::rrelu_with_noise", "aten::cauchy", "aten::geometric",
                                                   "aten::log_normal", "aten::binomial"};
    return random.contains(op.target) || isDropout(op.target) || drawsIfTold(program, op);
}

// Ops whose output is their operand, whatever the graph.
bool isNoOp(const Program& program, const Op& op)
{
    const OpView view(program, op);
    const Value* self = view.tensor("self");
    if (!self || op.outputs.size() != 1)
        return false;
    const Value& out = view.output();
    if (isView(op, {ViewKind::Whole}))
        return true;
    const bool sameSizes = self->sizes == out.sizes;
    if (op.target == "aten::to" || op.target == "aten::_to_copy" || op.target == "aten::type_as")
        return self->dtype == out.dtype && self->dtype != DType::Unknown;
    if (isView(op, {ViewKind::Reshape, ViewKind::Repeat}))
        return sameSizes && self->dtype == out.dtype;
    if (op.target == "aten::slice")
        return sameSizes && view.integerOr("start", 0) == 0 && view.integerOr("step", 1) == 1;
    return false;
}

// What an op multiplies by nothing but ones; invalid if it does not.
ValueId timesOnes(const Program& program, const Op& op)
{
    if (op.target != "aten::mul" || op.outputs.size() != 1)
        return {};
    const OpView view(program, op);
    const Value& out = view.output();
    const auto isExact = [](DType dtype) { return isFloating(dtype) || dtype == DType::Int64 || dtype == DType::Int32; };
    const auto isOnes = [&](ValueId id) {
        const Op* maker = producerOf(program, id);
        return maker != nullptr && maker->target == "aten::ones";
    };
    for (const auto& [factor, other] : {std::pair{"self", "other"}, std::pair{"other", "self"}})
        if (const Value* kept = view.tensor(other);
            kept && isOnes(view.value(factor)) && kept->sizes == out.sizes && kept->dtype == out.dtype && isExact(kept->dtype))
            return view.value(other);
    return {};
}

class Cleaner {
public:
    explicit Cleaner(Program& program) : m_program(program) {}

    std::vector<PassCount> run()
    {
        simplify();
        mergeEqual();
        dropDead();
        refuseRandom();
        std::vector<PassCount> counts;
        for (const std::string_view pass : {dropout, noOps, checks, sizes, folded, merged, dead})
            counts.push_back({std::string(pass), m_counts[std::string(pass)]});
        return counts;
    }

private:
    static constexpr std::string_view dropout = "dropout in eval";
    static constexpr std::string_view noOps = "no-ops";
    static constexpr std::string_view checks = "checks";
    static constexpr std::string_view sizes = "sizes of features";
    static constexpr std::string_view folded = "constants folded";
    static constexpr std::string_view merged = "equal structure ops";
    static constexpr std::string_view dead = "dead ops";

    void count(std::string_view pass) { ++m_counts[std::string(pass)]; }

    void simplify()
    {
        const std::set<ValueId> read = valuesRead(m_program);
        Rewriter rewriter(m_program);
        for (Op& op : rewriter.takeOps()) {
            rewriter.resolveOperands(op);
            if (isCheck(op)) {
                count(checks);
                continue;
            }
            if (op.outputs.empty()) {
                count(dead);
                continue;
            }
            if (isDropout(op.target) && (!OpView(m_program, op).flag("train", true) || OpView(m_program, op).number("p") == 0.0)) {
                count(dropout);
                rewriter.replace(op.outputs.front(), firstTensor(op));
                continue;
            }
            if (isNoOp(m_program, op)) {
                count(noOps);
                rewriter.replace(op.outputs.front(), OpView(m_program, op).value("self"));
                continue;
            }
            if (const ValueId only = onlyPart(m_program, op); only.valid()) {
                count(noOps);
                rewriter.replace(op.outputs.front(), only);
                continue;
            }
            if (const ValueId other = timesOnes(m_program, op); other.valid()) {
                count(noOps);
                rewriter.replace(op.outputs.front(), other);
                continue;
            }
            if (const ValueId composed = composeNewOp(m_program, op, rewriter); composed.valid()) {
                rewriter.replace(op.outputs.front(), composed);
                continue;
            }
            if (!readSizesFromStructure(op, rewriter))
                continue;
            masksToIndices(op, rewriter);
            recompose(m_program, op, rewriter, read);
            const std::vector<ValueId> outputs = op.outputs;
            rewriter.emit(std::move(op));
            for (const ValueId id : outputs)
                rewriter.noteSize(id);
        }
        rewriter.finish();
    }

    static ValueId firstTensor(const Op& op)
    {
        const ValueId* first = op.args.empty() ? nullptr : op.args.front().value.asValue();
        return first ? *first : ValueId{};
    }

    std::vector<Argument> sizeList(const Value& like, const Op& op, Rewriter& rewriter)
    {
        std::vector<Argument> list;
        for (const Dim& dim : like.sizes) {
            list.push_back(rewriter.sizeArgument(dim, op));
            if (list.back().isNone())
                throw Error("The size " + toString(dim) + " that " + op.name + " (" + op.target + ") needs does not come from the graph.");
        }
        return list;
    }

    // Shape helpers take sizes and types, not data, from the tensor they are called on. False if the op is gone.
    bool readSizesFromStructure(Op& op, Rewriter& rewriter)
    {
        const OpView view(m_program, op);
        const std::string target = op.target;
        if (op.outputs.empty())
            return true;
        const ValueId outputId = op.outputs.front();
        const Value output = m_program[outputId];
        const Argument dtype = output.dtype == DType::Unknown ? Argument{} : Argument{output.dtype};
        const auto create = [&](std::string_view factory, Argument size, const Argument* fill) {
            std::vector<NamedArgument> args{{"size", std::move(size)}};
            if (fill)
                args.push_back({"fill_value", *fill});
            args.push_back({"dtype", dtype});
            op.target = factory;
            op.overload.clear();
            op.args = std::move(args);
            count(sizes);
        };
        static const std::map<std::string_view, std::string_view> factories{
            {"aten::new_zeros", "aten::zeros"},  {"aten::new_ones", "aten::ones"},   {"aten::new_full", "aten::full"},
            {"aten::new_empty", "aten::zeros"},  {"aten::zeros_like", "aten::zeros"}, {"aten::ones_like", "aten::ones"},
            {"aten::full_like", "aten::full"},   {"aten::empty_like", "aten::zeros"}, {"aten::empty", "aten::zeros"},
            {"aten::zeros", "aten::zeros"},      {"aten::ones", "aten::ones"},       {"aten::full", "aten::full"}};
        if (const auto factory = factories.find(target); factory != factories.end()) {
            const Argument* size = op.find("size");
            const Argument* fill = op.find("fill_value");
            const Argument fillValue = fill ? *fill : Argument{};
            create(factory->second, size ? *size : Argument{sizeList(output, op, rewriter)}, fill ? &fillValue : nullptr);
            return true;
        }
        if (target == "aten::expand_as" || target == "aten::view_as" || target == "aten::reshape_as" || target == "aten::unflatten") {
            const std::vector<Argument> list = sizeList(output, op, rewriter);
            const bool expands = target == "aten::expand_as";
            op.args = {{"self", {view.value("self")}}, {expands ? "size" : "shape", {list}}};
            op.target = expands ? "aten::expand" : "aten::reshape";
            op.overload.clear();
            count(sizes);
        } else if (target == "aten::type_as" || (target == "aten::to" && op.overload != "dtype")) {
            op.args = {{"self", {view.value("self")}}, {"dtype", dtype}};
            op.target = "aten::to";
            op.overload = "dtype";
        } else if (target == "aten::squeeze" && op.overload != "dim") {
            // A batch of one row must not lose its row dimension.
            const std::vector<Argument> list = sizeList(output, op, rewriter);
            op.args = {{"self", {view.value("self")}}, {"shape", {list}}};
            op.target = "aten::reshape";
            op.overload.clear();
        } else if (target == "aten::squeeze" && view.tensor("self") && view.tensor("self")->sizes == output.sizes) {
            count(noOps);
            rewriter.replace(outputId, view.value("self"));
            return false;
        } else if (target == "aten::sym_size") {
            const Value* self = view.tensor("self");
            const auto dim = self ? view.dim("dim", static_cast<int>(self->sizes.size())) : std::nullopt;
            if (dim && !self->sizes[static_cast<std::size_t>(*dim)].isConstant()) {
                const Argument size = rewriter.sizeArgument(self->sizes[static_cast<std::size_t>(*dim)], op);
                if (size.asValue() && *size.asValue() != outputId) {
                    rewriter.replace(outputId, *size.asValue());
                    return false;
                }
            }
        } else if (target == "aten::sym_numel") {
            if (const Argument count = view.tensor("self") ? entries(*view.tensor("self"), op, rewriter) : Argument{}; count.asValue()) {
                rewriter.replace(outputId, *count.asValue());
                return false;
            }
        }
        return true;
    }

    // How many entries a tensor has, from its sizes; none where one of them does not come from the graph.
    Argument entries(const Value& tensor, const Op& op, Rewriter& rewriter)
    {
        Value number;
        number.kind = ValueKind::Int;
        Argument all;
        const std::vector<Dim> dims = tensor.sizes;  // new ops move the program's values
        for (const Dim& dim : dims) {
            const Argument size = rewriter.sizeArgument(dim, op);
            if (size.isNone())
                return {};
            all = all.isNone() ? size : Argument{rewriter.emitNew(op, "operator::mul", "", {{"a", all}, {"b", size}}, number)};
        }
        return all;
    }

    // x[mask] reads the rows at nonzero(mask): from then on it is a gather like others.
    void masksToIndices(Op& op, Rewriter& rewriter)
    {
        if ((op.target != "aten::index" && op.target != "aten::index_put") || op.outputs.empty())
            return;
        const bool put = op.target == "aten::index_put";
        const OpView view(m_program, op);
        const Value* values = view.tensor("values");
        if (put && (!values || std::ranges::all_of(values->sizes, &Dim::isConstant)))
            return;
        const std::vector<Dim> counts = put ? values->sizes : view.output().sizes;  // new ops move the program's values
        for (NamedArgument& argument : op.args) {
            auto* list = argument.name == "indices" ? std::get_if<std::vector<Argument>>(&argument.value.value) : nullptr;
            if (!list)
                continue;
            for (std::size_t i = 0; i < list->size(); ++i) {
                const ValueId* id = (*list)[i].asValue();
                if (!id || m_program[*id].dtype != DType::Bool || m_program[*id].sizes.size() != 1)
                    continue;
                const std::size_t at = put ? 0 : i;
                if (at >= counts.size())
                    continue;
                Value rows;
                rows.dtype = DType::Int64;
                const Dim count = counts[at];
                rows.sizes = {count, Dim{1, {}}};
                const ValueId pairs = rewriter.emitNew(op, "aten::nonzero", "", {{"self", {*id}}}, rows);
                rows.sizes.pop_back();
                const ValueId index = rewriter.emitNew(op, "aten::select", "int",
                                                       {{"self", {pairs}}, {"dim", {std::int64_t{1}}}, {"index", {std::int64_t{0}}}}, rows);
                rewriter.noteSize(index);
                (*list)[i] = {index};
            }
        }
    }

    // Every GCN layer computes the same normalisation: equal calls on equal structure values are one value.
    void mergeEqual()
    {
        const IdMap<ValueId, Reach> reach = findReach(m_program);
        Rewriter rewriter(m_program);
        std::map<std::string, std::vector<ValueId>> seen;
        SymbolNames names;
        for (Op& op : rewriter.takeOps()) {
            rewriter.resolveOperands(op);
            const bool feature = std::ranges::any_of(op.outputs, [&](ValueId id) { return reach[id] == Reach::Feature; });
            if (!feature && !isRandom(m_program, op) && !op.outputs.empty()) {
                const auto [known, fresh] = seen.try_emplace(key(op), op.outputs);
                if (!fresh) {
                    count(merged);
                    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
                        rewriter.replace(op.outputs[i], known->second[i]);
                        unifySymbols(op.outputs[i], known->second[i], names);
                    }
                    continue;
                }
                const bool constant = std::ranges::all_of(op.outputs, [&](ValueId id) { return reach[id] == Reach::Constant; });
                if (constant)
                    count(folded);
            }
            rewriter.emit(std::move(op));
        }
        rewriter.finish();
        const std::map<std::string, std::string> renamed = names.all();
        for (Value& value : m_program.values) {
            for (Dim& dim : value.sizes)
                if (!dim.isConstant())
                    dim = renameSymbols(dim, renamed);
            if (!value.number.isConstant())
                value.number = renameSymbols(value.number, renamed);
        }
        changeSizesOfGuards(m_program, [&](Dim& size) { size = renameSymbols(size, renamed); });
    }

    // Two data-dependent sizes of equal computations are one symbol.
    void unifySymbols(ValueId dropped, ValueId kept, SymbolNames& names) const
    {
        const auto unify = [&](const Dim& from, const Dim& to) {
            if (!from.isConstant() && !to.isConstant() && from != to && from.symbol.find('(') == std::string::npos)
                names.merge(from.symbol, to.symbol);
        };
        const Value &a = m_program[dropped], &b = m_program[kept];
        for (std::size_t d = 0; d < std::min(a.sizes.size(), b.sizes.size()); ++d)
            unify(a.sizes[d], b.sizes[d]);
        unify(a.number, b.number);
    }

    static void write(std::string& text, const Argument& argument)
    {
        struct Writer {
            std::string& text;
            void operator()(std::monostate) const { text += "none"; }
            void operator()(ValueId id) const { text += "%" + std::to_string(id.index); }
            void operator()(std::int64_t n) const { text += std::to_string(n); }
            void operator()(double x) const { text += "f" + std::to_string(x) + std::string(reinterpret_cast<const char*>(&x), sizeof x); }
            void operator()(bool b) const { text += b ? "true" : "false"; }
            void operator()(const std::string& s) const { text += "\"" + s + "\""; }
            void operator()(DType d) const { text += "t" + std::to_string(static_cast<int>(d)); }
            void operator()(const std::vector<Argument>& list) const
            {
                text += "[";
                for (const Argument& item : list) {
                    write(text, item);
                    text += ",";
                }
                text += "]";
            }
        };
        std::visit(Writer{text}, argument.value);
    }

    static std::string key(const Op& op)
    {
        std::string text = op.target + "." + op.overload;
        for (const NamedArgument& argument : op.args) {
            text += "," + argument.name + "=";
            write(text, argument.value);
        }
        return text;
    }

    void dropDead()
    {
        for (int i = dropDeadOps(m_program); i > 0; --i)
            count(dead);
    }

    void refuseRandom() const
    {
        for (std::size_t i = 0; i < m_program.ops.size(); ++i)
            if (isRandom(m_program, m_program.ops[i]))
                throw Error("The model draws random numbers when it runs: " + describe(m_program, OpId{static_cast<int>(i)}) +
                            "; no two runs agree, so it cannot be proved equal. Export it in eval mode and without noise.");
    }

    Program& m_program;
    std::map<std::string, int> m_counts;
};

}  // namespace

IdMap<ValueId, Reach> findReach(const Program& program)
{
    IdMap<ValueId, Reach> reach(program.values.size(), Reach::Constant);
    for (const Input& input : program.inputs)
        reach[input.value] = inputReach(input.role);
    for (const Op& op : program.ops) {
        Reach most = op.makesFeatures ? Reach::Feature : Reach::Constant;
        forEachOperand(op, [&](ValueId id) { most = std::max(most, reach[id]); });
        if (isSizeOp(op.target))
            most = std::min(most, Reach::Structure);
        for (const ValueId id : op.outputs)
            reach[id] = most;
    }
    return reach;
}

std::vector<PassCount> cleanUp(Program& program)
{
    return Cleaner(program).run();
}

int takeAsFeatures(Program& program)
{
    const auto dependsOnFeatures = [&] {
        const IdMap<ValueId, Reach> reach = findReach(program);
        return std::ranges::any_of(program.outputs, [&](ValueId output) { return reach[output] == Reach::Feature; });
    };
    std::set<std::string> nodes;
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; input.isOfNodes() && !value.sizes.empty() && !value.sizes[0].isConstant())
            nodes.insert(value.sizes[0].symbol);
    if (nodes.empty() || dependsOnFeatures())
        return 0;
    std::vector<bool> isLearned(program.values.size());  // comes from weights
    for (std::size_t v = 0; v < program.values.size(); ++v)
        isLearned[v] = program.values[v].weight.valid() && isFloating(program.values[v].dtype);
    for (const Op& op : program.ops)
        forEachOperand(op, [&](ValueId id) {
            if (isLearned[static_cast<std::size_t>(id.index)])
                for (const ValueId output : op.outputs)
                    isLearned[static_cast<std::size_t>(output.index)] = true;
        });
    std::vector<OpId> taken;
    std::optional<IdMap<ValueId, Reach>> reach;  // since the last one was taken
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const auto form = gatherForm(program, OpId{static_cast<int>(i)});
        if (!form)
            continue;
        const Value& source = program[form->source];
        const auto dim = static_cast<std::size_t>(form->sourceDim);
        const bool isOfNodes = dim < source.sizes.size() && nodes.contains(source.sizes[dim].symbol) && source.sizes.size() >= 2;
        if (!isOfNodes || !isFloating(source.dtype) || !source.producer.valid() || !isLearned[static_cast<std::size_t>(form->source.index)])
            continue;
        if (!reach)
            reach = findReach(program);
        if ((*reach)[form->source] != Reach::Structure)
            continue;
        reach.reset();
        program[source.producer].makesFeatures = true;
        taken.push_back(source.producer);
    }
    if (dependsOnFeatures())
        return static_cast<int>(taken.size());
    for (const OpId id : taken)
        program[id].makesFeatures = false;
    return 0;
}

int dropDeadOps(Program& program)
{
    std::vector<bool> live(program.values.size());
    for (const ValueId output : program.outputs)
        live[static_cast<std::size_t>(output.index)] = true;
    std::vector<bool> keep(program.ops.size());
    for (std::size_t i = program.ops.size(); i-- > 0;) {
        const Op& op = program.ops[i];
        keep[i] = std::ranges::any_of(op.outputs, [&](ValueId id) { return live[static_cast<std::size_t>(id.index)]; });
        if (keep[i])
            forEachOperand(op, [&](ValueId id) { live[static_cast<std::size_t>(id.index)] = true; });
    }
    Rewriter rewriter(program);
    std::size_t i = 0;
    int dropped = 0;
    for (Op& op : rewriter.takeOps())
        if (keep[i++])
            rewriter.emit(std::move(op));
        else
            ++dropped;
    return dropped;
}

}  // namespace cleave
