#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cleave {

/// Untrusted JSON, read with the type that is expected: anything else is an Error that says where it is.
class JsonView {
public:
    JsonView(const nlohmann::json& json, std::string where) : m_json(&json), m_where(std::move(where)) {}

    JsonView at(std::string_view key) const;                ///< Error if this is no object or has no such key
    std::optional<JsonView> find(std::string_view key) const;  ///< nothing if it is missing or null
    std::vector<JsonView> items() const;                    ///< of an array
    std::vector<std::pair<std::string, JsonView>> members() const;  ///< of an object

    /// The one member of an object that stands for a choice, {"as_int": 3}; members that are null do not count.
    std::pair<std::string, JsonView> choice() const;

    std::string text() const;
    std::int64_t integer() const;
    std::int64_t boundedInteger() const;  ///< the largest of 64 bits for a larger one: exporters write bounds of sums
    double number() const;  ///< "Infinity", "-Infinity" and "NaN" may be written as text
    bool boolean() const;
    bool isNull() const { return m_json->is_null(); }

    const std::string& where() const { return m_where; }
    [[noreturn]] void fail(const std::string& expected) const;

private:
    const nlohmann::json* m_json;
    std::string m_where;
};

/// Parses text; what names it in errors.
nlohmann::json parseJson(std::string_view text, const std::string& what);

}  // namespace cleave
