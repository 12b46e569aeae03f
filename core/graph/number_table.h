#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/array.h"
#include "core/base/progress.h"

namespace cleave {

/// Reads lines of numbers with commas between them, without a header (.csv, packed by gzip or not), as [rows, columns] of int64 or float32. Error
/// that names the line for what is no such number, and for lines of different length. what: for Progress.
Array readNumberTable(const std::filesystem::path& path, DType dtype, const Progress& progress, std::string_view what);

}  // namespace cleave
