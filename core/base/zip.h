#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/array.h"

namespace cleave {

struct ZipEntry {
    std::string name;
    std::uint64_t size = 0;            ///< bytes when unpacked, as the directory states; checked when the entry is read
    std::uint64_t compressedSize = 0;  ///< bytes in the archive
};

/// An untrusted zip archive, open for reading. Everything a hostile file can do ends in an Error of one sentence that names the archive.
class ZipReader {
public:
    static constexpr std::uint64_t defaultLimit = std::uint64_t{1} << 40;

    explicit ZipReader(const std::filesystem::path& path);
    /// An archive in memory, say one inside another; bytes must outlive the reader, what names it in errors.
    ZipReader(std::span<const std::byte> bytes, std::string what);
    ~ZipReader();
    ZipReader(ZipReader&&) noexcept;
    ZipReader& operator=(ZipReader&&) noexcept;

    const std::vector<ZipEntry>& entries() const { return m_entries; }  ///< in the archive's order, folders included
    const ZipEntry* find(std::string_view name) const;                  ///< nullptr if there is none
    bool contains(std::string_view name) const { return find(name) != nullptr; }

    /// The unpacked bytes of an entry, stored or deflated, checksum verified. Error if it is missing, damaged, encrypted or larger than limit bytes.
    std::vector<std::byte> read(std::string_view name, std::uint64_t limit = defaultLimit) const;
    /// Hears, on the thread that reads, how many bytes of an entry have been unpacked, every few MB. What it throws ends the reading.
    using Heard = std::function<void(std::uint64_t bytes)>;
    /// The same bytes as an array [n] of uint8, for data that is kept as long as arrays point into it.
    Array readArray(std::string_view name, std::uint64_t limit = defaultLimit, const Heard& heard = {}) const;
    std::string readText(std::string_view name, std::uint64_t limit = defaultLimit) const;

private:
    struct Archive;

    void listEntries();
    const ZipEntry& check(std::string_view name, std::uint64_t limit) const;
    void unpack(const ZipEntry& entry, std::byte* to, const Heard& heard = {}) const;

    std::string m_what;
    std::vector<ZipEntry> m_entries;
    std::vector<std::size_t> m_byName;  ///< indices into m_entries, sorted by name
    std::unique_ptr<Archive> m_archive;
};

struct NewZipEntry {
    std::string name;
    std::span<const std::byte> bytes;
    std::span<const std::byte> rest = {};  ///< what comes after them
};

/// Writes a zip of stored entries that carry no time stamp: same entries, same bytes. Written beside path and renamed, so that a failure leaves
/// nothing.
void writeZip(const std::filesystem::path& path, const std::vector<NewZipEntry>& entries);

}  // namespace cleave
