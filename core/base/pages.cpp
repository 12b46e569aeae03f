#include "core/base/pages.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "core/base/mapping.h"
#include "core/base/memory.h"
#include "core/base/memory_bound.h"
#include "core/base/peak_memory.h"

namespace cleave {

namespace {

constexpr std::size_t hugePage = std::size_t{1} << 21, smallPage = std::size_t{1} << 12;

constexpr std::size_t alwaysKept = std::size_t{32} << 20;  // what batches take and free in turn, also where stores have taken all there was

constexpr std::size_t fewBytes = std::size_t{1} << 16;  // below, the C library is as good

// Eight sizes for each power of two, so that what is freed fits what comes next; of large ones more, since they use up a bound.
std::size_t rounded(std::size_t bytes)
{
    constexpr std::size_t large = std::size_t{1} << 23;
    const std::size_t step =
        std::max(std::bit_floor(std::max<std::size_t>(bytes, 1)) / (bytes < large ? 8 : 64), bytes >= hugePage ? hugePage : smallPage);
    return (bytes + step - 1) / step * step;
}

void* map(std::size_t bytes)
{
    const std::size_t slack = bytes >= hugePage ? hugePage : 0;
    void* memory = mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw std::bad_alloc();
    if (slack == 0)
        return memory;
    auto* begin = static_cast<std::byte*>(memory);
    const std::size_t before = (hugePage - reinterpret_cast<std::uintptr_t>(memory) % hugePage) % hugePage;
    if (before)
        munmap(begin, before);
    if (before < slack)
        munmap(begin + before + bytes, slack - before);
    madvise(begin + before, bytes, MADV_HUGEPAGE);
    return begin + before;
}

enum Place { Anywhere, InCoreBesideOthers, InCore };
thread_local int place = Anywhere;
thread_local bool wasShort = false;
thread_local std::size_t usable = std::numeric_limits<std::size_t>::max();

class Pages {
public:
    // Never destroyed: tensors of static storage may be freed after everything else.
    static Pages& instance()
    {
        static Pages& pages = *new Pages;
        return pages;
    }

    // A copy of the process has no other thread that would let go of the lock.
    Pages()
    {
        prepareMappings();
        const auto lock = [] { instance().m_mutex.lock(); };
        const auto unlock = [] { instance().m_mutex.unlock(); };
        pthread_atfork(lock, unlock, unlock);
    }

    void* allocate(std::size_t bytes)
    {
        const std::lock_guard lock(m_mutex);
        if (m_use.used + bytes > usable)
            throw std::bad_alloc();
        if (const auto known = m_kept.find(bytes); known != m_kept.end()) {
            void* memory = take(known);
            m_use.used += bytes;
            return memory;
        }
        if (m_bound.lasting > 0 && !makeRoom(bytes))
            return spill(bytes);
        auto* memory = static_cast<std::byte*>(map(bytes));
        if (bytes >= hugePage && !fill(memory, bytes)) {
            munmap(memory, bytes);
            throw std::bad_alloc();
        }
        m_use.used += bytes;
        if (bytes >= hugePage) {
            if (m_bound.lasting > 0)
                giveBack(m_all - std::min(m_all, usedSince()));
        }
        m_peak = std::max(m_peak, m_use.used);
        giveBack(std::max(m_peak - m_use.used, alwaysKept));
        return memory;
    }

    void free(void* memory, std::size_t bytes)
    {
        Mapping file;
        const std::lock_guard lock(m_mutex);
        if (const auto spilled = m_spilled.find(memory); spilled != m_spilled.end()) {
            file = std::move(spilled->second);
            m_spilled.erase(spilled);
            return;
        }
        m_use.used -= bytes;
        keep(memory, bytes);
    }

    bool isBound()
    {
        const std::lock_guard lock(m_mutex);
        return m_bound.lasting > 0;
    }

    void boundBatches(std::size_t leavingRoom, std::size_t all)
    {
        const std::lock_guard lock(m_mutex);
        m_leavingRoom = leavingRoom;
        m_all = all;
    }

    std::size_t roomInCore()
    {
        const std::lock_guard lock(m_mutex);
        return m_bound.lasting == 0 ? std::numeric_limits<std::size_t>::max() : m_leavingRoom - std::min(m_leavingRoom, usedSince());
    }

    void bound(PagesBound bound)
    {
        const std::lock_guard lock(m_mutex);
        if (m_bound.lasting == 0 || bound.lasting == 0)
            m_usedBefore = bound.lasting > 0 ? m_use.used : 0;
        m_bound = std::move(bound);
    }

    std::size_t usedWithinBound()
    {
        const std::lock_guard lock(m_mutex);
        return usedSince();
    }

    PagesInUse use()
    {
        const std::lock_guard lock(m_mutex);
        return m_use;
    }

    void giveBackAll()
    {
        const std::lock_guard lock(m_mutex);
        giveBack(0);
        m_peak = m_use.used;
    }

private:
    using Kept = std::map<std::size_t, std::vector<void*>>;

    void keep(void* memory, std::size_t bytes)
    {
        m_kept[bytes].push_back(memory);
        m_use.kept += bytes;
    }

    void* take(Kept::iterator kept)
    {
        void* memory = kept->second.back();
        kept->second.pop_back();
        m_use.kept -= kept->first;
        if (kept->second.empty())
            m_kept.erase(kept);
        return memory;
    }

    // A bound is on what comes after it was made.
    std::size_t usedSince() const { return m_use.used - std::min(m_use.used, m_usedBefore); }

