#include "core/analysis/einsum.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/analysis/op_view.h"

namespace cleave {

namespace {

constexpr std::string_view ellipsis = "...";
constexpr char firstUnnamed = '\x01';
constexpr std::size_t mostUnnamed = 'A' - firstUnnamed;

// labels, of which an ellipsis stands for the last `unnamed` of `most` dimensions. Nothing where there is anything else.
std::optional<std::string> spelt(std::string_view labels, std::size_t unnamed, std::size_t most)
{
    std::string all;
    const std::size_t dots = labels.find(ellipsis);
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (i == dots) {
            for (std::size_t d = most - unnamed; d < most; ++d)
                all += static_cast<char>(firstUnnamed + static_cast<char>(d));
            i += ellipsis.size() - 1;
        } else if (std::isalpha(static_cast<unsigned char>(labels[i]))) {
            all += labels[i];
        } else {
            return {};
        }
    return all;
}

bool hasEllipsis(std::string_view labels) { return labels.find(ellipsis) != std::string_view::npos; }

// What stands once in the operands, by letter, behind what an ellipsis stands for.
std::string implicitResult(const std::vector<std::string>& operands)
{
    std::string all, once;
    for (const std::string& labels : operands)
        all += labels;
    std::ranges::sort(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool isNew = i == 0 || all[i - 1] != all[i];
        if (isNew && (all[i] < 'A' || i + 1 == all.size() || all[i + 1] != all[i]))
            once += all[i];
    }
    return once;
}

}  // namespace

std::optional<Einsum> einsumOf(const Program& program, const Op& op)
{
    const Argument* given = op.find("equation");
    if (given == nullptr || given->asString() == nullptr)
        return {};
    std::string equation = *given->asString();
    std::erase(equation, ' ');
    const std::size_t arrow = equation.find("->");
    std::vector<std::string> terms{""};
    for (const char c : equation.substr(0, arrow))
        if (c == ',')
            terms.emplace_back();
        else
            terms.back() += c;
    const std::vector<ValueId> tensors = OpView(program, op).values("tensors");
    if (terms.size() != tensors.size())
        return {};
    std::vector<std::size_t> unnamed;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        if (!tensors[i].valid())
            return {};
        const std::size_t rank = program[tensors[i]].sizes.size(), named = terms[i].size() - (hasEllipsis(terms[i]) ? ellipsis.size() : 0);
        if (named > rank || (named < rank && !hasEllipsis(terms[i])) || rank - named > mostUnnamed)
            return {};
        unnamed.push_back(rank - named);
    }
    const std::size_t most = std::ranges::max(unnamed);
    Einsum einsum;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const std::optional<std::string> labels = spelt(terms[i], unnamed[i], most);
        if (!labels)
            return {};
        einsum.operands.push_back(*labels);
    }
    const std::optional<std::string> result =
        arrow == std::string::npos ? implicitResult(einsum.operands) : spelt(std::string_view(equation).substr(arrow + 2), most, most);
    if (!result)
        return {};
    einsum.result = *result;
    return einsum;
}

}  // namespace cleave
