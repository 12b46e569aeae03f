#include "app/cli/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>

#include "core/base/file.h"

namespace cleave::cli {

namespace {

constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};

std::array<int, 2> ends{-1, -1};  // of the pipe from the handler to the thread that waits
std::atomic<bool> hasListener = false;

// Never destroyed: a signal may come while the process ends.
std::stop_source& stopSource()
{
    static auto& source = *new std::stop_source;
    return source;
}

sigset_t setOfSignals()
{
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : signals)
        sigaddset(&set, signal);
    return set;
}

// On the thread that waits, or on one that a library had started before main, which blocks nothing.
void pass(int signal)
{
    const int before = errno;
    const auto byte = static_cast<unsigned char>(signal);
    [[maybe_unused]] const auto written = ::write(ends[1], &byte, 1);
    errno = before;
}

[[noreturn]] void leaveOn(int signal)
{
    removeHalfWritten();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    _exit(128 + signal);
}

void wait()
{
    const sigset_t set = setOfSignals();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    for (;;) {
        unsigned char signal = 0;
        if (::read(ends[0], &signal, 1) != 1)
            continue;
        if (signal != SIGINT || !hasListener || stopSource().stop_requested())
            leaveOn(signal);
        stopSource().request_stop();
    }
}

}  // namespace

void listenForSignals()
{
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        return;  // they end the process as they always do
    const sigset_t set = setOfSignals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    struct sigaction action {};
    action.sa_handler = pass;
    action.sa_flags = SA_ONSTACK | SA_RESTART;
    for (const int signal : signals) {
        struct sigaction before {};
        if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signal, &action, nullptr);
    }
    std::thread(wait).detach();
}

std::stop_token stopAtInterrupt()
{
    hasListener = true;
    return stopSource().get_token();
}

}  // namespace cleave::cli
