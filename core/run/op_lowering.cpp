#include "core/run/op_lowering.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/version.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <string_view>

#include "core/analysis/functional.h"
#include "core/analysis/row_rules.h"
#include "core/base/error.h"
#include "core/run/index_guard.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

namespace jit = torch::jit;

// An argument as the schema is matched against: literals, values of a graph or of a run, and lists of them.
template <class V>
struct Actual {
    const Argument* literal = nullptr;
    std::optional<V> value;
    ValueKind kind = ValueKind::None;  // of value
    std::vector<Actual> list;
    bool isList = false;
};

enum class Match {
    Strict,
    Loose,  // numbers convert to each other
    Wrap,   // and to tensors without dimensions
};

c10::TypePtr inner(const c10::Type& type)
{
    return type.containedType(0);
}

template <class V>
bool isLiteral(const Actual<V>& a, auto test)
{
    return a.literal && test(*a.literal);
}

template <class V>
bool isInt(const Actual<V>& a)
{
    return (a.value && a.kind == ValueKind::Int) ||
           isLiteral(a, [](const Argument& l) { return l.asInt() || std::holds_alternative<DType>(l.value); });
}

template <class V>
bool isFloat(const Actual<V>& a)
{
    return (a.value && a.kind == ValueKind::Float) || isLiteral(a, [](const Argument& l) { return std::holds_alternative<double>(l.value); });
}

// 0.0, where newer versions take any number and older ones integers.
template <class V>
bool isWhole(const Actual<V>& a)
{
    return isLiteral(a, [](const Argument& l) {
        const double* x = std::get_if<double>(&l.value);
        return x && std::abs(*x) < 0x1p53 && *x == std::trunc(*x);
    });
}

template <class V>
bool isBool(const Actual<V>& a)
{
    return (a.value && a.kind == ValueKind::Bool) || isLiteral(a, [](const Argument& l) { return l.asBool() != nullptr; });
}

template <class V>
bool isNone(const Actual<V>& a)
{
    return !a.isList && !a.value && (!a.literal || a.literal->isNone());
}

template <class V>
bool accepts(const c10::Type& type, const Actual<V>& a, Match match)
{
    switch (type.kind()) {
    case c10::TypeKind::OptionalType:
        return isNone(a) || accepts(*inner(type), a, match);
    case c10::TypeKind::TensorType:
        return (a.value && a.kind == ValueKind::Tensor) || (match == Match::Wrap && (isInt(a) || isFloat(a)));
    case c10::TypeKind::IntType:
        return isInt(a) || (match != Match::Strict && isWhole(a));
    case c10::TypeKind::FloatType:
        return isFloat(a) || (match != Match::Strict && isInt(a));
    case c10::TypeKind::BoolType:
        return isBool(a);
    case c10::TypeKind::NumberType:
        return match != Match::Strict && (isInt(a) || isFloat(a) || isBool(a));
    case c10::TypeKind::StringType:
        return isLiteral(a, [](const Argument& l) { return l.asString() != nullptr; });
    case c10::TypeKind::ListType:
        if (a.isList)
            return std::ranges::all_of(a.list, [&](const Actual<V>& item) { return accepts(*inner(type), item, match); });
        return inner(type)->kind() == c10::TypeKind::IntType && isInt(a);
    default:
        return isNone(a);
    }
}

// Decomposed exports call batch norm by these names, which LibTorch 1.13 does not know: in eval, and with the statistics of its rows.
constexpr std::string_view noTrainingNorm = "aten::_native_batch_norm_legit_no_training";
constexpr std::string_view rowsNorm = "aten::_native_batch_norm_legit";

// LibTorch 1.13 has it by the older name only, without scale and grouped heads.
constexpr std::string_view attention = "aten::scaled_dot_product_attention";
constexpr std::string_view oldAttention = "aten::_scaled_dot_product_attention";

bool isKnown(std::string_view target)
{
    // those that files of newer versions declare are not there
    return c10::Dispatcher::singleton().findSchema({std::string(target), ""}).has_value();
}

// What calls an operator after its guard.
c10::Symbol guarded(const jit::Operator& op)
{
    static std::mutex mutex;
    static std::map<std::string, jit::RegisterOperators> known;
    const c10::FunctionSchema& schema = op.schema();
    std::string name = "cleave::" + schema.name().substr(schema.name().rfind(':') + 1) + "_" + schema.overload_name();
    const std::scoped_lock lock(mutex);
    if (!known.contains(name)) {
        const auto run = [schema, operation = op.getOperation()](jit::Stack& stack) mutable {
            const std::size_t count = schema.arguments().size();
            guardIndices(schema, {stack.end() - static_cast<std::ptrdiff_t>(count), stack.end()});
            operation(stack);
        };
        known.emplace(name, jit::RegisterOperators({jit::Operator(name, "", schema.arguments(), schema.returns(), run, c10::AliasAnalysisKind::PURE_FUNCTION)}));
    }
    return c10::Symbol::fromQualString(name);
}

