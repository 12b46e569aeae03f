#pragma once

#include <chrono>
#include <utility>

namespace cleave {

/// Seconds of wall time since it was made, or since the last lap.
class Stopwatch {
public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_last).count(); }

    double lap()
    {
        const auto last = std::exchange(m_last, std::chrono::steady_clock::now());
        return std::chrono::duration<double>(m_last - last).count();
    }

private:
    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now();
};

/// Seconds that work() takes.
double secondsOf(auto work)
{
    const Stopwatch watch;
    work();
    return watch.seconds();
}

}  // namespace cleave
