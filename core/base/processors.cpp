#include "core/base/processors.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

namespace cleave {

std::optional<ProcessorTimes> processorTimes()
{
    // "cpu  user nice system idle iowait irq softirq steal guest guest_nice", of which user holds guest. What the host takes is nobody's here.
    std::ifstream file("/proc/stat");
    std::string label;
    std::array<double, 7> ticks{};
    file >> label;
    for (double& count : ticks)
        file >> count;
    rusage own{};
    if (!file || label != "cpu" || getrusage(RUSAGE_SELF, &own) != 0)
        return {};
    const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6; };
    const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    const auto& [user, nice, system, idle, waiting, interrupts, softInterrupts] = ticks;
    return ProcessorTimes{(idle + waiting) * tick, (user + nice + system + interrupts + softInterrupts) * tick,
                          seconds(own.ru_utime) + seconds(own.ru_stime)};
}

OthersAtWork::OthersAtWork() : m_asked(std::chrono::steady_clock::now()), m_times(processorTimes()) {}

bool OthersAtWork::ask()
{
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - m_asked).count();
    if (!m_times || seconds < 0.1)
        return m_areAtWork;
    const auto times = processorTimes();
    if (times)
        weigh(seconds, {times->idle - m_times->idle, times->busy - m_times->busy, times->ours - m_times->ours});
    m_asked = now;
    m_times = times;
    return m_areAtWork;
}

bool OthersAtWork::weigh(double seconds, const ProcessorTimes& since)
{
    // Of a processor; a tick more or less on each of two is a fifth of a tenth of a second.
    constexpr double some = 0.25;
    const double others = std::max(0.0, since.busy - since.ours) / seconds, idle = since.idle / seconds;
    m_quiet = others < some ? m_quiet + seconds : 0;
    m_areAtWork = m_areAtWork ? m_quiet < 1 : others >= some && idle < some;
    return m_areAtWork;
}

}  // namespace cleave
