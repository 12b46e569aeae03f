#include "core/base/memory_bound.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <new>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/mapping.h"
#include "core/base/pages.h"

namespace cleave {

namespace {

// A line of /proc/self/status, in bytes; 0 if there is none.
std::size_t statusLine(const std::string& name)
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(name + ":"))
            return static_cast<std::size_t>(std::strtoull(line.c_str() + name.size() + 1, nullptr, 10)) * 1024;
    return 0;
}

// The system's own record of the most resident memory begins anew; whether it did.
bool forgetPeak()
{
    const int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    const bool done = file >= 0 && write(file, "5", 1) == 1;
    if (file >= 0)
        close(file);
    return done;
}

}  // namespace

std::size_t residentBytes()
{
    static const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    char text[128] = {};
    if (file < 0 || pread(file, text, sizeof text - 1, 0) <= 0)
        return 0;
    const char* second = std::strchr(text, ' ');
    return second ? static_cast<std::size_t>(std::strtoull(second, nullptr, 10)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE)) : 0;
}

namespace {

std::atomic<bool> isBound = false;
std::atomic<std::size_t> near = 0, low = 0;  // above the first, pages are dropped until the second
std::atomic<std::size_t> origin = 0, boundBytes = 0;  // what was resident before, and how much more may be
std::atomic<std::size_t> originLibraries = 0;  // what of the former was libraries' pages as they are in their files
std::atomic<std::size_t> room = 0;           // for pages of files
std::atomic<std::size_t> highest = 0;           // the most resident memory at any look
std::atomic<std::int64_t> nextForLibraries = 0;  // when their pages may be dropped again, in milliseconds

constexpr std::int64_t pause = 200, longPause = 1000;  // milliseconds for which libraries keep their pages

std::int64_t milliseconds()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void look()
{
    const std::size_t now = residentBytes();
    for (std::size_t before = highest; now > before && !highest.compare_exchange_weak(before, now);) {
    }
    if (now <= near)
        return;
    dropMappedPages([&] { return residentBytes() < low; });
    // What is left is arrays, which keep to their share, and libraries, which do not.
    const std::size_t most = origin + boundBytes, tooMuch = most - std::min(most, (most - std::min<std::size_t>(near, most)) / 2);
    const std::int64_t time = milliseconds();
    std::int64_t next = nextForLibraries;
    if (time < next || residentBytes() <= tooMuch || !nextForLibraries.compare_exchange_strong(next, time + longPause))
        return;
    try {
        dropLibraryPages();
    } catch (const std::bad_alloc&) {
        return;  // nobody could catch it in the thread that watches; the next look may find memory
    }
    if (residentBytes() <= tooMuch)
        nextForLibraries = time + pause;
}

// What is read and written between two looks must find room above `near`.
void divideForBatches()
{
    boundBatches(boundBytes / 16 * 5, boundBytes / 16 * 6);
    low = origin + boundBytes / 16 * 8;
    near = origin + boundBytes / 16 * 10;
}

// Little is read and written through mapped pages: what libraries have taken for themselves, and may yet take, must find room.
void divideForArrays(bool librariesAreReady)
{
    const std::size_t mayYetTake = std::size_t{librariesAreReady ? 12U : 36U} << 20;
    constexpr std::size_t forBatches = std::size_t{20} << 20;
    giveBackPages();
    malloc_trim(0);
    dropMappedPages([] { return false; });
    const std::size_t known = origin + pagesWithinBound();
    std::size_t now = residentBytes();
    // Libraries' pages, those that were there at the beginning too, can go; what is needed of them comes back.
    const std::int64_t time = milliseconds();
    if (std::int64_t next = nextForLibraries; now > known && time >= next && nextForLibraries.compare_exchange_strong(next, time + pause)) {
        dropLibraryPages();
        now = residentBytes();
    }
    const std::size_t taken = now - std::min(now, known);
    const std::size_t arrays = std::max(boundBytes / 16 * 6, boundBytes / 32 * 31 - std::min(boundBytes / 32 * 31, taken + mayYetTake));
    boundBatches(arrays - std::min(arrays / 4, forBatches), arrays);
    near = origin + std::min(arrays + forBatches, boundBytes / 32 * 31);
    low = near - forBatches / 2;
}

void require(std::size_t needed, std::size_t before, std::size_t bound, const std::string& what, const std::string& advice)
{
    // What libraries have grown by can go, what is kept for later, and arrays in files, which are in memory only as long as there is room.
    dropMappedPages([] { return false; });
    giveBackPages();
    malloc_trim(0);
    const std::size_t now = residentBytes(), libraries = residentLibraryBytes(),
                      known = before + libraries - std::min<std::size_t>(libraries, originLibraries);
    const std::size_t used = now > known ? now - known : 0;
    // With more memory, arrays that lie in files now would not.
    constexpr double forRounding = 1.01;
    // Whoever gives as much gets further, and what was made until then is in use.
    constexpr std::size_t forWhatComesBetween = std::size_t{24} << 20;
    if (used + needed > bound)
        throw Error(what + " needs about " +
                    formatBytes(forRounding * static_cast<double>(std::max(used, pagesWithinBound()) + needed + forWhatComesBetween)) +
                    " of memory, more than the " + formatBytes(static_cast<double>(bound)) + " that it may take" + advice + ".");
}

}  // namespace

