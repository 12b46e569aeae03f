#include "core/base/trial.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>

#include "core/base/error.h"

namespace cleave {

namespace {

constexpr int pollMilliseconds = 50;
constexpr std::chrono::seconds patience{120};  // without a word from the copy

// What the copy says: how far it is, and in the end that it is done or why it is not.
enum class Word : std::uint8_t { Progress, Done, Error };

struct Message {
    Word word;
    double fraction = 0;
    std::uint32_t length = 0;  // of the text behind it
};

void send(int pipe, Word word, double fraction, std::string_view text)
{
    const Message message{word, fraction, static_cast<std::uint32_t>(text.size())};
    std::string bytes(sizeof message, '\0');
    std::memcpy(bytes.data(), &message, sizeof message);
    bytes += text;
    for (std::size_t sent = 0; sent < bytes.size();) {
        const ssize_t n = write(pipe, bytes.data() + sent, bytes.size() - sent);
        if (n <= 0 && errno != EINTR)
            _exit(1);
        sent += n > 0 ? static_cast<std::size_t>(n) : 0;
    }
}

[[noreturn]] void workAndEnd(int pipe, const std::function<void(const Progress&)>& work)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM})
        std::signal(signal, SIG_DFL);
    std::signal(SIGINT, SIG_IGN);  // which the process that waits hears as well
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // What it would say is said again by whoever does the work for good.
    if (const int null = open("/dev/null", O_WRONLY | O_CLOEXEC); null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    try {
        work({{}, [pipe](double fraction, std::string_view what) { send(pipe, Word::Progress, fraction, what); }});
        send(pipe, Word::Done, 1, {});
    } catch (const Error& error) {
        send(pipe, Word::Error, 0, error.what());
    } catch (const std::bad_alloc&) {
        send(pipe, Word::Error, 0, "There is not enough memory to read the file.");
    } catch (...) {
        _exit(1);
    }
    _exit(0);
}

class Copy {
public:
    Copy(pid_t process, int pipe) : m_process(process), m_pipe(pipe) {}
    ~Copy()
    {
        close(m_pipe);
        if (m_isGone)
            return;
        kill(m_process, SIGKILL);
        while (waitpid(m_process, nullptr, 0) < 0 && errno == EINTR)
            ;
    }
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;

    // True when the work is done, false where the copy ended or fell silent. Throws the Error that the work threw, and Cancelled.
    bool follow(const Progress& progress)
    {
        auto heard = std::chrono::steady_clock::now();
        for (;;) {
            progress.check();
            pollfd waiting{m_pipe, POLLIN, 0};
            if (poll(&waiting, 1, pollMilliseconds) <= 0) {
                // Another copy may hold the other end of the pipe open.
                m_isGone = m_isGone || waitpid(m_process, nullptr, WNOHANG) == m_process;
                if (m_isGone || std::chrono::steady_clock::now() - heard > patience)
                    return false;
                continue;
            }
            std::array<char, 4096> bytes{};
            const ssize_t n = read(m_pipe, bytes.data(), bytes.size());
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0) {
                progress.check();
                return false;
            }
            heard = std::chrono::steady_clock::now();
            m_bytes.append(bytes.data(), static_cast<std::size_t>(n));
            while (const auto message = next()) {
                if (message->first.word == Word::Done)
                    return true;
                if (message->first.word == Word::Error)
                    throw Error(message->second);
                progress.update(message->first.fraction, message->second);
            }
        }
    }

private:
    std::optional<std::pair<Message, std::string>> next()
    {
        Message message{};
        if (m_bytes.size() < sizeof message)
            return {};
        std::memcpy(&message, m_bytes.data(), sizeof message);
        if (m_bytes.size() < sizeof message + message.length)
            return {};
        std::pair<Message, std::string> whole{message, m_bytes.substr(sizeof message, message.length)};
        m_bytes.erase(0, sizeof message + message.length);
        return whole;
    }

    pid_t m_process;
    int m_pipe;
    std::string m_bytes;
    bool m_isGone = false;  // and its number may be another's
};

}  // namespace

void tryInCopy(const std::function<void(const Progress&)>& work, const std::string& sentence, const Progress& progress)
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        return;
    const pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        workAndEnd(ends[1], work);
    }
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return;
    }
    if (!Copy(process, ends[0]).follow(progress))
        throw Error(sentence);
}

}  // namespace cleave
