#pragma once

#include <cstddef>
#include <filesystem>
#include <new>
#include <utility>
#include <vector>

namespace cleave {

/// Memory for arrays: large ones in huge pages where the system has them, aligned to 64 bytes or more. What is freed
/// is kept for the next request of its size, since memory that is touched for the first time costs more than most arithmetic; used and kept
/// memory together never exceed the most that was used at one time by more than 32 MiB. Throws std::bad_alloc; under a bound (memory_bound.h) also
/// Error.
void* allocatePages(std::size_t bytes);
void freePages(void* memory, std::size_t bytes);  ///< bytes: as asked for

struct PagesInUse {
    std::size_t used = 0;  ///< bytes that were asked for and not freed, rounded as they are allocated
    std::size_t kept = 0;  ///< bytes that were freed and are kept
};
PagesInUse pagesInUse();

/// Lets a vector of plain numbers lie in such memory. Entries that are not given a value are left as they are.
template <class T>
struct PageAllocator {
    using value_type = T;

    PageAllocator() = default;
    template <class U>
    PageAllocator(const PageAllocator<U>&) {}

    T* allocate(std::size_t count) { return static_cast<T*>(allocatePages(count * sizeof(T))); }
    void deallocate(T* memory, std::size_t count) { freePages(memory, count * sizeof(T)); }
    template <class U>
    void construct(U* entry) { static_cast<void>(entry); }
    template <class U, class... Arguments>
    void construct(U* entry, Arguments&&... arguments) { new (entry) U(std::forward<Arguments>(arguments)...); }
    bool operator==(const PageAllocator&) const = default;
};

template <class T>
using PageVector = std::vector<T, PageAllocator<T>>;

/// While one is alive, this thread gets no more of such memory than is used now and so many bytes, but std::bad_alloc: before the system runs out of
/// it, and ends the process.
class PagesLimit {
public:
    explicit PagesLimit(std::size_t bytes);
    static PagesLimit ofSystem();  ///< what is kept, and nearly all that the system has left; none where pages lie in files instead
    static PagesLimit like(std::size_t mostUsed);  ///< as on the thread where mostUsed() was that
    static std::size_t mostUsed();                 ///< all that this thread may have in use
    ~PagesLimit();
    PagesLimit(const PagesLimit&) = delete;
    PagesLimit& operator=(const PagesLimit&) = delete;

private:
    struct Total {
        std::size_t bytes;
    };
    explicit PagesLimit(Total total);

    std::size_t m_before;
};

/// What is kept goes back to the system.
void giveBackPages();

/// How much of such memory may be no file's, beside what was in use when the first of them was set. 0: all of it.
struct PagesBound {
    std::size_t lasting = 0;       ///< for what may as well lie in files: what goes beyond does
    std::filesystem::path folder;  ///< of the files
};
void boundPages(PagesBound bound);
std::size_t pagesWithinBound();  ///< bytes in use that the bound is on

/// How much there may be in all where something must not lie in files (MemoryInCore) and would go beyond: it is refused.
void boundBatches(std::size_t leavingRoom, std::size_t all);
bool pagesAreBound();

}  // namespace cleave
