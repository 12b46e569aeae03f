#pragma once

#include <functional>
#include <string>

#include "core/base/progress.h"

namespace cleave {

/// Does work in a copy of this process first, for work that trusts a file more than it should: what ends or hangs the copy leaves this process as it
/// was. Returns when the work has; throws the Error that it threw, or one with the sentence if the copy ended in another way or fell silent. What the
/// work changes stays in the copy. It must not wait for other threads, which the copy does not have. Where no copy can be made nothing is tried.
void tryInCopy(const std::function<void(const Progress&)>& work, const std::string& sentence, const Progress& progress);

}  // namespace cleave
