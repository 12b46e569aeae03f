#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace cleave {

/// SHA-256 (FIPS 180-4) in lower-case hexadecimal.
std::string sha256(std::span<const std::byte> bytes);
std::string sha256File(const std::filesystem::path& path);

}  // namespace cleave
