#include "core/base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>
#include <system_error>

#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

namespace {

// What a chain of links leads to, whether it is there or not.
std::filesystem::path endOfLinks(const std::filesystem::path& path)
{
    constexpr int most = 40;
    std::error_code problem;
    std::filesystem::path end = path;
    for (int links = 0; std::filesystem::is_symlink(end, problem); ++links) {
        if (links == most)
            throw Error(printable(path.string(), 300) + " cannot be written: " + std::strerror(ELOOP) + ".");
        end = end.parent_path() / std::filesystem::read_symlink(end, problem);
    }
    return end;
}

// The name of a file that is being written, where a signal handler finds it.
struct HalfWritten {
    std::atomic<bool> isTaken = false, isThere = false;
    std::array<char, PATH_MAX> path;
};

std::array<HalfWritten, 8> halfWritten;
std::atomic<bool> isLeaving = false;  // the process ends, and what is half written goes

// Who writes goes no further then.
void stayWhileLeaving()
{
    while (isLeaving)
        pause();
}

// The file, and those beside it whose names go on behind its own, as libzip writes them. Nothing here but what a signal handler may call.
void removeAllOf(char* path)
{
    unlink(path);
    char* slash = std::strrchr(path, '/');
    if (slash != nullptr)
        *slash = '\0';
    const char* name = slash == nullptr ? path : slash + 1;
    const std::size_t length = std::strlen(name);
    const int folder = open(slash == nullptr ? "." : slash == path ? "/" : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    alignas(8) static char entries[1 << 15];
    for (long bytes; folder >= 0 && (bytes = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0;)
        for (long at = 0; at < bytes;) {
            const auto* entry = reinterpret_cast<const struct dirent64*>(entries + at);
            if (std::strncmp(entry->d_name, name, length) == 0 && entry->d_name[length] == '.')
                unlinkat(folder, entry->d_name, 0);
            at += entry->d_reclen;
        }
}

class Noted {
public:
    explicit Noted(const std::filesystem::path& path)
    {
        stayWhileLeaving();
        const std::string& name = path.native();
        for (HalfWritten& slot : halfWritten)
            if (name.size() < slot.path.size() && !slot.isTaken.exchange(true)) {
                std::memcpy(slot.path.data(), name.c_str(), name.size() + 1);
                slot.isThere = true;
                m_slot = &slot;
                return;
            }
    }

    ~Noted()
    {
        stayWhileLeaving();
        if (m_slot) {
            m_slot->isThere = false;
            m_slot->isTaken = false;
        }
    }

    Noted(const Noted&) = delete;
    Noted& operator=(const Noted&) = delete;

private:
    HalfWritten* m_slot = nullptr;
};

}  // namespace

void removeHalfWritten() noexcept
{
    if (isLeaving.exchange(true))
        stayWhileLeaving();  // another thread is at it
    for (HalfWritten& slot : halfWritten)
        if (slot.isThere)
            removeAllOf(slot.path.data());
}

void requireFile(const std::filesystem::path& path)
{
    std::error_code problem;
    if (std::filesystem::is_regular_file(path, problem)) {
        if (access(path.c_str(), R_OK) != 0)
            throw Error(printable(path.string(), 300) + " cannot be read: " + std::strerror(errno) + ".");
        return;
    }
    if (std::filesystem::is_directory(path, problem))
        throw Error(printable(path.string(), 300) + " is a folder.");
    if (std::filesystem::exists(path, problem))
        throw Error(printable(path.string(), 300) + " is a pipe or a device: write what it gives into a file first.");
    throw Error("There is no file " + printable(path.string(), 300) + ".");
}

std::vector<std::byte> readFile(const std::filesystem::path& path, std::uintmax_t most)
{
    requireFile(path);
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const auto size = file ? static_cast<std::uintmax_t>(file.tellg()) : 0;
    if (size > most)
        throw Error(printable(path.string(), 300) + " is too large: " + formatBytes(static_cast<double>(size)) + ", and no more than " +
                    formatBytes(static_cast<double>(most)) + " of such a file are read.");
    std::vector<std::byte> bytes(size);
    file.seekg(0);
    if (!file || !file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
        throw Error(printable(path.string(), 300) + " cannot be read.");
    return bytes;
}

void makeFolder(const std::filesystem::path& path)
{
    std::error_code problem;
    std::filesystem::create_directories(path, problem);
    if (!problem && !std::filesystem::is_directory(path, problem))
        problem = std::make_error_code(std::errc::not_a_directory);
    if (problem)
        throw Error("The folder " + printable(path.string(), 300) + " cannot be made: " + problem.message() + ".");
}

void checkTarget(const std::filesystem::path& path)
{
    std::error_code problem;
    // A rename would put a file in the place of a device such as /dev/null.
    if (std::filesystem::exists(path, problem) && !std::filesystem::is_regular_file(path, problem))
        throw Error(printable(path.string(), 300) + " cannot be written: it is not a file.");
    // A rename asks for no permission of the file that it replaces.
    using std::filesystem::perms;
    constexpr perms writing = perms::owner_write | perms::group_write | perms::others_write;
    if (const auto file = std::filesystem::status(path, problem); std::filesystem::exists(file) && (file.permissions() & writing) == perms::none)
        throw Error(printable(path.string(), 300) + " cannot be written: it is read-only.");
    const std::filesystem::path folder = endOfLinks(path).parent_path();
    if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
        throw Error(printable(path.string(), 300) + " cannot be written: " + std::strerror(errno) + ".");
}

void checkIsOther(const std::filesystem::path& path, const std::vector<std::filesystem::path>& read)
{
    std::error_code problem;
    const auto isSame = [&](const std::filesystem::path& other) { return std::filesystem::equivalent(path, other, problem) && !problem; };
    for (const std::filesystem::path& other : read) {
        bool isRead = isSame(other);
        if (std::filesystem::is_directory(other, problem))
            for (auto file = std::filesystem::directory_iterator(other, problem);
                 !problem && !isRead && file != std::filesystem::directory_iterator(); file.increment(problem))
                isRead = isSame(file->path());
        if (isRead)
            throw Error(printable(path.string(), 300) + " is read here, and would be replaced: name another file to write.");
    }
}

void writeBytes(const std::filesystem::path& path, std::initializer_list<std::span<const std::byte>> parts)
{
    writeBeside(path, [&](const std::filesystem::path& temporary) {
        errno = 0;
        std::ofstream file(temporary, std::ios::binary);
        for (const std::span<const std::byte> bytes : parts)
            file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        file.close();
        if (!file)
            throw Error(printable(path.string(), 300) + " cannot be written: " + std::strerror(errno == 0 ? EIO : errno) + ".");
    });
}

void writeText(const std::filesystem::path& path, std::string_view text)
{
    writeBytes(path, {std::as_bytes(std::span(text))});
}

namespace {

// A file that was not there, and no link that somebody has put there; only for its owner as long as it is not known who may read it.
void makeEmpty(const std::filesystem::path& path, bool isPrivate, const std::filesystem::path& name)
{
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, isPrivate ? 0600 : 0666);
    if (file < 0)
        throw Error(printable(name.string(), 300) + " cannot be written: " + std::strerror(errno) + ".");
    close(file);
}

}  // namespace

void writeBeside(const std::filesystem::path& path, const std::function<void(const std::filesystem::path&)>& write)
{
    checkTarget(path);
    const std::filesystem::path target = endOfLinks(path);
    std::filesystem::path temporary = target;
    temporary += ".part" + std::to_string(getpid());
    const Noted noted(temporary);
    std::error_code problem;
    const auto before = std::filesystem::status(target, problem);
    try {
        std::filesystem::remove(temporary, problem);
        makeEmpty(temporary, std::filesystem::exists(before), path);
        write(temporary);
        if (std::filesystem::exists(before))
            std::filesystem::permissions(temporary, before.permissions(), problem);  // what is private stays so
        reachDisk(temporary, path);
        stayWhileLeaving();
        std::filesystem::rename(temporary, target, problem);
        if (problem)
            throw Error(printable(path.string(), 300) + " cannot be written: " + problem.message() + ".");
    } catch (...) {
        stayWhileLeaving();
        std::filesystem::remove(temporary, problem);
        throw;
    }
}

void reachDisk(const std::filesystem::path& path, const std::filesystem::path& name)
{
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool done = file >= 0 && (fsync(file) == 0 || errno == EINVAL);  // EINVAL: there is no disk behind it
    const int problem = errno;
    if (file >= 0)
        close(file);
    if (!done)
        throw Error(printable(name.string(), 300) + " cannot be written: " + std::strerror(problem) + ".");
}

}  // namespace cleave
