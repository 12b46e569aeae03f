#include "core/analysis/functional.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "core/analysis/op_view.h"
#include "core/analysis/rewriter.h"
#include "core/base/error.h"

namespace cleave {

namespace {

enum class Aliasing { None, View, Maybe };

// An einsum of two tensors or more, whose result is new; that of a single one may only be seen otherwise.
bool isProduct(const Program& program, const Op& op)
{
    return op.target == "aten::einsum" && OpView(program, op).values("tensors").size() > 1;
}

// Whether output 0 of the op shares memory with its operand `self`.
Aliasing aliasing(const Program& program, const Op& op, const Evaluator& evaluator)
{
    static const std::set<std::string_view> views{
        "aten::view",      "aten::expand",  "aten::expand_as", "aten::select",  "aten::slice",  "aten::unsqueeze", "aten::squeeze",
        "aten::transpose", "aten::t",       "aten::permute",   "aten::detach",  "aten::alias",  "aten::narrow",    "aten::split",
        "aten::chunk",     "aten::unbind",  "aten::view_as",   "aten::numpy_T", "aten::lift_fresh", "aten::split_with_sizes",
        "aten::diagonal",  "aten::unfold",  "aten::dropout",   "aten::as_strided", "aten::tensor_split", "aten::movedim",
        "aten::moveaxis",  "aten::swapaxes", "aten::swapdims", "aten::mT",      "aten::adjoint", "aten::broadcast_to"};
    // Of those that LibTorch's declarations do not call views: what may hand out its operand, as dropout does in eval.
    static const std::set<std::string_view> maybe{"aten::einsum", "aten::alpha_dropout", "aten::feature_dropout", "aten::feature_alpha_dropout",
                                                  "aten::atleast_1d", "aten::atleast_2d", "aten::atleast_3d", "aten::_unsafe_view"};
    const bool isOtherType = op.target == "aten::view" && op.overload == "dtype";
    if (views.contains(op.target) && !isOtherType)
        return Aliasing::View;
    const OpView view(program, op);
    const Value* self = view.tensor("self");
    if (isOneOf(op.target, {"aten::to", "aten::type_as"}) && self && !op.outputs.empty() && !view.flag("copy", false))
        return self->dtype == view.output().dtype ? Aliasing::View : Aliasing::None;
    const bool isCopy = op.target == "aten::to" || op.outputs.empty() || isProduct(program, op);
    return !isCopy && (maybe.contains(op.target) || evaluator.mayShareMemory(op)) ? Aliasing::Maybe : Aliasing::None;
}

// cumsum.out(x, out=y) writes into y.
bool writesOut(const Op& op)
{
    return op.overload.ends_with("out") && op.find("out") && op.find("out")->asValue();
}

// Gives true or false whatever it is given.
bool isQuestion(std::string_view target)
{
    return isOneOf(target, {"aten::eq", "aten::ne", "aten::lt", "aten::le", "aten::gt", "aten::ge", "aten::not_equal", "aten::less", "aten::less_equal",
                            "aten::greater", "aten::greater_equal", "aten::logical_and", "aten::logical_or", "aten::logical_xor", "aten::logical_not",
                            "aten::isnan", "aten::isinf", "aten::isfinite", "aten::isneginf", "aten::isposinf", "aten::signbit", "aten::isin"});
}

// Ops in place that change nothing but how a tensor is seen, under whatever name, and what gives such a view.
std::optional<std::string_view> viewInPlace(const Op& op)
{
    static const std::map<std::string_view, std::string_view> views{
        {"aten::transpose_", "aten::transpose"}, {"aten::swapaxes_", "aten::swapaxes"},   {"aten::swapdims_", "aten::swapdims"},
        {"aten::t_", "aten::t"},                 {"aten::unsqueeze_", "aten::unsqueeze"}, {"aten::squeeze_", "aten::squeeze"},
        {"aten::detach_", "aten::detach"}};
    const auto found = views.find(op.target);
    return found == views.end() ? std::nullopt : std::optional(found->second);
}

std::string_view changedArgument(const Op& op)
{
    return writesOut(op) ? "out" : "self";
}

// What |= and the like are called, and what they do.
const std::map<std::string_view, std::string_view>& operatorsInPlace()
{
    static const std::map<std::string_view, std::string_view> operators{{"aten::__iand__", "aten::bitwise_and"},
                                                                        {"aten::__ior__", "aten::bitwise_or"},
                                                                        {"aten::__ixor__", "aten::bitwise_xor"},
                                                                        {"aten::__ilshift__", "aten::bitwise_left_shift"},
                                                                        {"aten::__irshift__", "aten::bitwise_right_shift"}};
    return operators;
}

class Functionaliser {
public:
    Functionaliser(Program& program, const Evaluator& evaluator) : m_program(program), m_evaluator(evaluator), m_rewriter(program) {}

