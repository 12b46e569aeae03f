#include "app/cli/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

#include "core/base/file.h"

namespace cleave::cli {

namespace {

constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};

std::array<int, 2> signalPipe{-1, -1};  // from the handler to the thread that listens
std::atomic<bool> stopsAtFirst = false;

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

// On the thread that listens, or on one that a library had started before main, which blocks nothing.
void passOn(int signal)
{
    const int before = errno;
    const auto byte = static_cast<unsigned char>(signal);
    [[maybe_unused]] const auto written = ::write(signalPipe[1], &byte, 1);
    errno = before;
}

[[noreturn]] void leaveOn(int signal)
{
    removeHalfWritten();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    _exit(128 + signal);
}

// Begins before the signals are blocked elsewhere, and so blocks none.
[[noreturn]] void listen()
{
    for (;;) {
        unsigned char signal = 0;
        if (::read(signalPipe[0], &signal, 1) != 1)
            continue;
        if (signal != SIGINT || !stopsAtFirst || stopSource().stop_requested())
            leaveOn(signal);
        stopSource().request_stop();
    }
}

}  // namespace

void listenForSignals()
{
    std::signal(SIGXFSZ, SIG_IGN);  // what may not grow any more cannot be written, which is said
    if (pipe2(signalPipe.data(), O_CLOEXEC) != 0)
        return;  // they end the process as they always do
    try {
        std::thread(listen).detach();
    } catch (const std::system_error&) {
        return;
    }
    const sigset_t set = setOfSignals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    struct sigaction action {};
    action.sa_handler = passOn;
    action.sa_flags = SA_ONSTACK | SA_RESTART;
    for (const int signal : signals) {
        struct sigaction before {};
        if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signal, &action, nullptr);
    }
}

std::stop_token stopAtInterrupt()
{
    stopsAtFirst = true;
    return stopSource().get_token();
}

}  // namespace cleave::cli
