#pragma once

#include <cstddef>

namespace cleave {

/// Memory for large arrays, of at least that many bytes: in huge pages where the system has them, aligned to 64 bytes or more. What is freed
/// is kept for the next request of its size, since memory that is touched for the first time costs more than most arithmetic; used and kept
/// memory together never exceed the most that was used at one time. Throws std::bad_alloc.
void* allocatePages(std::size_t bytes);
void freePages(void* memory, std::size_t bytes);  ///< bytes: as asked for

struct PagesInUse {
    std::size_t used = 0;  ///< bytes that were asked for and not freed, rounded as they are allocated
    std::size_t kept = 0;  ///< bytes that were freed and are kept
};
PagesInUse pagesInUse();

/// What is kept goes back to the system.
void giveBackPages();

}  // namespace cleave