    int run()
    {
        for (Op& op : m_rewriter.takeOps()) {
            const std::optional<std::string_view> asView = viewInPlace(op);
            const bool changes = isInPlace(op) && !asView;
            for (NamedArgument& argument : op.args)
                if (!(changes && argument.name == changedArgument(op)))
                    changeValues(argument.value, [&](ValueId& id) { id = asView ? seenAs(id) : current(seenAs(id), op); });
            if (changes)
                mutate(std::move(op));
            else if (asView)
                see(std::move(op), *asView);
            else
                add(std::move(op));
        }
        for (ValueId& output : m_program.outputs)
            output = current(seenAs(output), {});
        return m_count;
    }

private:
    // What is known of a tensor that shares memory with others: the tensor it is a view of, and through which op.
    struct Alias {
        ValueId parent, root;
        Op op;
        int output = 0;
        bool maybe = false;
    };

    void add(Op op)
    {
        const Aliasing kind = aliasing(m_program, op, m_evaluator);
        const ValueId self = originalSelf(op);
        const std::vector<ValueId> outputs = op.outputs;
        if (kind != Aliasing::None && self.valid())
            for (std::size_t i = 0; i < outputs.size(); ++i) {
                m_aliases[outputs[i]] = {self, root(self), op, static_cast<int>(i), kind == Aliasing::Maybe};
                m_seen[outputs[i]] = m_version[root(outputs[i])];
            }
        m_rewriter.emit(std::move(op));
    }

    // From now on whoever names the tensor means a view of it. Views that were taken before are still views of what it was.
    void see(Op op, std::string_view target)
    {
        ++m_count;
        const ValueId self = OpView(m_program, op).value("self");
        if (!self.valid() || op.outputs.size() != 1)
            throw Error("In-place op '" + op.name + "' (" + op.target + ") changes something that is no tensor of the program.");
        const ValueId result = op.outputs.front();
        for (NamedArgument& argument : op.args)
            changeValues(argument.value, [&](ValueId& id) { id = current(id, op); });
        op.target = target;
        add(std::move(op));
        m_seenAs[self] = result;
    }

    // The view that the tensor of this name is seen as by now.
    ValueId seenAs(ValueId value) const
    {
        value = canonical(value);
        for (auto it = m_seenAs.find(value); it != m_seenAs.end(); it = m_seenAs.find(value))
            value = canonical(it->second);
        return value;
    }

    // Operands were already replaced by their current versions; aliasing is tracked by the names of the trace.
    ValueId originalSelf(const Op& op) const
    {
        const ValueId self = OpView(m_program, op).value("self");
        const auto original = m_original.find(self);
        return original == m_original.end() ? self : original->second;
    }

    ValueId canonical(ValueId value) const
    {
        for (auto it = m_sameAs.find(value); it != m_sameAs.end(); it = m_sameAs.find(value))
            value = it->second;
        return value;
    }

    ValueId root(ValueId value) const
    {
        const auto alias = m_aliases.find(value);
        return alias == m_aliases.end() ? value : alias->second.root;
    }