// Ops become nodes.
class Graphs {
public:
    using Value = jit::Value*;

    explicit Graphs(jit::Graph& graph) : m_graph(graph) {}

    Value constant(const c10::IValue& value) { return m_graph.insertConstant(value); }
    Value scaled(Value tensor, double factor) { return m_graph.insert(c10::aten::mul, {tensor, constant(factor)}); }
    // 0 where the last dimension of a mask is false throughout, or minus infinity.
    Value cleared(Value rows, Value mask, bool isBool)
    {
        const auto nothing = -std::numeric_limits<double>::infinity();
        const Value last = constant(-1), keeps = constant(true);
        const Value isEmpty = isBool ? m_graph.insert(c10::aten::logical_not, {m_graph.insert(c10::aten::any, {mask, last, keeps})})
                                     : m_graph.insert(c10::aten::all, {m_graph.insert(c10::aten::eq, {mask, constant(nothing)}), last, keeps});
        return m_graph.insert(c10::aten::masked_fill, {rows, isEmpty, constant(0)});
    }
    Value wrapped(Value number) { return m_graph.insertNode(m_graph.create(c10::prim::NumToTensor, {number}, 1))->output(); }

    Value list(const std::vector<Value>& items, const c10::TypePtr& element)
    {
        jit::Node* list = m_graph.create(c10::prim::ListConstruct, items, 1);
        list->output()->setType(c10::ListType::create(element));
        return m_graph.insertNode(list)->output();
    }

    std::vector<Value> call(const jit::Operator& op, const std::vector<Value>& inputs, std::size_t outputs)
    {
        const auto& returns = op.schema().returns();
        const c10::Symbol kind = needsGuard(op.schema()) ? guarded(op) : c10::Symbol::fromQualString(op.schema().name());
        jit::Node* node = m_graph.create(kind, inputs, returns.size());
        for (std::size_t i = 0; i < returns.size(); ++i)
            node->output(i)->setType(returns[i].type());
        m_graph.insertNode(node);
        if (!givesList(op.schema()))
            return {node->outputs().begin(), node->outputs().end()};
        jit::Node* unpack = m_graph.create(c10::prim::ListUnpack, {node->output()}, outputs);
        for (jit::Value* output : unpack->outputs())
            output->setType(c10::TensorType::get());
        m_graph.insertNode(unpack);
        return {unpack->outputs().begin(), unpack->outputs().end()};
    }

    static bool givesList(const c10::FunctionSchema& schema)
    {
        return schema.returns().size() == 1 && schema.returns()[0].type()->kind() == c10::TypeKind::ListType;
    }

private:
    jit::Graph& m_graph;
};

// Ops are run as they come.
class Calls {
public:
    using Value = c10::IValue;

    static Value constant(const c10::IValue& value) { return value; }
    static Value scaled(const Value& tensor, double factor) { return tensor.toTensor().mul(factor); }
    static Value cleared(const Value& rows, const Value& mask, bool isBool)
    {
        const at::Tensor& m = mask.toTensor();
        const at::Tensor isEmpty = isBool ? m.any(-1, true).logical_not() : m.eq(-std::numeric_limits<double>::infinity()).all(-1, true);
        return rows.toTensor().masked_fill(isEmpty, 0);
    }
    static Value wrapped(const Value& number) { return at::scalar_to_tensor(number.toScalar()); }

    static Value list(std::vector<Value> items, const c10::TypePtr& element)
    {
        c10::impl::GenericList list(element);
        for (Value& item : items)
            list.push_back(std::move(item));
        return list;
    }

    static std::vector<Value> call(const jit::Operator& op, std::vector<Value> inputs, std::size_t)
    {
        guardIndices(op.schema(), inputs);
        op.getOperation()(inputs);
        if (!Graphs::givesList(op.schema()))
            return inputs;
        std::vector<Value> parts;
        for (const c10::IValue& part : inputs.back().toListRef())
            parts.push_back(part);
        return parts;
    }
};

template <class Target>
class OpLowering {
public:
    using V = typename Target::Value;
    using Actual = cleave::Actual<V>;
    using Rows = std::optional<std::pair<int, V>>;  // the entry of a shape argument that is a number of rows here

