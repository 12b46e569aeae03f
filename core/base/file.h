#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

namespace cleave {

/// The bytes of a whole file. Error if it is not there, not a file, or cannot be read.
std::vector<std::byte> readFile(const std::filesystem::path& path);

/// Calls write with a temporary name beside path, then renames it to path. If write throws or the rename fails, nothing is left.
/// Error if path is a folder, a device or anything else but a file.
void writeBeside(const std::filesystem::path& path, const std::function<void(const std::filesystem::path&)>& write);

}  // namespace cleave