    // The newest version of a value: views of a changed tensor are taken anew.
    ValueId current(ValueId value, const Op& reader)
    {
        value = canonical(value);
        std::vector<ValueId> old;  // views of one another, the last one of what is as it should be
        for (ValueId view = value; m_seen[view] != m_version[root(view)]; view = canonical(m_aliases.at(view).parent)) {
            const auto alias = m_aliases.find(view);
            if (alias == m_aliases.end())
                break;
            if (alias->second.maybe || m_unclear.contains(view))
                refuse(reader, view);
            old.push_back(view);
        }
        while (!old.empty()) {
            if (m_seen[old.back()] != m_version[root(old.back())])
                renew(m_aliases.at(old.back()));
            old.pop_back();
        }
        return newest(value);
    }

    void renew(const Alias& alias)
    {
        Op again = alias.op;
        for (NamedArgument& argument : again.args)
            if (argument.name == "self")
                argument.value = {newest(canonical(alias.parent))};
        std::vector<ValueId> outputs;
        for (const ValueId old : again.outputs) {
            Value copy = m_program[old];
            copy.name += "_v" + std::to_string(m_program.values.size());
            outputs.push_back({static_cast<int>(m_program.values.size())});
            m_program.values.push_back(std::move(copy));
        }
        for (std::size_t i = 0; i < outputs.size(); ++i)
            setNewest(again.outputs[i], outputs[i], m_version[alias.root]);
        again.name = m_program[outputs.front()].name;
        again.outputs = outputs;
        m_rewriter.emit(std::move(again));
    }

    ValueId newest(ValueId value) const
    {
        if (m_unclear.contains(value))
            refuse({}, value);
        const auto it = m_newest.find(value);
        return it == m_newest.end() ? value : it->second;
    }

    void setNewest(ValueId value, ValueId by, int version)
    {
        m_newest[value] = by;
        m_original[by] = value;
        m_seen[value] = version;
    }

    void mutate(Op op)
    {
        ++m_count;
        const ValueId named = OpView(m_program, op).value(changedArgument(op));
        if (!named.valid() || op.outputs.empty())
            throw Error("In-place op '" + op.name + "' (" + op.target + ") changes something that is no tensor of the program.");
        const auto original = m_original.find(named);
        const ValueId self = seenAs(original == m_original.end() ? named : original->second);
        const ValueId base = root(self);
        const bool renorms = op.target == "aten::embedding_renorm_";
        if (m_program[base].weight.valid() && !renorms)
            throw Error("The forward changes the weight '" + m_program[base].name + "' in place (op '" + op.name +
                        "'): a layer-wise run would change it once for each batch; compute a new tensor instead.");
        const ValueId before = current(self, op);
        const ValueId result = op.outputs.front();
        if (renorms)
            emitRenorm(op, before);
        else
            emitOutOfPlace(op, before);
        const int version = ++m_version[base];
        setNewest(self, result, version);
        // The result of an in-place op is another name of the tensor that it changed.
        m_sameAs[result] = self;
        pushUp(self, result, version, op);
    }

    // The rows that are read of an embedding with max_norm are scaled down to it before, once and for all: so all rows may be.
    void emitRenorm(const Op& op, ValueId before)
    {
        const OpView view(m_program, op);
        const Argument* most = op.find("max_norm");
        const Argument* order = op.find("norm_type");
        Value norms = m_program[before];
        if (!most || !order || norms.sizes.size() != 2)
            throw Error("Op '" + op.name + "' (embedding_renorm_) is no table's.");
        norms.sizes[1] = Dim{1, {}};
        const auto emit = [&](std::string target, std::string overload, std::vector<NamedArgument> args) {
            return m_rewriter.emitNew(op, std::move(target), std::move(overload), std::move(args), norms);
        };
        const std::vector<Argument> dim{{std::int64_t{1}}};
        constexpr double apart = 1e-7;  // as PyTorch's
        const ValueId norm = emit("aten::linalg_vector_norm", "", {{"self", {before}}, {"ord", *order}, {"dim", {dim}}, {"keepdim", {true}}});
        const ValueId sum = emit("aten::add", "Scalar", {{"self", {norm}}, {"other", {apart}}});
        const ValueId inverse = emit("aten::reciprocal", "", {{"self", {sum}}});
        const ValueId factor = emit("aten::mul", "Scalar", {{"self", {inverse}}, {"other", *most}});
        const ValueId scale = emit("aten::clamp_max", "", {{"self", {factor}}, {"max", {1.0}}});
        Op scaled = op;
        scaled.target = "aten::mul";
        scaled.overload = "Tensor";
        scaled.args = {{"self", {before}}, {"other", {scale}}};
        m_rewriter.emit(std::move(scaled));
    }

