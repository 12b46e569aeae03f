#include "core/base/file.h"

#include <unistd.h>

#include <fstream>

#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

std::vector<std::byte> readFile(const std::filesystem::path& path)
{
    std::error_code problem;
    if (!std::filesystem::is_regular_file(path, problem))
        throw Error("There is no file " + printable(path.string(), 300) + ".");
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    std::vector<std::byte> bytes(file ? static_cast<std::size_t>(file.tellg()) : 0);
    file.seekg(0);
    if (!file || !file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
        throw Error(printable(path.string(), 300) + " cannot be read.");
    return bytes;
}

void writeBeside(const std::filesystem::path& path, const std::function<void(const std::filesystem::path&)>& write)
{
    std::error_code problem;
    // A rename would put a file in the place of a device such as /dev/null.
    if (std::filesystem::exists(path, problem) && !std::filesystem::is_regular_file(path, problem))
        throw Error(printable(path.string(), 300) + " cannot be written: it is not a file.");
    std::filesystem::path temporary = path;
    temporary += ".part" + std::to_string(getpid());
    try {
        write(temporary);
        std::filesystem::rename(temporary, path, problem);
        if (problem)
            throw Error(printable(path.string(), 300) + " cannot be written: " + problem.message() + ".");
    } catch (...) {
        std::filesystem::remove(temporary, problem);
        throw;
    }
}

}  // namespace cleave
