#include "core/model/symbols.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

namespace {

constexpr std::size_t longest = 10'000;
constexpr int deepestTerm = 64;

// Recursive descent over NAME, NAME(argument, …), NUMBER and 'TEXT'.
class Parser {
public:
    Parser(std::string_view text, const std::string& what) : m_text(text), m_what(what) {}

    Dim parse()
    {
        Dim dim = expression(0);
        skipSpace();
        if (m_at != m_text.size())
            fail();
        return dim;
    }

private:
    [[noreturn]] void fail() const
    {
        throw Error("The size '" + printable(m_text) + "' of " + printable(m_what) + " is not an expression that Cleave reads.");
    }

    void skipSpace()
    {
        while (m_at < m_text.size() && m_text[m_at] == ' ')
            ++m_at;
    }

    bool take(char c)
    {
        skipSpace();
        if (m_at >= m_text.size() || m_text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }

    std::string_view word()
    {
        skipSpace();
        const std::size_t start = m_at;
        while (m_at < m_text.size() && (std::isalnum(static_cast<unsigned char>(m_text[m_at])) || m_text[m_at] == '_' || m_text[m_at] == '.' ||
                                        (m_text[m_at] == '-' && m_at == start)))
            ++m_at;
        return m_text.substr(start, m_at - start);
    }

    Dim number(std::string_view digits) const
    {
        Dim dim;
        const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), dim.value);
        if (problem != std::errc() || end != digits.data() + digits.size())
            fail();
        return dim;
    }

    Dim expression(int depth)
    {
        if (depth > deepestTerm)
            fail();
        const std::string_view name = word();
        if (name.empty())
            fail();
        if (std::isdigit(static_cast<unsigned char>(name.front())) || name.front() == '-')
            return number(name);
        if (!take('('))
            return {0, std::string(name)};
        if (name == "Symbol")
            return symbol();
        if (name == "Float")
            return wholeFloat();
        std::vector<Dim> arguments;
        if (!take(')')) {
            do
                arguments.push_back(expression(depth + 1));
            while (take(','));
            if (!take(')'))
                fail();
        }
        if (name == "Integer" && arguments.size() == 1)
            return arguments.front();
        return combined(std::string(name), arguments);
    }

    // Symbol('s0', positive=True, integer=True): the name alone.
    Dim symbol()
    {
        const std::string_view name = quoted();
        const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
        if (!std::ranges::all_of(name, plain))
            fail();
        return {0, std::string(name)};
    }

    // Float('1.0', precision=53), as steps of torch.arange are written.
    Dim wholeFloat()
    {
        const std::string_view digits = quoted();
        const std::size_t point = digits.find('.');
        if (point == std::string_view::npos || digits.find_first_not_of('0', point + 1) != std::string_view::npos)
            fail();
        return number(digits.substr(0, point));
    }

    // Up to the closing parenthesis.
    std::string_view quoted()
    {
        skipSpace();
        if (m_at >= m_text.size() || (m_text[m_at] != '\'' && m_text[m_at] != '"'))
            fail();
        const char quote = m_text[m_at++];
        const std::size_t end = m_text.find(quote, m_at);
        if (end == std::string_view::npos || end == m_at)
            fail();
        const std::string_view text = m_text.substr(m_at, end - m_at);
        m_at = m_text.find(')', end);
        if (m_at == std::string_view::npos)
            fail();
        ++m_at;
        return text;
    }

    // Whole numbers stay whole in floating point, whatever is not divided.
    static bool isWholeAnyway(const std::string& name, const std::vector<Dim>& arguments)
    {
        if (name == "FloatTrueDiv")
            return arguments.size() == 2 && arguments.back().isOne();
        const bool rounds = name == "ToFloat" || name == "CeilToInt" || name == "FloorToInt" || name == "TruncToInt";
        return rounds && arguments.size() == 1 && arguments.front().symbol.find("Div") == std::string::npos;
    }