    void emitOutOfPlace(Op& op, ValueId before)
    {
        const DType dtype = m_program[before].dtype;
        if (writesOut(op)) {
            op.overload.clear();
            std::erase_if(op.args, [](const NamedArgument& a) { return a.name == "out"; });
            emitAs(op, dtype);
            return;
        }
        if (const auto named = operatorsInPlace().find(op.target); named != operatorsInPlace().end()) {
            op.target = named->second;
            if (op.overload == "Scalar" && op.target.ends_with("shift"))
                op.overload = "Tensor_Scalar";
        } else {
            op.target.pop_back();
        }
        for (NamedArgument& argument : op.args)
            if (argument.name == "self")
                argument.value = {before};
        if (op.target == "aten::zero") {
            op.target = "aten::zeros_like";
            op.overload.clear();
        }
        const bool promotes = std::ranges::any_of(op.args, [&](const NamedArgument& argument) {
            const ValueId* id = argument.value.asValue();
            const bool isPlace = isOneOf(argument.name, {"index", "mask", "condition"});
            return id && !isPlace && m_program[*id].kind == ValueKind::Tensor && m_program[*id].dtype != dtype &&
                   (isFloating(m_program[*id].dtype) || !isFloating(dtype));
        });
        if (promotes || (isQuestion(op.target) && dtype != DType::Bool))
            emitAs(op, dtype);
        else
            m_rewriter.emit(op);
    }

    // The changed tensor keeps its type, whatever the op that makes a new one would give.
    void emitAs(const Op& op, DType dtype)
    {
        const ValueId result = op.outputs.front(), made = m_rewriter.emitNew(op, op.target, op.overload, op.args, m_program[result]);
        m_program[made].dtype = isQuestion(op.target) ? DType::Bool : DType::Unknown;
        m_rewriter.emit({op.name, "aten::to", "dtype", {{"self", {made}}, {"dtype", {dtype}}}, {result}, op.module, op.source});
    }

    // Writes a changed view back into the tensor it is a view of, up to the one that owns the memory.
    void pushUp(ValueId view, ValueId result, int version, const Op& mutation)
    {
        for (auto it = m_aliases.find(view); it != m_aliases.end(); it = m_aliases.find(view)) {
            const Alias alias = it->second;
            if (alias.maybe) {
                for (ValueId v = alias.parent;; v = m_aliases.at(v).parent) {
                    m_unclear.insert(v);
                    if (!m_aliases.contains(v))
                        return;
                }
            }
            // The parent's version just before this mutation: nothing else changed it since the view was refreshed.
            result = writtenBack(alias, newest(alias.parent), result, mutation);
            view = alias.parent;
            setNewest(view, result, version);
        }
    }

