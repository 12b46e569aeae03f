#include "core/base/mapping.h"

#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

namespace {

// All mappings, in the order of their addresses. Never destroyed: mappings of static storage may outlive everything else.
class Mappings {
public:
    static Mappings& instance()
    {
        static Mappings& mappings = *new Mappings;
        return mappings;
    }

    // A copy of the process has no other thread that would let go of the lock.
    Mappings()
    {
        const auto lock = [] { instance().m_mutex.lock(); };
        const auto unlock = [] { instance().m_mutex.unlock(); };
        pthread_atfork(lock, unlock, unlock);
    }

    struct Entry {
        std::size_t bytes = 0;
        int file = -1;
        std::optional<FileState> state;  // as it was mapped; none: it is our own
    };

    void add(std::byte* data, Entry entry)
    {
        const std::lock_guard lock(m_mutex);
        m_entries.emplace(data, entry);
    }

    // The mapping that an address lies in, and how far behind its beginning.
    std::pair<Entry, std::size_t> find(std::byte* address)
    {
        const std::lock_guard lock(m_mutex);
        auto at = m_entries.upper_bound(address);
        if (at == m_entries.begin())
            return {};
        --at;
        const auto offset = static_cast<std::size_t>(address - at->first);
        return offset < at->second.bytes ? std::pair{at->second, offset} : std::pair<Entry, std::size_t>{};
    }

    void remove(std::byte* data)
    {
        const std::lock_guard lock(m_mutex);
        m_entries.erase(data);
    }

    void drop(const std::function<bool()>& isEnough)
    {
        constexpr std::size_t piece = std::size_t{16} << 20;
        const std::lock_guard lock(m_mutex);
        std::size_t all = 0, dropped = 0;
        for (const auto& [data, entry] : m_entries)
            all += entry.bytes;
        while (dropped < all && !isEnough()) {
            auto at = m_entries.upper_bound(m_hand);
            if (at != m_entries.begin() && m_hand < std::prev(at)->first + std::prev(at)->second.bytes) {
                --at;
            } else {
                if (at == m_entries.end())
                    at = m_entries.begin();
                m_hand = at->first;
            }
            const std::size_t done = static_cast<std::size_t>(m_hand - at->first), size = std::min(piece, at->second.bytes - done);
            madvise(m_hand, size, MADV_DONTNEED);
            m_hand += size;
            dropped += size;
        }
    }

private:
    std::mutex m_mutex;
    std::map<std::byte*, Entry> m_entries;
    std::byte* m_hand = nullptr;  // where the next turn begins
};

// Mappings of files that were there before, where a signal handler finds them.
struct Watched {
    std::atomic<std::uintptr_t> begin = 0, end = 0;  // 0: free
    std::atomic<bool> hasLost = false;
};
std::array<Watched, 512> watched;
std::atomic<std::size_t> pageBytes = 0;

void watch(std::byte* data, std::size_t bytes)
{
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    for (Watched& one : watched)
        if (std::uintptr_t none = 0; one.begin.compare_exchange_strong(none, begin)) {
            one.hasLost = false;
            one.end = begin + bytes;
            return;
        }
}

Watched* watchedAt(std::uintptr_t address)
{
    for (Watched& one : watched)
        if (const std::uintptr_t begin = one.begin; begin != 0 && address >= begin && address < one.end)
            return &one;
    return nullptr;
}

void unwatch(std::byte* data)
{
    if (Watched* one = watchedAt(reinterpret_cast<std::uintptr_t>(data))) {
        one->end = 0;
        one->begin = 0;
    }
}

// A page that cannot be read, and what is behind it, become zeros. Anything else ends the process as it would.
void putZeros(int signal, siginfo_t* info, void*)
{
    const int before = errno;
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr), page = address / pageBytes * pageBytes;
    Watched* one = watchedAt(address);
    const std::size_t rest = one != nullptr ? one->end - page : 0;
    if (one == nullptr || mmap(reinterpret_cast<void*>(page), rest, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        std::signal(signal, SIG_DFL);
    else
        one->hasLost = true;
    errno = before;
}

std::optional<FileState> stateOf(int file)
{
    struct stat about {};
    if (fstat(file, &about) != 0)
        return {};
    return FileState{about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
}

std::atomic<std::uint64_t> bytesRead = 0, bytesWritten = 0;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what, int problem)
{
    throw Error(printable(path.string(), 300) + " " + what + ": " + std::strerror(problem) + ".");
}

// Room is taken at once: a disk that is full later would end the process when a page is touched.
void reserve(int file, std::size_t bytes, const std::filesystem::path& path)
{
    int problem = 0;
    do
        problem = bytes > 0 ? posix_fallocate(file, 0, static_cast<off_t>(bytes)) : 0;
    while (problem == EINTR);
    if (problem == 0)
        return;
    close(file);
    throw Error("There is no room for " + formatBytes(static_cast<double>(bytes)) + " in " + printable(path.string(), 300) + ": " +
                std::strerror(problem) + ".");
}

}  // namespace

Mapping::Mapping(int file, std::size_t bytes, bool isWritable, const std::filesystem::path& path) : m_bytes(bytes), m_file(file)
{
    if (bytes > 0) {
        void* memory = mmap(nullptr, bytes, isWritable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file, 0);
        if (memory == MAP_FAILED) {
            const int problem = errno;
            close(file);
            fail(path, "cannot be mapped into memory", problem);
        }
        m_data = static_cast<std::byte*>(memory);
        try {
            Mappings::instance().add(m_data, {bytes, file, isWritable ? std::nullopt : std::optional(stateOf(file).value_or(FileState{}))});
        } catch (...) {
            munmap(memory, bytes);
            close(file);
            throw;
        }
        if (!isWritable)
            watch(m_data, bytes);
    }
}

Mapping Mapping::ofFile(const std::filesystem::path& path)
{
    struct stat about {};
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe nobody writes into would make it wait
    if (file < 0)
        fail(path, "cannot be read", errno);
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        close(file);
        throw Error("There is no file " + printable(path.string(), 300) + ".");
    }
    return {file, static_cast<std::size_t>(about.st_size), false, path};
}