void requireWithinBound(std::size_t bytes, const std::string& what, const std::string& advice)
{
    if (fitsWithinBound(bytes))  // whatever else is there
        return;
    require(bytes, origin, boundBytes, what, advice);
}

void stayWithinBound()
{
    if (isBound.load(std::memory_order_relaxed))
        look();
}

bool fitsWithinBound(std::size_t bytes)
{
    return !isBound || bytes < room;
}

struct MemoryBound::Impl {
    std::size_t bytes = 0, before = 0;
    bool knowsPeak = false;
    std::mutex mutex;
    std::condition_variable wake;
    bool ends = false;
    std::thread watch;
};

MemoryBound::MemoryBound(std::size_t bytes, const std::filesystem::path& folder) : m(std::make_unique<Impl>())
{
    PagesBound ofPages{bytes / 16, folder};
    Mapping::temporary(folder, 1);  // whether it can be written
    m->bytes = bytes;
    giveBackPages();  // what is kept of earlier runs is none of what was there
    malloc_trim(0);
    m->before = residentBytes();
    m->knowsPeak = forgetPeak();
    highest = origin = m->before;
    originLibraries = residentLibraryBytes();
    boundBytes = bytes;
    room = bytes / 4;
    // Before anything is bound: there may be no thread. It looks once that is so.
    m->watch = std::thread([this] {
        for (std::unique_lock lock(m->mutex); !m->ends;) {
            m->wake.wait_for(lock, std::chrono::milliseconds(1));
            if (isBound)
                look();
        }
    });
    boundPages(std::move(ofPages));
    divideForBatches();
    isBound = true;
}

MemoryBound::~MemoryBound()
{
    {
        const std::lock_guard lock(m->mutex);
        m->ends = true;
    }
    m->wake.notify_one();
    m->watch.join();
    isBound = false;
    boundPages({});
}

MemoryForArrays::MemoryForArrays(bool librariesAreReady)
{
    if (isBound)
        divideForArrays(librariesAreReady);
}

MemoryForArrays::~MemoryForArrays()
{
    if (isBound)
        divideForBatches();
}

std::size_t MemoryBound::bytes() const { return m->bytes; }

std::size_t MemoryBound::peakBytes() const
{
    const std::size_t peak = m->knowsPeak ? statusLine("VmHWM") : std::max(highest.load(), residentBytes());
    return peak > m->before ? peak - m->before : 0;
}

void MemoryBound::require(std::size_t needed, const std::string& what, const std::string& advice) const
{
    cleave::require(needed, m->before, m->bytes, what, advice);
}

}  // namespace cleave
