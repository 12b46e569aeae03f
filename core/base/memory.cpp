#include "core/base/memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace cleave {

namespace {

// The number behind a name at the beginning of a line.
std::optional<std::uint64_t> numberAt(const std::filesystem::path& path, const std::string& name)
{
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(name)) {
            char* end = nullptr;
            const std::uint64_t number = std::strtoull(line.c_str() + name.size(), &end, 10);
            if (end != line.c_str() + name.size())
                return number;
        }
    return {};
}

// What files keep in memory of a group is given up when it runs short.
std::optional<std::uint64_t> leftOf(const std::filesystem::path& group, const char* limit, const char* usage, const std::string& prefix)
{
    const auto most = numberAt(group / limit, ""), used = numberAt(group / usage, "");
    if (!most || !used)
        return {};
    const auto files = [&](const char* which) { return numberAt(group / "memory.stat", prefix + which).value_or(0); };
    const std::uint64_t taken = *used - std::min(*used, files("inactive_file ") + files("active_file "));
    return *most - std::min(*most, taken);
}

// The least that this process's groups leave, and those around them.
std::uint64_t leftOfGroups()
{
    std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        // "0::/path" in version 2, "9:memory:/path" in version 1.
        const std::size_t first = line.find(':'), second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos)
            continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const bool isFirst = ("," + controllers + ",").find(",memory,") != std::string::npos;
        if (!isFirst && !controllers.empty())
            continue;
        const std::filesystem::path root = isFirst ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
        for (std::filesystem::path path = line.substr(second + 1);; path = path.parent_path()) {
            const std::filesystem::path group = root / path.relative_path();
            const auto here = isFirst ? leftOf(group, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_")
                                      : leftOf(group, "memory.max", "memory.current", "");
            left = std::min(left, here.value_or(left));
            if (path.relative_path().empty())
                break;
        }
    }
    return left;
}

}  // namespace

std::uint64_t physicalMemory()
{
    static const std::uint64_t bytes = [] {
        const long pages = sysconf(_SC_PHYS_PAGES), pageSize = sysconf(_SC_PAGE_SIZE);
        return pages > 0 && pageSize > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(pageSize)
                                         : std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    }();
    return bytes;
}

std::uint64_t availableMemory()
{
    const auto kibibytes = numberAt("/proc/meminfo", "MemAvailable:");
    return std::min(kibibytes ? *kibibytes * 1024 : std::numeric_limits<std::uint64_t>::max(), leftOfGroups());
}

}  // namespace cleave
