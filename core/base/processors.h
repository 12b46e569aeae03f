#pragma once

#include <chrono>
#include <optional>

namespace cleave {

/// Processor time of the whole machine, as the system counts it.
struct ProcessorTimes {
    double idle = 0;  ///< seconds, of all processors together, since the machine started
    double busy = 0;
    double ours = 0;  ///< of this process
};

std::optional<ProcessorTimes> processorTimes();  ///< nothing where the system does not tell

/// Whether other programs want the processors that this one computes on. The system counts in hundredths of a second, so that the answer is made anew
/// every tenth of one; it stays until they have been quiet for a whole second.
class OthersAtWork {
public:
    OthersAtWork();  ///< from now on

    bool ask();                                               ///< not by several threads at once
    bool weigh(double seconds, const ProcessorTimes& since);  ///< what ask() makes of the times since the last answer

private:
    std::chrono::steady_clock::time_point m_asked;
    std::optional<ProcessorTimes> m_times;
    double m_quiet = 0;  // seconds
    bool m_areAtWork = false;
};

}  // namespace cleave
