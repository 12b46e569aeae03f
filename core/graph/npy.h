#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "core/base/array.h"

namespace cleave {

/// Parses the bytes of one .npy file (versions 1 to 3; C or Fortran order; little-endian numbers and bool). what names it in errors.
Array parseNpy(std::span<const std::byte> bytes, const std::string& what);

Array readNpy(const std::filesystem::path& path);
/// The arrays of an archive by name, without those that hold no numbers: texts, dates, records, pickled objects.
std::map<std::string, Array> readNpz(const std::filesystem::path& path);

/// Both write beside the target and rename, so that a failure leaves nothing half written. bfloat16 is written as float32.
void writeNpy(const std::filesystem::path& path, const Array& array);
void writeNpz(const std::filesystem::path& path, const std::map<std::string, Array>& arrays);

}  // namespace cleave
