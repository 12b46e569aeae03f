#include "core/layout/dot_process.h"

#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "core/base/error.h"

namespace cleave {

namespace {

// Graphviz 2.42 counts its decompositions in one byte and lays out some graphs wrongly (an assertion fails) when that byte is full,
// after 127 layouts.
constexpr int layoutsPerProcess = 100;

constexpr std::chrono::milliseconds cancelInterval{20};
constexpr std::chrono::seconds startSeconds{10};

std::chrono::steady_clock::time_point after(double seconds)
{
    return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

std::optional<BandDrawing> DotProcess::layOut(const BandGraph& graph, const LayoutOptions& options, const Progress& progress)
{
    try {
        if (m_layouts >= layoutsPerProcess)
            stop();
        if (!start(progress, std::chrono::steady_clock::now() + startSeconds) || !m_greeting.hasPlugin)
            return {};
        ++m_layouts;
        const Deadline deadline = after(options.dotSeconds);
        if (send(write(graph, options) + '\n', progress, deadline))
            if (const auto answer = receive(progress, deadline))
                return readDrawing(*answer);
    } catch (const Cancelled&) {
        stop();
        throw;
    } catch (const Error&) {
        // dot says that it cannot: the band is drawn without it.
    }
    stop();
    return {};
}

std::optional<DotGreeting> DotProcess::greeting()
{
    return start({}, std::chrono::steady_clock::now() + startSeconds) ? std::optional(m_greeting) : std::nullopt;
}

bool DotProcess::start(const Progress& progress, Deadline deadline)
{
    if (m_process > 0)
        return true;
    if (m_program.empty())
        return false;
    std::array<int, 2> sockets{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0)
        return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, sockets[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, sockets[1], STDOUT_FILENO);
    std::string name = m_program.string();
    std::array<char*, 2> arguments{name.data(), nullptr};
    const bool spawned = posix_spawn(&m_process, name.c_str(), &actions, nullptr, arguments.data(), environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(sockets[1]);
    m_socket = sockets[0];
    m_layouts = 0;
    if (!spawned)
        m_process = -1;
    const auto line = spawned ? receive(progress, deadline) : std::nullopt;
    if (line)
        m_greeting = readGreeting(*line);
    else
        stop();
    return line.has_value();
}

void DotProcess::stop()
{
    if (m_socket >= 0)
        close(m_socket);
    if (m_process > 0) {
        kill(m_process, SIGKILL);
        while (waitpid(m_process, nullptr, 0) < 0 && errno == EINTR)
            ;
    }
    m_socket = -1;
    m_process = -1;
    m_received.clear();
}

bool DotProcess::send(const std::string& line, const Progress& progress, Deadline deadline)
{
    for (std::size_t sent = 0; sent < line.size();) {
        if (!waitFor(POLLOUT, progress, deadline))
            return false;
        const ssize_t n = ::send(m_socket, line.data() + sent, line.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        sent += n > 0 ? static_cast<std::size_t>(n) : 0;
    }
    return true;
}

std::optional<std::string> DotProcess::receive(const Progress& progress, Deadline deadline)
{
    std::array<char, 1 << 16> part;
    for (;;) {
        if (const std::size_t end = m_received.find('\n'); end != std::string::npos) {
            std::string line = m_received.substr(0, end);
            m_received.erase(0, end + 1);
            return line;
        }
        if (!waitFor(POLLIN, progress, deadline))
            return {};
        const ssize_t n = recv(m_socket, part.data(), part.size(), MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
            return {};
        if (n > 0)
            m_received.append(part.data(), static_cast<std::size_t>(n));
    }
}

bool DotProcess::waitFor(short event, const Progress& progress, Deadline deadline) const
{
    while (std::chrono::steady_clock::now() < deadline) {
        progress.check();
        pollfd socket{m_socket, event, 0};
        if (poll(&socket, 1, static_cast<int>(cancelInterval.count())) > 0)
            return true;
    }
    return false;
}

std::filesystem::path dotProgram()
{
    if (const char* chosen = std::getenv("CLEAVE_LAYOUT"))
        return chosen;
    std::error_code problem;
    const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", problem).parent_path();
    for (const std::filesystem::path& candidate : {folder / "cleave-layout", folder.parent_path() / "libexec/cleave/cleave-layout"})
        if (std::filesystem::exists(candidate, problem))
            return candidate;
    return {};
}

}  // namespace cleave