    // int(a / n): as sizes are never below 0, that is a // n; a itself is n times as much where that was computed just before.
    static std::optional<Dim> roundedQuotient(const std::string& name, const std::vector<Dim>& arguments)
    {
        constexpr std::string_view division = "IntTrueDiv(";
        if ((name != "TruncToInt" && name != "FloorToInt") || arguments.size() != 1 || !arguments.front().symbol.starts_with(division))
            return {};
        const std::string_view inside = std::string_view(arguments.front().symbol).substr(division.size());
        const std::size_t comma = inside.rfind(", ");
        if (comma == std::string_view::npos)
            return {};
        const std::string_view divisor = inside.substr(comma + 2, inside.size() - comma - 3);
        if (divisor.empty() || divisor == "0" || divisor.find_first_not_of("0123456789") != std::string_view::npos)
            return {};
        const std::string_view dividend = inside.substr(0, comma);
        const std::string multiple = "Mul(" + std::string(divisor) + ", ";
        if (dividend.starts_with(multiple) && dividend.find_first_of(",(", multiple.size()) == std::string_view::npos)
            return Dim{0, std::string(dividend.substr(multiple.size(), dividend.size() - multiple.size() - 1))};
        return Dim{0, "FloorDiv(" + std::string(inside)};
    }

    // The factor of "Mul(2, s0, s1)", which sorting has put first, and the others, "s0, s1". Of a single factor these are it.
    static std::pair<std::int64_t, std::string> factored(const std::string& term)
    {
        constexpr std::string_view product = "Mul(";
        if (!term.starts_with(product))
            return {1, term};
        const std::string factors = term.substr(product.size(), term.size() - product.size() - 1);
        std::int64_t number = 1;
        const auto [end, problem] = std::from_chars(factors.data(), factors.data() + factors.size(), number);
        const bool isNumbered = problem == std::errc() && *end == ',';
        return isNumbered ? std::pair(number, factors.substr(static_cast<std::size_t>(end - factors.data()) + 2))
                          : std::pair(std::int64_t{1}, factors);
    }

    static std::string multiplied(std::int64_t number, const std::string& factors)
    {
        int depth = 0;
        const bool areSeveral = std::ranges::any_of(factors, [&](char c) {
            depth += (c == '(') - (c == ')');
            return c == ',' && depth == 0;
        });
        return number != 1 ? "Mul(" + std::to_string(number) + ", " + factors + ")" : areSeveral ? "Mul(" + factors + ")" : factors;
    }

    // 2·s0 - s0 is s0. What would be too large to be counted stays as it is.
    static void addAlike(std::vector<std::string>& terms)
    {
        std::map<std::string, std::int64_t> numbers;
        for (const std::string& term : terms)
            if (const auto [number, factors] = factored(term); __builtin_add_overflow(numbers[factors], number, &numbers[factors]))
                return;
        if (numbers.size() == terms.size())
            return;
        terms.clear();
        for (const auto& [factors, number] : numbers)
            if (number != 0)
                terms.push_back(multiplied(number, factors));
    }

    static Dim combined(const std::string& name, const std::vector<Dim>& arguments)
    {
        std::vector<std::string> texts;
        if (isWholeAnyway(name, arguments))
            return arguments.front();
        if (std::optional<Dim> quotient = roundedQuotient(name, arguments))
            return *std::move(quotient);
        if (name == "Add" || name == "Mul") {
            std::int64_t constant = name == "Add" ? 0 : 1;
            bool overflow = false;
            for (const Dim& dim : arguments)
                if (!dim.isConstant())
                    texts.push_back(dim.symbol);
                else if (name == "Add")
                    overflow |= __builtin_add_overflow(constant, dim.value, &constant);
                else
                    overflow |= __builtin_mul_overflow(constant, dim.value, &constant);
            if (name == "Add")
                addAlike(texts);
            if (!overflow && texts.empty())
                return {constant, {}};
            if (constant != (name == "Add" ? 0 : 1))
                texts.push_back(std::to_string(constant));
            if (texts.size() == 1)
                return {0, texts.front()};
            std::ranges::sort(texts);
        } else {
            for (const Dim& dim : arguments)
                texts.push_back(toString(dim));
        }
        return {0, name + "(" + join(texts, ", ") + ")"};
    }

    std::string_view m_text;
    const std::string& m_what;
    std::size_t m_at = 0;
};

}  // namespace

Dim parseSize(std::string_view text, const std::string& what)
{
    if (text.size() > longest)
        throw Error("The size of " + printable(what) + " is an expression of " + std::to_string(text.size()) + " characters, too long to be one.");
    return Parser(text, what).parse();
}

}  // namespace cleave