    template <class Operands>
    OpLowering(Target target, const Program& program, OpId id, const Operands& operands, const Rows& rows)
        : m_target(target), m_program(program), m_id(id), m_op(program[id])
    {
        const std::string_view shape = rows ? shapeArgument(m_op.target) : std::string_view{};
        std::size_t position = 0;
        for (const NamedArgument& argument : m_op.args) {
            Actual actual = read(argument.value, position, operands);
            if (!shape.empty() && argument.name == shape && actual.isList)
                setRows(actual, *rows);
            // Several dimensions at once are newer than LibTorch 1.13.
            if (m_op.target == "aten::squeeze" && argument.name == "dim" && actual.list.size() == 1)
                actual = Actual(actual.list.front());
            m_args.push_back({isView() && argument.name == "size" ? "shape" : argument.name, std::move(actual)});
        }
        if (m_op.target == noTrainingNorm)
            addLiteral("training", Argument{false});
        if (m_op.target == rowsNorm)
            for (const char* name : {"running_mean", "running_var"})
                if (!m_op.find(name))
                    addLiteral(name, Argument{});
        if (isOldAttention())
            useOldAttention();
    }

    std::vector<V> run()
    {
        const auto [target, overload] = libtorchName();
        if (target.empty() && (m_args.size() != 1 || !m_args.front().second.value))
            throw Error("Op '" + m_op.name + "' (" + m_op.target + ") takes one number of the program: " + describe(m_program, m_id) + ".");
        if (target.empty())
            return {*m_args.front().second.value};
        const jit::Operator* found = find(target, overload);
        if (!found)
            throw Error("LibTorch " TORCH_VERSION " has no operator " + m_op.target + (m_op.overload.empty() ? "" : "." + m_op.overload) +
                        " with these arguments: " + describe(m_program, m_id) + ".");
        std::vector<V> inputs;
        const bool named = isNamed();
        for (std::size_t i = 0; i < found->schema().arguments().size(); ++i) {
            const c10::Argument& formal = found->schema().arguments()[i];
            const Actual* given = named ? argument(formal.name()) : i < m_args.size() ? &m_args[i].second : nullptr;
            inputs.push_back(given ? convert(*given, *formal.type()) : m_target.constant(formal.default_value().value_or(c10::IValue())));
        }
        std::vector<V> results = m_target.call(*found, std::move(inputs), m_op.outputs.size());
        // A power of whole numbers is a float in LibTorch, whatever its operators are declared to give.
        if (m_op.target == "operator::pow" && m_program[m_op.outputs.front()].kind == ValueKind::Int)
            results = m_target.call(operatorOf("aten::Int", "float"), {results.front()}, 1);
        // Newer versions of LibTorch give 0 to rows that the mask leaves nothing, and 1.13 gives what is no number.
        const Actual* mask = isOldAttention() ? argument("attn_mask") : nullptr;
        if (mask != nullptr && mask->value && mask->kind == ValueKind::Tensor)
            results.front() = m_target.cleared(results.front(), *mask->value, m_program[*m_op.find("attn_mask")->asValue()].dtype == DType::Bool);
        return results;
    }

private:
    template <class Operands>
    Actual read(const Argument& argument, std::size_t& position, const Operands& operands) const
    {
        Actual actual;
        if (const ValueId* id = argument.asValue()) {
            actual.value = operands(position++, *id);
            actual.kind = m_program[*id].kind;
        } else if (const auto* list = argument.asList()) {
            actual.isList = true;
            for (const Argument& item : *list)
                actual.list.push_back(read(item, position, operands));
        } else {
            actual.literal = &argument;
        }
        return actual;
    }

    void addLiteral(const char* name, Argument literal)
    {
        m_numbers.push_back(std::make_unique<Argument>(std::move(literal)));
        m_args.push_back({name, {}});
        m_args.back().second.literal = m_numbers.back().get();
    }

    // In a block the entry at the row dimension is the block's number of rows; the other entries are constants, so that
    // -1 is never ambiguous for a block without rows.
    void setRows(Actual& shape, const std::pair<int, V>& rows)
    {
        const auto& sizes = m_program[m_op.outputs.front()].sizes;
        for (std::size_t d = 0; d < shape.list.size() && d < sizes.size(); ++d) {
            Actual& entry = shape.list[d];
            if (static_cast<int>(d) == rows.first) {
                entry = {};
                entry.value = rows.second;
                entry.kind = ValueKind::Int;
            } else if (sizes[d].isConstant()) {
                m_numbers.push_back(std::make_unique<Argument>(Argument{sizes[d].value}));
                entry = {};
                entry.literal = m_numbers.back().get();
            }
        }
    }