Mapping Mapping::temporary(const std::filesystem::path& folder, std::size_t bytes)
{
    int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) {
        // A file system without files that have no name.
        std::string name = (folder / "cleave-XXXXXX").string();
        file = mkostemp(name.data(), O_CLOEXEC);
        if (file < 0)
            fail(folder, "takes no temporary file", errno);
        unlink(name.c_str());
    }
    reserve(file, bytes, folder);
    return {file, bytes, true, folder};
}

Mapping Mapping::create(const std::filesystem::path& path, std::size_t bytes)
{
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0)
        fail(path, "cannot be written", errno);
    try {
        reserve(file, bytes, path);
        return {file, bytes, true, path};
    } catch (...) {
        unlink(path.c_str());
        throw;
    }
}

Mapping::Mapping(Mapping&& other) noexcept
    : m_data(std::exchange(other.m_data, nullptr)), m_bytes(std::exchange(other.m_bytes, 0)), m_file(std::exchange(other.m_file, -1))
{
}

Mapping& Mapping::operator=(Mapping&& other) noexcept
{
    std::swap(m_data, other.m_data);
    std::swap(m_bytes, other.m_bytes);
    std::swap(m_file, other.m_file);
    return *this;
}

Mapping::~Mapping()
{
    if (m_data) {
        Mappings::instance().remove(m_data);
        unwatch(m_data);
        munmap(m_data, m_bytes);
    }
    if (m_file >= 0)
        close(m_file);
}

void outliveLostPages()
{
    pageBytes = static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
    struct sigaction action {};
    action.sa_sigaction = putZeros;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGBUS, &action, nullptr);
}

FileWatch::FileWatch(const void* address)
{
    const auto [entry, offset] = Mappings::instance().find(static_cast<std::byte*>(const_cast<void*>(address)));
    if (!entry.state)
        return;
    m_state = entry.state;
    m_file = fcntl(entry.file, F_DUPFD_CLOEXEC, 0);
    if (m_file < 0)
        throw Error(std::string("A file with rows cannot be read: ") + std::strerror(errno) + ".");
}

FileWatch::FileWatch(FileWatch&& other) noexcept : m_file(std::exchange(other.m_file, -1)), m_state(other.m_state) {}

FileWatch::~FileWatch()
{
    if (m_file >= 0)
        close(m_file);
}

bool FileWatch::hasChanged() const
{
    return m_state && stateOf(m_file) != m_state;
}

MappedFile::MappedFile(const void* address) : m_address(address)
{
    const auto [entry, offset] = Mappings::instance().find(static_cast<std::byte*>(const_cast<void*>(address)));
    m_file = entry.file;
    m_offset = offset;
    m_state = entry.state;
}

bool MappedFile::hasChanged() const
{
    const Watched* one = watchedAt(reinterpret_cast<std::uintptr_t>(m_address));
    return m_state && ((one != nullptr && one->hasLost) || stateOf(m_file) != m_state);
}

void MappedFile::read(std::size_t offset, void* to, std::size_t bytes) const
{
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t got = pread(m_file, static_cast<std::byte*>(to) + done, bytes - done, static_cast<off_t>(m_offset + offset + done));
        if (got > 0)
            done += static_cast<std::size_t>(got);
        else if (got == 0 || errno != EINTR)
            throw Error(std::string("A file with rows cannot be read: ") + (got == 0 ? "it has become shorter" : std::strerror(errno)) + ".");
    }
    bytesRead += bytes;
}