    ValueId writtenBack(const Alias& alias, ValueId parent, ValueId changed, const Op& mutation)
    {
        const OpView view(m_program, alias.op);
        const std::string_view target = alias.op.target;
        const Value& like = m_program[parent];
        const int rank = static_cast<int>(like.sizes.size());
        const auto emit = [&](std::string name, std::string overload, std::vector<NamedArgument> args) {
            const Value copy = m_program[parent];
            std::erase_if(args, [](const NamedArgument& a) { return a.value.isNone(); });
            return m_rewriter.emitNew(mutation, std::move(name), std::move(overload), std::move(args), copy);
        };
        const auto argument = [&](std::string_view name) {
            const Argument* found = alias.op.find(name);
            return NamedArgument{std::string(name), found ? *found : Argument{}};
        };
        if (target == "aten::detach" || target == "aten::alias" || target == "aten::to" || target == "aten::lift_fresh" ||
            target == "aten::dropout")
            return changed;
        const bool wholeView = m_program[alias.op.outputs[static_cast<std::size_t>(alias.output)]].sizes == like.sizes;
        if (isOneOf(target, {"aten::slice", "aten::narrow", "aten::expand", "aten::broadcast_to", "aten::type_as"}) && wholeView)
            return changed;
        if (isOneOf(target, {"aten::swapaxes", "aten::swapdims", "aten::mT"}) || (target == "aten::adjoint" && isFloating(like.dtype)))
            return emit(alias.op.target, alias.op.overload, withSelf(alias.op, changed));
        if (isOneOf(target, {"aten::movedim", "aten::moveaxis"}))
            return emit(alias.op.target, alias.op.overload,
                        {{"self", {changed}}, {"source", argument("destination").value}, {"destination", argument("source").value}});
        if (target == "aten::transpose")
            return emit("aten::transpose", "int", {{"self", {changed}}, argument("dim0"), argument("dim1")});
        if (target == "aten::t" || target == "aten::numpy_T")
            return emit("aten::t", "", {{"self", {changed}}});
        if (target == "aten::permute") {
            const auto dims = view.dims("dims", rank);
            if (!dims || static_cast<int>(dims->size()) != rank)
                refuse(mutation, alias.parent);
            std::vector<Argument> inverse(dims->size());
            for (std::size_t i = 0; i < inverse.size(); ++i)
                inverse[static_cast<std::size_t>((*dims)[i])] = {static_cast<std::int64_t>(i)};
            return emit("aten::permute", "", {{"self", {changed}}, {"dims", {inverse}}});
        }
        if (target == "aten::unsqueeze")
            return emit("aten::squeeze", "dim", {{"self", {changed}}, argument("dim")});
        if (target == "aten::squeeze" && alias.op.overload == "dim" && wholeView)
            return changed;
        if (target == "aten::squeeze" && alias.op.overload == "dim")
            return emit("aten::unsqueeze", "", {{"self", {changed}}, argument("dim")});
        if (target == "aten::view" || target == "aten::view_as" || target == "aten::squeeze") {
            std::vector<Argument> sizes;
            int symbols = 0;
            for (const Dim& dim : like.sizes) {
                sizes.push_back({dim.isConstant() ? dim.value : -1});
                symbols += !dim.isConstant();
            }
            if (symbols <= 1)
                return emit("aten::reshape", "", {{"self", {changed}}, {"shape", {sizes}}});
            return emit("aten::reshape_as", "", {{"self", {changed}}, {"other", {parent}}});
        }
        if (target == "aten::select")
            return emit("aten::select_scatter", "", {{"self", {parent}}, {"src", {changed}}, argument("dim"), argument("index")});
        if (target == "aten::slice")
            return emit("aten::slice_scatter", "", {{"self", {parent}}, {"src", {changed}}, argument("dim"), argument("start"),
                                                    argument("end"), argument("step")});
        if (target == "aten::narrow")
            return emit("aten::slice_scatter", "", {{"self", {parent}}, {"src", {changed}}, argument("dim"), argument("start"),
                                                    {"end", narrowEnd(alias.op, mutation)}});
        if (target == "aten::unbind")
            return emit("aten::select_scatter", "", {{"self", {parent}}, {"src", {changed}},
                                                     {"dim", {view.integerOr("dim", 0)}}, {"index", {std::int64_t{alias.output}}}});
        if (const auto range = dividedRange(alias, rank))
            return emit("aten::slice_scatter", "", {{"self", {parent}}, {"src", {changed}}, {"dim", {view.integerOr("dim", 0)}},
                                                    {"start", {range->first}}, {"end", {range->second}}});
        refuse(mutation, alias.parent);
    }

