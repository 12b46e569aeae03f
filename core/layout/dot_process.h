#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/progress.h"
#include "core/layout/band_layout.h"
#include "core/layout/dot_protocol.h"

namespace cleave {

/// Graphviz's dot in a process of its own, so that a layout can be stopped and a failed assertion ends the layout, not the program.
/// The helper is started at the first layout and ends with this object.
class DotProcess {
public:
    explicit DotProcess(std::filesystem::path program) : m_program(std::move(program)) {}
    ~DotProcess() { stop(); }
    DotProcess(const DotProcess&) = delete;
    DotProcess& operator=(const DotProcess&) = delete;

    /// Empty if there is no dot, or if it failed or took longer than options.dotSeconds; the next call starts it anew. Throws Cancelled.
    std::optional<BandDrawing> layOut(const BandGraph& graph, const LayoutOptions& options, const Progress& progress);

    std::optional<DotGreeting> greeting();  ///< empty if the helper is not there or does not answer

private:
    using Deadline = std::chrono::steady_clock::time_point;

    bool start(const Progress& progress, Deadline deadline);
    void stop();
    bool send(const std::string& line, const Progress& progress, Deadline deadline);
    std::optional<std::string> receive(const Progress& progress, Deadline deadline);
    bool waitFor(short event, const Progress& progress, Deadline deadline) const;

    std::filesystem::path m_program;
    pid_t m_process = -1;
    int m_socket = -1;
    int m_layouts = 0;  // by this process
    std::string m_received;
    DotGreeting m_greeting;
};

/// $CLEAVE_LAYOUT, or cleave-layout beside the running program, or in ../libexec/cleave of its folder. Empty if there is none.
std::filesystem::path dotProgram();

}  // namespace cleave