    // Whether so much more stays within the bound; what is kept goes first.
    bool makeRoom(std::size_t bytes)
    {
        constexpr std::size_t fewForFiles = std::size_t{1} << 20;
        giveBack(m_all - std::min(m_all, usedSince()));
        const std::size_t most = place == InCoreBesideOthers ? m_leavingRoom : place == InCore || bytes < fewForFiles ? m_all : m_bound.lasting;
        if (usedSince() + bytes > most) {
            if (place != Anywhere) {
                wasShort = true;
                throw std::bad_alloc();
            }
            return bytes < fewForFiles;
        }
        if (bytes < hugePage)
            giveBack(m_all - std::min(m_all, usedSince() + bytes));  // larger ones are filled with what is kept before they are touched
        return true;
    }

    void* spill(std::size_t bytes)
    {
        Mapping file = Mapping::temporary(m_bound.folder, bytes);
        void* memory = file.data();
        m_spilled.emplace(memory, std::move(file));
        return memory;
    }

    // Moves huge pages that are kept to where they are needed: page tables change, contents do not matter. False: a page is missing there.
    bool fill(std::byte* memory, std::size_t bytes)
    {
        for (std::size_t done = 0; done < bytes && !m_kept.empty();) {
            auto from = m_kept.lower_bound(bytes - done);
            if (from == m_kept.end())
                from = std::prev(from);
            if (from->first < hugePage)
                return true;
            const std::size_t size = from->first, moved = std::min(size, bytes - done);
            auto* block = static_cast<std::byte*>(take(from));
            if (mremap(block + size - moved, moved, moved, MREMAP_MAYMOVE | MREMAP_FIXED, memory + done) == MAP_FAILED) {
                // What was there may be gone already.
                munmap(block, size);
                return mmap(memory + done, moved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
            }
            if (size > moved)
                keep(block, size - moved);
            done += moved;
        }
        return true;
    }

    // Largest blocks first, until no more than this is kept.
    void giveBack(std::size_t most)
    {
        while (m_use.kept > most) {
            const auto largest = std::prev(m_kept.end());
            const std::size_t bytes = largest->first;
            munmap(take(largest), bytes);
        }
    }

    std::mutex m_mutex;
    Kept m_kept;
    PagesInUse m_use;
    PagesBound m_bound;
    std::size_t m_usedBefore = 0;  // the bound
    std::size_t m_leavingRoom = 0, m_all = 0;
    std::map<void*, Mapping> m_spilled;
    std::size_t m_peak = 0;  // of what is used: with what is kept it is never more
};

}  // namespace

void* allocatePages(std::size_t bytes)
{
    void* const memory = bytes >= fewBytes ? Pages::instance().allocate(rounded(bytes)) : ::operator new (bytes, std::align_val_t{64});
    countMemory(memory, bytes);
    return memory;
}

void freePages(void* memory, std::size_t bytes)
{
    forgetMemory(memory);
    if (bytes >= fewBytes)
        Pages::instance().free(memory, rounded(bytes));
    else
        ::operator delete(memory, std::align_val_t{64});
}

bool pagesAreBound() { return Pages::instance().isBound(); }

PagesInUse pagesInUse() { return Pages::instance().use(); }
void giveBackPages() { Pages::instance().giveBackAll(); }
void boundPages(PagesBound bound) { Pages::instance().bound(std::move(bound)); }
std::size_t pagesWithinBound() { return Pages::instance().usedWithinBound(); }

void boundBatches(std::size_t leavingRoom, std::size_t all) { Pages::instance().boundBatches(leavingRoom, all); }

PagesLimit::PagesLimit(std::size_t bytes) : m_before(usable)
{
    const std::size_t used = pagesInUse().used;
    usable = std::min(usable, used + std::min(bytes, std::numeric_limits<std::size_t>::max() - used));
}
PagesLimit PagesLimit::ofSystem()
{
    const std::uint64_t left = availableMemory();
    return PagesLimit(!pagesAreBound() ? pagesInUse().kept + left / 16 * 15 : std::numeric_limits<std::size_t>::max());
}
PagesLimit::PagesLimit(Total total) : m_before(std::exchange(usable, total.bytes)) {}
PagesLimit PagesLimit::like(std::size_t mostUsed)
{
    return PagesLimit(Total{mostUsed});
}
std::size_t PagesLimit::mostUsed()
{
    return usable;
}
PagesLimit::~PagesLimit()
{
    usable = m_before;
}

MemoryInCore::MemoryInCore(bool leavesRoom) : m_before(std::exchange(place, leavesRoom ? InCoreBesideOthers : InCore)) { wasShort = false; }
MemoryBeforeOthers::MemoryBeforeOthers() : m_before(place) { place = place == InCoreBesideOthers ? InCore : place; }
MemoryBeforeOthers::~MemoryBeforeOthers() { place = m_before; }

MemoryInCore::~MemoryInCore() { place = m_before; }
bool MemoryInCore::ranShort() const { return wasShort; }

MemoryOfCaller::MemoryOfCaller() : m_place(place) {}
MemoryOfCaller::~MemoryOfCaller() { wasShort = wasShort || m_isShort; }

MemoryOfCaller::Here::Here(MemoryOfCaller& caller)
    : m_caller(caller), m_before(std::exchange(place, caller.m_place)), m_wasShort(std::exchange(wasShort, false))
{
}
MemoryOfCaller::Here::~Here()
{
    if (wasShort)
        m_caller.m_isShort = true;
    place = m_before;
    wasShort = m_wasShort;
}

std::size_t roomInCore() { return Pages::instance().roomInCore(); }

MemoryAnywhere::MemoryAnywhere() : m_before(std::exchange(place, Anywhere)) {}
MemoryAnywhere::~MemoryAnywhere() { place = m_before; }

}  // namespace cleave
