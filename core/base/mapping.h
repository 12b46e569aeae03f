#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace cleave {

/// Memory that a file holds: its pages may leave the process at any time and come back when they are touched.
class Mapping {
public:
    /// A file as it is, to be read. Error if it is not there or cannot be mapped.
    static Mapping ofFile(const std::filesystem::path& path);
    /// Room in a file of the folder that has no name, so that nothing is left of it, however the process ends. Error if the disk has no room.
    static Mapping temporary(const std::filesystem::path& folder, std::size_t bytes);
    /// A new file of this size, to be written. Error if it is there already, or the disk has no room.
    static Mapping create(const std::filesystem::path& path, std::size_t bytes);

    Mapping() = default;
    Mapping(Mapping&& other) noexcept;
    Mapping& operator=(Mapping&& other) noexcept;
    ~Mapping();

    std::byte* data() const { return m_data; }  ///< of ofFile: not to be written
    std::size_t bytes() const { return m_bytes; }

private:
    Mapping(int file, std::size_t bytes, bool isWritable, const std::filesystem::path& path);

    std::byte* m_data = nullptr;
    std::size_t m_bytes = 0;
    int m_file = -1;
};

/// What tells that a file is another than it was.
struct FileState {
    std::int64_t bytes = 0, seconds = 0, nanoseconds = 0;  ///< of the last change
    bool operator==(const FileState&) const = default;
};

/// From here on what a file has lost since it was mapped (ofFile) reads as zeros, where the system would end the process at the first touch: ask
/// hasChanged() before what was read is trusted. Holds for the first some hundred mappings at a time.
void outliveLostPages();

/// Reads and writes what lies in a mapping through its file, so that no page of it comes into the process.
class MappedFile {
public:
    explicit MappedFile(const void* address);  ///< anywhere in memory

    /// whether somebody has written to the file (ofFile), or it could not be read, since it was mapped: what is there may be of one and the other
    bool hasChanged() const;
    bool isMapped() const { return m_file >= 0; }  ///< whether that is in a mapping, which must stay as long as this is used
    void read(std::size_t offset, void* to, std::size_t bytes) const;  ///< so many bytes behind the address. Error if the file cannot be read
    void write(std::size_t offset, const void* from, std::size_t bytes) const;  ///< likewise. Error also for mappings of files that were there before

    /// how many of so many bytes from the address on the system has in memory; all of them if it does not tell
    std::size_t bytesInMemory(std::size_t bytes) const;
    /// the system need not keep these in memory: but for what is in use, or has yet to be written
    void forget(std::size_t offset, std::size_t bytes) const;

private:
    const void* m_address = nullptr;
    int m_file = -1;
    std::size_t m_offset = 0;
    std::optional<FileState> m_state;
};

/// Tells of the file of a mapping (ofFile), when that may be gone, whether somebody has written to it since it was mapped.
class FileWatch {
public:
    explicit FileWatch(const void* address);  ///< anywhere in memory: what lies in no file never changes. Error without a descriptor left
    FileWatch(FileWatch&& other) noexcept;
    FileWatch& operator=(FileWatch&& other) = delete;
    ~FileWatch();

    bool hasChanged() const;

private:
    int m_file = -1;
    std::optional<FileState> m_state;
};

/// What has gone through files of mappings, in bytes, since the process began.
struct FileTraffic {
    std::uint64_t read = 0, written = 0;
};
FileTraffic fileTraffic();

/// Registers what lets a copy of the process (fork) use mappings. To be called before pthread_atfork by what makes mappings while it holds a lock
/// that it registers there: the lock that is registered last is taken first.
void prepareMappings();

/// Lets pages of mappings leave the process, piece by piece and in turn, until isEnough() says so or all had their turn.
void dropMappedPages(const std::function<bool()>& isEnough);

/// Lets those pages of the program and its libraries leave the process that nothing has written to: the system has them still, and brings back what
/// is used. New systems (Linux 6.18) bring up to 2 MiB for one instruction where a library has just been installed, so that resident memory grows by
/// what is never looked at.
void dropLibraryPages();
std::size_t residentLibraryBytes();  ///< in memory of such pages; asking takes some milliseconds

}  // namespace cleave
