#pragma once

#include <stop_token>

namespace cleave {

/// While one is alive, checkStop() on this thread, and on those that parallelFor runs for it, throws Cancelled once a stop was requested: long
/// loops that nobody hands a Progress hear of it too. The innermost one counts.
class Stoppable {
public:
    explicit Stoppable(const std::stop_token& stop);  ///< which outlives it
    explicit Stoppable(std::stop_token&& stop) = delete;
    explicit Stoppable(const std::stop_token* stop);  ///< null: nothing stops it
    ~Stoppable();
    Stoppable(const Stoppable&) = delete;
    Stoppable& operator=(const Stoppable&) = delete;

    static const std::stop_token* current();  ///< of this thread; may be null

private:
    const std::stop_token* m_outer;
};

void checkStop();

}  // namespace cleave
