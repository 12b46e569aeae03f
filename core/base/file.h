#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace cleave {

/// The bytes of a whole file, which somebody may have made to fill the memory: at most so many. Error if there are more, it is not there, not a file,
/// or cannot be read.
std::vector<std::byte> readFile(const std::filesystem::path& path, std::uintmax_t most);
constexpr std::uintmax_t mostOfText = std::uintmax_t{256} << 20;  ///< of a file that people write, and programs in their place

/// Calls write with a temporary name beside path, then renames it to path once its bytes are on the disk; where path is a link, to what it leads
/// to. A file that is replaced hands on its permissions, and not its owner. Not for two threads with one path. If write throws or the rename fails,
/// nothing is left. Error as of checkTarget, or if the disk fails.
void writeBeside(const std::filesystem::path& path, const std::function<void(const std::filesystem::path&)>& write);

/// The same where these bytes, one part after the other, are what is written.
void writeBytes(const std::filesystem::path& path, std::initializer_list<std::span<const std::byte>> parts);
void writeText(const std::filesystem::path& path, std::string_view text);

/// Removes what writeBeside is in the middle of, for a process that ends then: may be called by a signal handler. Threads that write wait from now
/// on.
void removeHalfWritten() noexcept;

/// The folder and those above it, where they are not there yet. Error with the reason if it cannot be made.
void makeFolder(const std::filesystem::path& path);

/// Error if writeBeside could not write there: path is a folder, a device or anything else but a file, or a file that nobody may write, or nothing
/// can be made in its folder.
void checkTarget(const std::filesystem::path& path);

/// Error if a file that is to be written is one of these, or one in a folder among them, under whatever name: what is read would be lost.
void checkIsOther(const std::filesystem::path& path, const std::vector<std::filesystem::path>& read);

/// Error with what is there instead, or that nothing is, unless it is a file with an end and a begin that can be read again.
void requireFile(const std::filesystem::path& path);

/// Waits until a file's bytes are on the disk. name: what an Error calls it.
void reachDisk(const std::filesystem::path& path, const std::filesystem::path& name);

}  // namespace cleave
