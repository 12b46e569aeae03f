#include "tests/app/cli.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "app/cli/command_line.h"

namespace cleave::test {

namespace {

class Words {
public:
    explicit Words(const std::string& text)
    {
        if (wordexp(text.c_str(), &m_words, WRDE_NOCMD | WRDE_UNDEF) != 0)
            throw std::runtime_error("only a shell takes this: " + text);
    }
    ~Words() { wordfree(&m_words); }
    Words(const Words&) = delete;
    Words& operator=(const Words&) = delete;

    std::vector<char*> get() const { return {m_words.we_wordv, m_words.we_wordv + m_words.we_wordc}; }

private:
    wordexp_t m_words{};
};

int exitCodeOf(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void writeInto(const std::filesystem::path& path, int stream)
{
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, stream) < 0)
        _exit(127);
    close(file);
}

[[noreturn]] void becomeCommandLine(const std::string& arguments, const std::filesystem::path& folder, const std::string& config)
{
    writeInto(folder / "out", STDOUT_FILENO);
    writeInto(folder / "err", STDERR_FILENO);
    setenv("XDG_CONFIG_HOME", config.c_str(), 1);
    const Words words(arguments);
    std::vector<char*> all = words.get();
    static char program[] = "cleave-cli";
    all.insert(all.begin(), program);
    const int count = static_cast<int>(all.size());
    all.push_back(nullptr);
    const int code = cli::runCommandLine(count, all.data());
    std::fflush(nullptr);
    _exit(code);
}

// A process that is copied for each command: it starts none of the threads that tests do, which copies would wait for in vain.
class Original {
public:
    void start()
    {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0 || (m_process = fork()) < 0)
            throw std::runtime_error("no process can be started");
        if (m_process == 0) {
            close(ends[0]);
            serve(ends[1]);
        }
        close(ends[1]);
        m_end = ends[0];
    }

    void stop()
    {
        close(m_end);
        waitpid(m_process, nullptr, 0);
    }

    // What waitpid says of the copy.
    int run(const std::string& arguments, const std::filesystem::path& folder, const std::string& config) const
    {
        const std::string request = folder.string() + '\0' + config + '\0' + arguments;
        int status = 0;
        if (send(m_end, request.data(), request.size(), 0) != std::ssize(request) || recv(m_end, &status, sizeof status, 0) != sizeof status)
            throw std::runtime_error("the process that is copied has ended");
        return status;
    }

private:
    [[noreturn]] static void serve(int end)
    {
        std::vector<char> request(1 << 16);
        for (;;) {
            const ssize_t size = recv(end, request.data(), request.size(), 0);
            if (size <= 0)
                _exit(0);
            const std::string text(request.data(), static_cast<std::size_t>(size));
            const std::size_t first = text.find('\0'), second = text.find('\0', first + 1);
            const pid_t copy = fork();
            if (copy == 0)
                becomeCommandLine(text.substr(second + 1), text.substr(0, first), text.substr(first + 1, second - first - 1));
            int status = 127 << 8;
            waitpid(copy, &status, 0);
            [[maybe_unused]] const ssize_t sent = send(end, &status, sizeof status, 0);
        }
    }

    int m_end = -1;
    pid_t m_process = -1;
};

Original original;

class CommandLine : public testing::Environment {
public:
    void SetUp() override { original.start(); }
    void TearDown() override { original.stop(); }
};

[[maybe_unused]] const auto* const environment = testing::AddGlobalTestEnvironment(new CommandLine);

Result resultOf(int status, const TemporaryFolder& folder)
{
    return {exitCodeOf(status), readText(folder / "out"), readText(folder / "err")};
}

}  // namespace

Result run(const std::string& arguments, const std::string& config)
{
    const TemporaryFolder folder;
    return resultOf(original.run(arguments, folder.path(), config.empty() ? folder.path().string() : config), folder);
}

Result runProgram(const std::string& arguments, const std::string& config)
{
    const TemporaryFolder folder;
    const std::string command = "XDG_CONFIG_HOME=" + (config.empty() ? folder.path().string() : config) + " " + std::string(CLEAVE_CLI) + " " +
                                arguments + " >" + (folder / "out").string() + " 2>" + (folder / "err").string();
    return resultOf(std::system(command.c_str()), folder);
}

std::string example(const std::string& name)
{
    return (examplesDir() / name).string();
}

}  // namespace cleave::test
