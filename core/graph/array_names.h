#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/array.h"

namespace cleave {

/// The words of a name, what it is of before the rest: an exporter writes edge_index___author____writes____paper__ for what people call
/// edge_index_author_writes_paper, x_dict_paper for x_paper, and frameworks for graphs of several types "author__writes__paper.edge_index".
std::vector<std::string> wordsOf(const std::string& name);

/// What has this name, or the only one whose name has the same words; the end if there is none.
template <class Item>
typename std::map<std::string, Item>::const_iterator findNamed(const std::map<std::string, Item>& items, const std::string& name)
{
    auto found = items.find(name);
    if (found != items.end())
        return found;
    const std::vector<std::string> wanted = wordsOf(name);
    for (auto item = items.begin(); item != items.end(); ++item)
        if (wordsOf(item->first) == wanted) {
            if (found != items.end())
                return items.end();
            found = item;
        }
    return found;
}

/// Of a graph's arrays.
inline std::map<std::string, Array>::const_iterator findArray(const std::map<std::string, Array>& arrays, const std::string& name)
{
    return findNamed(arrays, name);
}

}  // namespace cleave
