#include "core/graph/array_names.h"

#include <algorithm>
#include <cctype>

namespace cleave {

std::vector<std::string> wordsOf(const std::string& name)
{
    std::vector<std::string> all(1);
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)))
            all.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!all.back().empty())
            all.emplace_back();
    std::erase(all, "");
    std::erase(all, "dict");
    for (const std::vector<std::string>& quantity : {std::vector<std::string>{"edge", "index"}, {"edge", "attr"}, {"edge", "weight"}, {"x"}})
        if (all.size() > quantity.size() && std::equal(quantity.rbegin(), quantity.rend(), all.rbegin()))
            std::ranges::rotate(all, all.end() - static_cast<std::ptrdiff_t>(quantity.size()));
    return all;
}

}  // namespace cleave
