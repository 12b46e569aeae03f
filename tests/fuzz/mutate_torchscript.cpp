// Damages TorchScript archives of the zoo at random and opens them: mutate_torchscript [SECONDS [SEED]]. Each must be a model, or an Error of one
// sentence. What is not is left in the folder as finding-N.pt; the exit code says whether there was any. LibTorch is not instrumented, so that
// nothing guides the changes: they know pickles and code instead.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/zip.h"
#include "core/run/model.h"

namespace {

namespace fs = std::filesystem;
using cleave::Error;

constexpr int filesPerProcess = 100;
constexpr unsigned patience = 300;  // seconds for one file: more than a trial has

struct Archive {
    std::vector<std::pair<std::string, std::string>> entries;
};

class Damage {
public:
    Damage(std::vector<fs::path> files, std::uint64_t seed) : m_files(std::move(files)), m_random(seed) {}

    Archive next()
    {
        Archive archive = read(m_files[below(m_files.size())]);
        for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
            auto& [name, content] = archive.entries[below(archive.entries.size())];
            const bool isCode = name.ends_with(".py"), isTensor = name.find("/data/") != std::string::npos;
            if (isTensor && below(4) > 0)
                continue;
            if (isCode && below(3) > 0)
                changeWords(content);
            else
                changeBytes(content);
        }
        return archive;
    }

private:
    static Archive read(const fs::path& path)
    {
        const cleave::ZipReader zip(path);
        Archive archive;
        for (const cleave::ZipEntry& entry : zip.entries())
            archive.entries.emplace_back(entry.name, zip.readText(entry.name));
        return archive;
    }

    std::size_t below(std::size_t count) { return count == 0 ? 0 : m_random() % count; }

    void changeBytes(std::string& content)
    {
        static const std::string opcodes = "\x80(.)]}KMJ\x8a" "XqhrjaesubctR0q\x85\x86\x87N\x88\x89QtGBlod2";
        if (content.empty()) {
            content = ".";
            return;
        }
        const std::size_t at = below(content.size()), length = std::min(content.size() - at, 1 + below(16));
        switch (below(7)) {
        case 0: content[at] = static_cast<char>(m_random()); break;
        case 1: content[at] = opcodes[below(opcodes.size())]; break;
        case 2: content.erase(at, length); break;
        case 3: content.insert(at, content.substr(below(content.size()), length)); break;
        case 4: content.resize(at); break;
        case 5: content[at] ^= static_cast<char>(1U << below(8)); break;
        default: content.replace(at, length, length, below(2) != 0 ? '\xff' : '\0'); break;
        }
    }

    // Where words begin and end.
    static std::vector<std::pair<std::size_t, std::size_t>> words(const std::string& text)
    {
        std::vector<std::pair<std::size_t, std::size_t>> all;
        for (std::size_t i = 0; i < text.size();) {
            const auto isWord = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
            std::size_t end = i;
            while (end < text.size() && isWord(text[end]))
                ++end;
            if (end > i)
                all.emplace_back(i, end - i);
            i = std::max(end, i + 1);
        }
        return all;
    }

    void changeWords(std::string& text)
    {
        static const std::vector<std::string> odd{"0",
                                                  "-1",
                                                  "9223372036854775807",
                                                  "-9223372036854775808",
                                                  "None",
                                                  "True",
                                                  "1e400",
                                                  "inf",
                                                  "self",
                                                  "[]",
                                                  "annotate(List[int], [])",
                                                  "torch.size(x, 99)",
                                                  "torch.zeros([1000000000000])",
                                                  "torch.arange(4000000000)",
                                                  "x",
                                                  "edge_index",
                                                  "forward",
                                                  "int",
                                                  "Tensor",
                                                  "\"text\""};
        const auto all = words(text);
        if (all.empty())
            return;
        const auto [begin, length] = all[below(all.size())];
        if (below(2) == 0) {
            text.replace(begin, length, odd[below(odd.size())]);
            return;
        }
        const auto [from, size] = all[below(all.size())];
        text.replace(begin, length, text.substr(from, size));
    }

    std::vector<fs::path> m_files;
    std::mt19937_64 m_random;
};

void write(const Archive& archive, const fs::path& path)
{
    std::vector<cleave::NewZipEntry> entries;
    for (const auto& [name, content] : archive.entries)
        entries.push_back({name, std::as_bytes(std::span(content))});
    cleave::writeZip(path, entries);
}

// In a process of its own: 0 if every file was a model or a sentence.
int openSome(const std::vector<fs::path>& files, std::uint64_t seed, const fs::path& file)
{
    Damage damage(files, seed);
    for (int i = 0; i < filesPerProcess; ++i) {
        write(damage.next(), file);
        alarm(patience);
        try {
            cleave::openModel(file, {.roles = {}, .check = false});
        } catch (const Error& error) {
            const std::string sentence = error.what();
            if (sentence.empty() || sentence.back() != '.' || sentence.find('\n') != std::string::npos) {
                std::fprintf(stderr, "no sentence: %s\n", sentence.c_str());
                return 2;
            }
        } catch (const std::exception& other) {
            std::fprintf(stderr, "no Error: %s\n", other.what());
            return 2;
        }
        alarm(0);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    const double seconds = argc > 1 ? std::atof(argv[1]) : 60;
    std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(CLEAVE_TEST_DIR "/models/torchscript"))
        if (entry.path().extension() == ".pt")
            files.push_back(entry.path());
    std::ranges::sort(files);
    const rlimit memory{16ULL << 30, 16ULL << 30};
    setrlimit(RLIMIT_AS, &memory);
    const auto start = std::chrono::steady_clock::now();
    int findings = 0;
    std::uint64_t count = 0;
    const fs::path file = fs::temp_directory_path() / ("mutated." + std::to_string(getpid()) + ".pt");
    for (; std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds; ++seed, count += filesPerProcess) {
        const pid_t child = fork();
        if (child == 0)
            _exit(openSome(files, seed, file));
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            continue;
        const fs::path kept = "finding-" + std::to_string(++findings) + ".pt";
        fs::copy_file(file, kept, fs::copy_options::overwrite_existing);
        std::printf("%s: seed %llu, %s %d\n", kept.c_str(), static_cast<unsigned long long>(seed), WIFSIGNALED(status) ? "signal" : "exit code",
                    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        std::fflush(stdout);
    }
    fs::remove(file);
    std::printf("%llu files, %d findings\n", static_cast<unsigned long long>(count), findings);
    return findings > 0 ? 1 : 0;
}
