#include "core/analysis/rewriter.h"

#include "core/analysis/dims.h"
#include "core/base/error.h"

namespace cleave {

std::set<ValueId> valuesRead(const Program& program)
{
    std::set<ValueId> read(program.outputs.begin(), program.outputs.end());
    for (const Op& op : program.ops)
        forEachOperand(op, [&](ValueId operand) { read.insert(operand); });
    return read;
}

Rewriter::Rewriter(Program& program) : m_program(program), m_old(std::move(program.ops))
{
    m_program.ops.clear();
    for (Value& value : program.values) {
        m_names[value.name] = 1;
        value.producer = {};
    }
    for (const Input& input : program.inputs)
        noteSize(input.value);
    for (const Input& input : program.inputs)
        if (input.role == Role::NodeFeatures)
            m_ofNodes.insert(input.value);
}

OpId Rewriter::emit(Op op)
{
    forEachOperand(op, [&](ValueId operand) {
        if (!operand.valid())
            throw Error("Op '" + op.name + "' (" + op.target + ") is not given a tensor that it needs.");
    });
    bool isOfNodes = false;
    forEachOperand(op, [&](ValueId operand) { isOfNodes = isOfNodes || m_ofNodes.contains(operand); });
    if (isOfNodes && op.target != "aten::sym_size")
        m_ofNodes.insert(op.outputs.begin(), op.outputs.end());
    const OpId id{static_cast<int>(m_program.ops.size())};
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
        m_program[op.outputs[i]].producer = id;
        m_program[op.outputs[i]].outputIndex = static_cast<int>(i);
    }
    m_program.ops.push_back(std::move(op));
    return id;
}

std::string Rewriter::freshName(std::string stem)
{
    // A name that was made before gets another number.
    if (const std::size_t mark = stem.rfind("_c");
        mark != std::string::npos && mark > 0 && mark + 2 < stem.size() && stem.find_first_not_of("0123456789", mark + 2) == std::string::npos)
        stem.resize(mark);
    for (int& n = m_names[stem];; ++n) {
        std::string name = stem + "_c" + std::to_string(n);
        if (!m_names.contains(name)) {
            m_names[name] = 1;
            return name;
        }
    }
}

ValueId Rewriter::newValue(const Op& origin, const Value& like)
{
    return addValue(freshName(origin.name), like);
}

ValueId Rewriter::addValue(std::string name, const Value& like)
{
    Value value = like;
    value.name = std::move(name);
    value.weight = {};
    m_program.values.push_back(std::move(value));
    return {static_cast<int>(m_program.values.size()) - 1};
}

ValueId Rewriter::emitNew(const Op& origin, std::string target, std::string overload, std::vector<NamedArgument> args, const Value& like)
{
    const std::size_t colons = target.rfind("::");
    const ValueId id = addValue(freshName(colons == std::string::npos ? target : target.substr(colons + 2)), like);
    emit({m_program[id].name, std::move(target), std::move(overload), std::move(args), {id}, origin.module, origin.source});
    return id;
}

void Rewriter::replace(ValueId value, ValueId by)
{
    if (!by.valid())
        throw Error("'" + m_program[value].name + "' stands for a tensor that its op is not given.");
    m_replacement[value] = by;
}

ValueId Rewriter::resolved(ValueId value) const
{
    for (auto it = m_replacement.find(value); it != m_replacement.end(); it = m_replacement.find(value))
        value = it->second;
    return value;
}

void Rewriter::resolveOperands(Op& op) const
{
    for (NamedArgument& argument : op.args)
        changeValues(argument.value, [&](ValueId& id) { id = resolved(id); });
}

void Rewriter::finish()
{
    for (ValueId& output : m_program.outputs)
        output = resolved(output);
}

Argument Rewriter::sizeArgument(const Dim& dim, const Op& origin)
{
    if (dim.isConstant())
        return {dim.value};
    const auto known = m_sizes.find(dim.symbol);
    if (known != m_sizes.end())
        return known->second;
    if (const Argument computed = computedSize(dim, origin); !computed.isNone())
        return m_sizes[dim.symbol] = computed;
    const auto source = m_sizeSources.find(dim.symbol);
    if (source == m_sizeSources.end())
        return {};
    Value number;
    number.kind = ValueKind::Int;
    number.number = dim;
    const auto [tensor, position] = source->second;
    const ValueId size = emitNew(origin, "aten::sym_size", "int",
                                 {{"self", {tensor}}, {"dim", {static_cast<std::int64_t>(position)}}}, number);
    return m_sizes[dim.symbol] = Argument{size};
}

// A sum, product or fraction of sizes is computed from them, so that it comes from the graph even if only a feature tensor has it.
Argument Rewriter::computedSize(const Dim& dim, const Op& origin)
{
    Value number;
    number.kind = ValueKind::Int;
    number.number = dim;
    if (const auto fraction = sizeFraction(dim.symbol)) {
        const Argument whole = sizeArgument(Dim{0, fraction->first}, origin);
        if (whole.isNone())
            return {};
        return {emitNew(origin, "operator::floordiv", "", {{"a", whole}, {"b", {fraction->second}}}, number)};
    }
    const auto [name, parts] = sizeParts(dim.symbol);
    if (name != "Add" && name != "Mul")
        return {};
    Argument result;
    for (const std::string& part : parts) {
        const auto constant = sizeNumber(part);
        const Argument next = constant ? Argument{*constant} : sizeArgument(Dim{0, part}, origin);
        if (next.isNone())
            return {};
        if (result.isNone())
            result = next;
        else
            result = {emitNew(origin, name == "Add" ? "operator::add" : "operator::mul", "", {{"a", result}, {"b", next}}, number)};
    }
    return result;
}

void Rewriter::noteSize(ValueId tensor)
{
    const Value& value = m_program[tensor];
    for (std::size_t d = 0; d < value.sizes.size(); ++d)
        if (!value.sizes[d].isConstant()) {
            const std::pair source(tensor, static_cast<int>(d));
            const auto [known, isNew] = m_sizeSources.try_emplace(value.sizes[d].symbol, source);
            const ValueId before = known->second.first;
            if (!isNew && !m_program.isInput(before) && m_ofNodes.contains(before) && !m_ofNodes.contains(tensor))
                known->second = source;
        }
}

}  // namespace cleave
