#include "core/model/json_view.h"

#include <limits>

#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

void JsonView::fail(const std::string& expected) const
{
    throw Error("The file is damaged: " + printable(m_where, 160) + " must be " + expected + ".");
}

JsonView JsonView::at(std::string_view key) const
{
    if (!m_json->is_object())
        fail("an object");
    const auto found = m_json->find(key);
    if (found == m_json->end())
        throw Error("The file is damaged: " + printable(m_where, 160) + " has no '" + std::string(key) + "'.");
    return {*found, m_where + "." + std::string(key)};
}

std::optional<JsonView> JsonView::find(std::string_view key) const
{
    if (!m_json->is_object())
        fail("an object");
    const auto found = m_json->find(key);
    if (found == m_json->end() || found->is_null())
        return {};
    return JsonView(*found, m_where + "." + std::string(key));
}

std::vector<JsonView> JsonView::items() const
{
    if (!m_json->is_array())
        fail("a list");
    std::vector<JsonView> all;
    all.reserve(m_json->size());
    for (const nlohmann::json& item : *m_json)
        all.emplace_back(item, m_where + "[" + std::to_string(all.size()) + "]");
    return all;
}

std::vector<std::pair<std::string, JsonView>> JsonView::members() const
{
    if (!m_json->is_object())
        fail("an object");
    std::vector<std::pair<std::string, JsonView>> all;
    for (auto member = m_json->begin(); member != m_json->end(); ++member)
        all.emplace_back(member.key(), JsonView(*member, m_where + "." + printable(member.key())));
    return all;
}

std::pair<std::string, JsonView> JsonView::choice() const
{
    auto all = members();
    std::erase_if(all, [](const auto& member) { return member.second.isNull(); });
    if (all.size() != 1)
        fail("an object with one member");
    return all.front();
}

std::string JsonView::text() const
{
    if (!m_json->is_string())
        fail("text");
    return m_json->get<std::string>();
}

std::int64_t JsonView::integer() const
{
    if (!m_json->is_number_integer() || (m_json->is_number_unsigned() && m_json->get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()))
        fail("an integer");
    return m_json->get<std::int64_t>();
}

std::int64_t JsonView::boundedInteger() const
{
    // Whole numbers of more than 64 bits are read as floating-point ones.
    constexpr double past = 9223372036854775808.0;
    const bool isLarger = (m_json->is_number_unsigned() && m_json->get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) ||
                          (m_json->is_number_float() && m_json->get<double>() >= past);
    return isLarger ? std::numeric_limits<std::int64_t>::max() : integer();
}

double JsonView::number() const
{
    if (m_json->is_number())
        return m_json->get<double>();
    const std::string word = m_json->is_string() ? m_json->get<std::string>() : "";
    if (word == "Infinity" || word == "inf")
        return std::numeric_limits<double>::infinity();
    if (word == "-Infinity" || word == "-inf")
        return -std::numeric_limits<double>::infinity();
    if (word == "NaN" || word == "nan")
        return std::numeric_limits<double>::quiet_NaN();
    fail("a number");
}

bool JsonView::boolean() const
{
    if (!m_json->is_boolean())
        fail("true or false");
    return m_json->get<bool>();
}

nlohmann::json parseJson(std::string_view text, const std::string& what)
{
    nlohmann::json json = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
    if (json.is_discarded())
        throw Error("The file is damaged: " + printable(what) + " is not JSON.");
    return json;
}

}  // namespace cleave
