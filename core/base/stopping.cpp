#include "core/base/stopping.h"

#include <utility>

#include "core/base/error.h"

namespace cleave {

namespace {

thread_local const std::stop_token* innermost = nullptr;

}  // namespace

Stoppable::Stoppable(const std::stop_token& stop) : Stoppable(&stop) {}

Stoppable::Stoppable(const std::stop_token* stop) : m_outer(std::exchange(innermost, stop)) {}

Stoppable::~Stoppable() { innermost = m_outer; }

const std::stop_token* Stoppable::current() { return innermost; }

void checkStop()
{
    if (innermost != nullptr && innermost->stop_requested())
        throw Cancelled();
}

}  // namespace cleave
