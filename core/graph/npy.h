#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/array.h"
#include "core/base/progress.h"

namespace cleave {

/// Parses the bytes of one .npy file (versions 1 to 3; C or Fortran order; little-endian numbers and bool). what names it in errors.
Array parseNpy(std::span<const std::byte> bytes, const std::string& what);

Array readNpy(const std::filesystem::path& path);

/// The array of a .npy file, left in the file and read from there; copied if its numbers do not lie there as they are needed.
Array mapNpy(const std::filesystem::path& path);
/// The arrays of the .npy files of a folder by their names, mapped, without those that hold no numbers.
std::map<std::string, Array> mapFolder(const std::filesystem::path& folder);

/// The arrays of an archive by name, without those that hold no numbers: texts, dates, records, pickled objects.
std::map<std::string, Array> readNpz(const std::filesystem::path& path, const Progress& progress = {}, std::string_view step = "Reading arrays");

/// The texts in the array of this name of an archive, or of a folder of .npy files: one a row, of uint8 [n, width] (NumPy's type S, bytes) or
/// uint32 [n, width] (its type U, characters), filled up with zeros. Nothing if there is no such array, or it holds no texts in one dimension.
std::optional<Array> readTexts(const std::filesystem::path& archiveOrFolder, const std::string& name);

/// The bytes that stand before an array's numbers in a .npy file: a multiple of 64.
std::string npyHeader(const Array& array);

/// All write beside the target and rename, so that a failure leaves nothing half written. bfloat16 is written as float32. texts: uint8 [n, width], as
/// readTexts has them, which NumPy reads as an array of bytes.
void writeNpy(const std::filesystem::path& path, const Array& array);
void writeNpyTexts(const std::filesystem::path& path, const Array& texts);
void writeNpz(const std::filesystem::path& path, const std::map<std::string, Array>& arrays, const std::map<std::string, Array>& texts = {});
/// The same in the order in which they are given; no name twice.
void writeNpzInOrder(const std::filesystem::path& path, const std::vector<std::pair<std::string, Array>>& arrays,
                     const std::map<std::string, Array>& texts = {});

}  // namespace cleave