void MappedFile::write(std::size_t offset, const void* from, std::size_t bytes) const
{
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t put = pwrite(m_file, static_cast<const std::byte*>(from) + done, bytes - done, static_cast<off_t>(m_offset + offset + done));
        if (put > 0)
            done += static_cast<std::size_t>(put);
        else if (put == 0 || errno != EINTR)
            throw Error(std::string("A file for rows cannot be written: ") + (put == 0 ? "it takes no more" : std::strerror(errno)) + ".");
    }
    bytesWritten += bytes;
}

std::size_t MappedFile::bytesInMemory(std::size_t bytes) const
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE)), before = reinterpret_cast<std::uintptr_t>(m_address) % page;
    auto* const first = static_cast<std::byte*>(const_cast<void*>(m_address)) - before;
    const std::size_t all = (before + bytes + page - 1) / page;
    std::vector<unsigned char> states(std::min(all, std::size_t{1} << 16));
    std::size_t there = 0;
    for (std::size_t done = 0; done < all; done += states.size()) {
        const std::size_t now = std::min(states.size(), all - done);
        if (mincore(first + done * page, now * page, states.data()) != 0)
            return bytes;
        there += static_cast<std::size_t>(
            std::count_if(states.begin(), states.begin() + static_cast<std::ptrdiff_t>(now), [](unsigned char state) { return (state & 1) != 0; }));
    }
    return std::min(bytes, there * page);
}

void MappedFile::forget(std::size_t offset, std::size_t bytes) const
{
    posix_fadvise(m_file, static_cast<off_t>(m_offset + offset), static_cast<off_t>(bytes), POSIX_FADV_DONTNEED);
}

FileTraffic fileTraffic() { return {bytesRead, bytesWritten}; }

void prepareMappings()
{
    Mappings::instance();
}

void dropMappedPages(const std::function<bool()>& isEnough)
{
    Mappings::instance().drop(isEnough);
}

namespace {

// A part of memory whose pages are those of a file as they lie on the disk: no relocation has written to them, no debugger and no tool.
struct PagesAsInFile {
    std::uintptr_t end = 0;
    std::size_t resident = 0;  // bytes
};

// By where they begin.
std::map<std::uintptr_t, PagesAsInFile> pagesAsInFiles()
{
    std::map<std::uintptr_t, PagesAsInFile> clean;
    std::uintptr_t begin = 0;
    PagesAsInFile pages;
    bool isOfFile = false;
    const auto bytes = [](const std::string& line) {
        return static_cast<std::size_t>(std::strtoull(line.c_str() + line.find(':') + 1, nullptr, 10)) * 1024;
    };
    std::ifstream maps("/proc/self/smaps");
    for (std::string line; std::getline(maps, line);) {
        // 7f0c9a000000-7f0c9a200000 r-xp 00000000 fe:00 1234   /usr/lib/libtorch_cpu.so
        unsigned long long from = 0, to = 0, inode = 0;
        char rights[8] = {};
        if (std::sscanf(line.c_str(), "%llx-%llx %7s %*s %*s %llu", &from, &to, rights, &inode) == 4) {
            begin = static_cast<std::uintptr_t>(from);
            pages = {static_cast<std::uintptr_t>(to), 0};
            isOfFile = inode != 0 && rights[0] == 'r' && rights[1] == '-' && rights[3] == 'p';
        } else if (line.starts_with("Rss:")) {
            pages.resident = bytes(line);
        } else if (isOfFile && line.starts_with("Anonymous:") && bytes(line) == 0) {
            clean[begin] = pages;
        }
    }
    return clean;
}

}  // namespace

std::size_t residentLibraryBytes()
{
    std::size_t bytes = 0;
    for (const auto& [begin, pages] : pagesAsInFiles())
        bytes += pages.resident;
    return bytes;
}

void dropLibraryPages()
{
    // Only of what has been loaded, and is not writable in its file: a library that is being loaded is not among it yet.
    const auto drop = [](dl_phdr_info* object, std::size_t, void* found) {
        const auto& clean = *static_cast<const std::map<std::uintptr_t, PagesAsInFile>*>(found);
        const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGE_SIZE));
        for (const ElfW(Phdr)* part = object->dlpi_phdr; part != object->dlpi_phdr + object->dlpi_phnum; ++part) {
            if (part->p_type != PT_LOAD || (part->p_flags & PF_W) != 0)
                continue;
            const std::uintptr_t begin = object->dlpi_addr + part->p_vaddr, end = (begin + part->p_filesz + page - 1) / page * page;
            for (auto at = clean.lower_bound(begin / page * page); at != clean.end() && at->second.end <= end; ++at)
                madvise(reinterpret_cast<void*>(at->first), at->second.end - at->first, MADV_DONTNEED);
        }
        return 0;
    };
    auto clean = pagesAsInFiles();
    dl_iterate_phdr(drop, &clean);
}

}  // namespace cleave
