#include "core/analysis/op_view.h"

namespace cleave {

namespace {

std::optional<int> normalised(std::int64_t dim, int rank)
{
    if (dim < 0)
        dim += rank;
    if (dim < 0 || dim >= rank)
        return {};
    return static_cast<int>(dim);
}

}  // namespace

const Value* OpView::tensor(std::string_view name) const
{
    const ValueId id = value(name);
    return id.valid() && m_program[id].kind == ValueKind::Tensor ? &m_program[id] : nullptr;
}

ValueId OpView::value(std::string_view name) const
{
    const Argument* argument = m_op.find(name);
    const ValueId* id = argument ? argument->asValue() : nullptr;
    return id ? *id : ValueId{};
}

std::vector<ValueId> OpView::values(std::string_view name) const
{
    std::vector<ValueId> ids;
    const Argument* argument = m_op.find(name);
    if (const auto* list = argument ? argument->asList() : nullptr)
        for (const Argument& item : *list)
            ids.push_back(item.asValue() ? *item.asValue() : ValueId{});
    return ids;
}

int OpView::rank(std::string_view name) const
{
    const Value* v = tensor(name);
    return v ? static_cast<int>(v->sizes.size()) : -1;
}

std::optional<std::int64_t> OpView::integer(std::string_view name) const
{
    const Argument* argument = m_op.find(name);
    const std::int64_t* number = argument ? argument->asInt() : nullptr;
    return number ? std::optional(*number) : std::nullopt;
}

std::optional<double> OpView::number(std::string_view name) const
{
    const Argument* argument = m_op.find(name);
    if (argument == nullptr)
        return {};
    if (const std::int64_t* whole = argument->asInt())
        return static_cast<double>(*whole);
    const double* real = std::get_if<double>(&argument->value);
    return real == nullptr ? std::nullopt : std::optional(*real);
}

bool OpView::flag(std::string_view name, bool fallback) const
{
    const Argument* argument = m_op.find(name);
    const bool* b = argument ? argument->asBool() : nullptr;
    return b ? *b : fallback;
}

bool OpView::given(std::string_view name) const
{
    const Argument* argument = m_op.find(name);
    return argument && !argument->isNone();
}

std::optional<int> OpView::dim(std::string_view name, int rank) const
{
    const auto number = integer(name);
    return number ? normalised(*number, rank) : std::nullopt;
}

std::optional<std::vector<int>> OpView::dims(std::string_view name, int rank) const
{
    const Argument* argument = m_op.find(name);
    if (!argument)
        return {};
    std::vector<int> result;
    const auto add = [&](const Argument& item) {
        const auto d = item.asInt() ? normalised(*item.asInt(), rank) : std::nullopt;
        if (d)
            result.push_back(*d);
        return d.has_value();
    };
    if (const auto* list = argument->asList()) {
        for (const Argument& item : *list)
            if (!add(item))
                return {};
    } else if (!add(*argument)) {
        return {};
    }
    return result.empty() ? std::nullopt : std::optional(result);
}

}  // namespace cleave