    // What lies together in memory differs between versions of LibTorch, and between a block and the whole graph: a view is
    // a reshape, which copies where it must. In functional form nothing can tell the two apart.
    bool isView() const { return (m_op.target == "aten::view" || m_op.target == "aten::_unsafe_view") && m_op.find("size"); }

    bool isOldAttention() const { return m_op.target == attention && !isKnown(attention) && isKnown(oldAttention); }

    // Its scale is 1 / √F of the last dimension: another one is multiplied into the query.
    void useOldAttention()
    {
        std::erase_if(m_args, [](const auto& p) {
            return p.first == "enable_gqa" && isLiteral(p.second, [](const Argument& l) { return l.asBool() && !*l.asBool(); });
        });
        const auto scale = std::ranges::find(m_args, "scale", [](const auto& p) { return p.first; });
        const Argument* given = scale == m_args.end() ? nullptr : scale->second.literal;
        const auto query = std::ranges::find(m_args, "query", [](const auto& p) { return p.first; });
        const Argument* rows = m_op.find("query");
        const double* number = given == nullptr ? nullptr : std::get_if<double>(&given->value);
        if (number == nullptr || rows == nullptr || rows->asValue() == nullptr || m_program[*rows->asValue()].sizes.empty())
            return;
        const Dim width = m_program[*rows->asValue()].sizes.back();
        if (!width.isConstant())
            return;
        const double factor = *number * std::sqrt(static_cast<double>(width.value));
        query->second.value = m_target.scaled(*query->second.value, factor);
        m_args.erase(scale);
    }

    bool isNamed() const { return m_op.target.starts_with("aten::") && m_op.target != "aten::sym_size" && !isItem(); }
    bool isItem() const { return m_op.target == "aten::item" || m_op.target == "aten::_local_scalar_dense"; }

    const Actual* argument(const std::string& name) const
    {
        const auto found = std::ranges::find(m_args, name, [](const auto& p) { return p.first; });
        return found == m_args.end() ? nullptr : &found->second;
    }

    // Operators on sizes and a few ATen ops go by another name in TorchScript. An empty target means that the op is its operand.
    std::pair<std::string, std::string> libtorchName() const
    {
        static const std::map<std::string_view, std::pair<std::string, std::string>> names{
            {"aten::sym_size", {"aten::size", "int"}},     {"aten::sym_numel", {"aten::numel", ""}},
            {"operator::add", {"aten::add", ""}},          {"operator::sub", {"aten::sub", ""}},
            {"operator::mul", {"aten::mul", ""}},          {"operator::truediv", {"aten::div", ""}},
            {"operator::floordiv", {"aten::floordiv", ""}}, {"operator::mod", {"aten::remainder", ""}},
            {"operator::pow", {"aten::pow", ""}},          {"operator::neg", {"aten::neg", ""}},
            {"operator::eq", {"aten::eq", ""}},            {"operator::ne", {"aten::ne", ""}},
            {"operator::lt", {"aten::lt", ""}},            {"operator::le", {"aten::le", ""}},
            {"operator::gt", {"aten::gt", ""}},            {"operator::ge", {"aten::ge", ""}},
            {"operator::and_", {"aten::__and__", ""}},     {"operator::or_", {"aten::__or__", ""}},
            {"operator::not_", {"aten::__not__", ""}},     {"sym::not", {"aten::__not__", ""}},
            {"sym::max", {"prim::max", ""}},               {"sym::min", {"prim::min", ""}},
            {"sym::float", {"aten::Float", ""}},           {"sym::int", {"aten::Int", ""}},
            {"sym::sqrt", {"aten::sqrt", ""}},             {"math::sqrt", {"aten::sqrt", ""}},
            {"math::ceil", {"aten::ceil", ""}},            {"math::floor", {"aten::floor", ""}},
            {"math::trunc", {"aten::Int", ""}},            {"operator::pos", {"", ""}},
            {noTrainingNorm, {"aten::native_batch_norm", ""}}, {rowsNorm, {"aten::native_batch_norm", ""}}};
        if (isItem()) {
            const ValueKind kind = m_program[m_op.outputs.front()].kind;
            return {kind == ValueKind::Int ? "aten::Int" : kind == ValueKind::Bool ? "aten::Bool" : "aten::Float", "Tensor"};
        }
        if (isView())
            return {"aten::reshape", ""};
        if (isOldAttention())
            return {std::string(oldAttention), ""};
        const auto known = names.find(m_op.target);
        return known == names.end() ? std::pair{m_op.target, m_op.overload} : known->second;
    }

