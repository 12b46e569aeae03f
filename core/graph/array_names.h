#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/array.h"

namespace cleave {

/// The words of a name, what it is of before the rest: an exporter writes edge_index___author____writes____paper__ for what people call
/// edge_index_author_writes_paper, x_dict_paper for x_paper, and frameworks for graphs of several types "author__writes__paper.edge_index".
std::vector<std::string> wordsOf(const std::string& name);

/// The array of this name, or the only one whose name has the same words; the end if there is none.
std::map<std::string, Array>::const_iterator findArray(const std::map<std::string, Array>& arrays, const std::string& name);

}  // namespace cleave