    static std::vector<NamedArgument> withSelf(const Op& op, ValueId self)
    {
        std::vector<NamedArgument> args = op.args;
        for (NamedArgument& argument : args)
            if (argument.name == "self")
                argument.value = {self};
        return args;
    }

    // start + length of narrow: a literal, or computed where the program computes them.
    Argument narrowEnd(const Op& narrow, const Op& mutation)
    {
        const Argument* start = narrow.find("start");
        const Argument* length = narrow.find("length");
        if (!start || !length)
            return {};
        if (start->asInt() && length->asInt()) {
            std::int64_t end = 0;
            if (__builtin_add_overflow(*start->asInt(), *length->asInt(), &end))
                refuse(mutation, OpView(m_program, narrow).value("self"));
            return *start->asInt() < 0 && end == 0 ? Argument{} : Argument{end};  // from so many before the last one to the last
        }
        Value number;
        number.kind = ValueKind::Int;
        number.number.symbol = "end";
        return {m_rewriter.emitNew(mutation, "operator::add", "", {{"a", *start}, {"b", *length}}, number)};
    }

    // Which part of the divided dimension an output of split, chunk or split_with_sizes is.
    std::optional<std::pair<std::int64_t, std::int64_t>> dividedRange(const Alias& alias, int rank) const
    {
        static constexpr std::array divided{"aten::split", "aten::chunk", "aten::split_with_sizes", "aten::tensor_split"};
        const OpView view(m_program, alias.op);
        const auto dim = view.given("dim") ? view.dim("dim", rank) : std::optional(0);
        if (std::ranges::find(divided, alias.op.target) == divided.end() || !dim)
            return {};
        std::int64_t start = 0;
        for (int i = 0;; ++i) {
            const std::vector<Dim>& sizes = m_program[alias.op.outputs[static_cast<std::size_t>(i)]].sizes;
            if (static_cast<int>(sizes.size()) != rank || !sizes[static_cast<std::size_t>(*dim)].isConstant())
                return {};
            const std::int64_t size = sizes[static_cast<std::size_t>(*dim)].value;
            if (i == alias.output)
                return std::pair(start, start + size);
            start += size;
        }
    }

    [[noreturn]] void refuse(const Op& reader, ValueId value) const
    {
        throw Error("The in-place changes around '" + m_program[value].name + "'" +
                    (reader.name.empty() ? "" : " (op '" + reader.name + "', " + reader.target + ", " + reader.source.file + ":" +
                                                    std::to_string(reader.source.line) + ")") +
                    " cannot be followed through the views of it: write the forward without changing this tensor in place.");
    }

    Program& m_program;
    const Evaluator& m_evaluator;
    Rewriter m_rewriter;
    std::map<ValueId, Alias> m_aliases;
    std::map<ValueId, ValueId> m_newest;    // value of the trace -> value that holds its content now
    std::map<ValueId, ValueId> m_original;  // the inverse
    std::map<ValueId, ValueId> m_sameAs;    // result of an in-place op -> the tensor it changed
    std::map<ValueId, ValueId> m_seenAs;    // a tensor of the trace -> the view of it that its name means by now
    std::map<ValueId, int> m_version;       // of a root: how often its memory was changed
    std::map<ValueId, int> m_seen;          // version that m_newest of a value shows
    std::set<ValueId> m_unclear;            // may or may not have been changed: an error to read
    int m_count = 0;
};

}  // namespace

bool isInPlace(const Op& op)
{
    const bool isNamedSo = op.target.size() > 7 && op.target.starts_with("aten::") && op.target.back() == '_' && !op.target.ends_with("__");
    return writesOut(op) || operatorsInPlace().contains(op.target) || isNamedSo;
}

int makeFunctional(Program& program, const Evaluator& evaluator)
{
    return Functionaliser(program, evaluator).run();
}

}  // namespace cleave
