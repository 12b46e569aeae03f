#include "core/base/memory.h"

#include <unistd.h>

#include <limits>

namespace cleave {

std::uint64_t physicalMemory()
{
    static const std::uint64_t bytes = [] {
        const long pages = sysconf(_SC_PHYS_PAGES), pageSize = sysconf(_SC_PAGE_SIZE);
        return pages > 0 && pageSize > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(pageSize)
                                         : std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    }();
    return bytes;
}

}  // namespace cleave