    bool fits(const c10::FunctionSchema& schema, Match match) const
    {
        const auto& formals = schema.arguments();
        if (schema.is_vararg() || (schema.is_mutable() && !isInPlace(m_op)))
            return false;
        if (!isNamed()) {
            if (m_args.size() > formals.size())
                return false;
            for (std::size_t i = 0; i < formals.size(); ++i)
                if (i < m_args.size() ? !accepts(*formals[i].type(), m_args[i].second, match) : !formals[i].default_value())
                    return false;
            return true;
        }
        for (const auto& [name, actual] : m_args) {
            const bool known = std::ranges::any_of(formals, [&](const c10::Argument& f) { return f.name() == name; });
            if (!known && !isNone(actual))
                return false;
        }
        return std::ranges::all_of(formals, [&](const c10::Argument& f) {
            const Actual* given = argument(f.name());
            // What may be left out in newer versions only.
            const bool isNothing = schema.overload_name() == m_op.overload && f.type()->kind() == c10::TypeKind::OptionalType;
            return given ? accepts(*f.type(), *given, match) : f.default_value().has_value() || isNothing;
        });
    }

    static const jit::Operator& operatorOf(const char* target, std::string_view overload)
    {
        for (const auto& candidate : jit::getAllOperatorsFor(c10::Symbol::fromQualString(target)))
            if (candidate->schema().overload_name() == overload)
                return *candidate;
        throw Error("LibTorch " TORCH_VERSION " has no operator " + std::string(target) + ".");
    }

    // The traced overload if its types fit; else another one that does: add(x, 2) is traced as add.Tensor and is add.Scalar.
    const jit::Operator* find(const std::string& target, const std::string& overload) const
    {
        const auto& candidates = jit::getAllOperatorsFor(c10::Symbol::fromQualString(target));
        for (const auto& candidate : candidates)
            if (isNamed() && candidate->schema().overload_name() == overload && fits(candidate->schema(), Match::Loose))
                return candidate.get();
        for (const Match match : {Match::Strict, Match::Loose, Match::Wrap})
            for (const auto& candidate : candidates)
                if (fits(candidate->schema(), match))
                    return candidate.get();
        return nullptr;
    }

    V convert(const Actual& a, const c10::Type& type)
    {
        if (type.kind() == c10::TypeKind::OptionalType)
            return isNone(a) ? m_target.constant(c10::IValue()) : convert(a, *inner(type));
        if (type.kind() == c10::TypeKind::ListType)
            return convertList(a, inner(type));
        V value = a.value ? *a.value : m_target.constant(literal(*a.literal, type));
        return type.kind() != c10::TypeKind::TensorType || (a.value && a.kind == ValueKind::Tensor) ? value : m_target.wrapped(value);
    }

    static c10::IValue literal(const Argument& argument, const c10::Type& type)
    {
        if (const DType* dtype = std::get_if<DType>(&argument.value))
            return static_cast<std::int64_t>(scalarType(*dtype));
        if (const std::int64_t* n = argument.asInt())
            return type.kind() == c10::TypeKind::FloatType ? c10::IValue(static_cast<double>(*n)) : c10::IValue(*n);
        if (const double* x = std::get_if<double>(&argument.value))
            return type.kind() == c10::TypeKind::IntType ? c10::IValue(static_cast<std::int64_t>(*x)) : c10::IValue(*x);
        if (const bool* b = argument.asBool())
            return *b;
        if (const std::string* s = argument.asString())
            return *s;
        return {};
    }

    V convertList(const Actual& a, const c10::TypePtr& element)
    {
        std::vector<V> items;
        if (a.isList)
            for (const Actual& item : a.list)
                items.push_back(convert(item, *element));
        else
            items.push_back(convert(a, *element));
        return m_target.list(std::move(items), element);
    }

    Target m_target;
    const Program& m_program;
    OpId m_id;
    const Op& m_op;
    std::vector<std::pair<std::string, Actual>> m_args;
    std::vector<std::unique_ptr<Argument>> m_numbers;
};

}  // namespace

std::vector<torch::jit::Value*> lowerOp(torch::jit::Graph& graph, const Program& program, OpId op, const OperandLookup& operands,
                                        const std::optional<RowEntry>& rows)
{
    return OpLowering<Graphs>(Graphs(graph), program, op, operands, rows ? std::optional(std::pair(rows->dim, rows->count)) : std::nullopt).run();
}

std::vector<c10::IValue> callOp(const Program& program, OpId op, const OperandValues& operands, const std::optional<RowNumber>& rows)
{
    return OpLowering<Calls>({}, program, op, operands, rows ? std::optional(std::pair(rows->dim, c10::IValue(rows->count))) : std::nullopt).run();
}

}  // namespace cleave
