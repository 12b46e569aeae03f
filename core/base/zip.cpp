#include "core/base/zip.h"

#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <system_error>
#include <thread>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/memory.h"
#include "core/base/memory_bound.h"
#include "core/base/parallel.h"

namespace cleave {

namespace {

constexpr std::size_t mostEntries = 1'000'000;
// deflate cannot pack better than about 1032 : 1, so an entry that claims more lies.
constexpr std::uint64_t bestRatio = 1100;

struct CloseArchive {
    void operator()(zip_t* zip) const { zip_discard(zip); }
};
struct CloseFile {
    void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using OpenArchive = std::unique_ptr<zip_t, CloseArchive>;
using OpenFile = std::unique_ptr<zip_file_t, CloseFile>;

// Whether so many bytes came.
bool readFully(zip_file_t* file, std::byte* to, std::uint64_t bytes, const ZipReader::Heard& heard = {})
{
    std::uint64_t done = 0;
    zip_int64_t count = 1;
    while (done < bytes && count > 0) {
        count = zip_fread(file, to + done, std::min<std::uint64_t>(bytes - done, std::uint64_t{1} << 24));
        done += count > 0 ? static_cast<std::uint64_t>(count) : 0;
        if (heard)
            heard(done);
    }
    return done == bytes;
}

// A large entry that is stored as it is, in parts side by side: most of the time goes into memory that is touched for the first time. False if it
// cannot be read that way, or its checksum is another one.
bool readSideBySide(const std::filesystem::path& path, zip_uint64_t index, const zip_stat_t& entry, std::byte* to, const ZipReader::Heard& heard)
{
    constexpr std::uint64_t part = std::uint64_t{1} << 24;
    const auto parts = static_cast<std::int64_t>((entry.size + part - 1) / part);
    const int threads = static_cast<int>(std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, parts));
    struct Reader {
        OpenArchive zip;
        OpenFile file;
    };
    std::vector<Reader> readers(static_cast<std::size_t>(threads));
    std::vector<uLong> checksums(static_cast<std::size_t>(parts));
    std::atomic<bool> fails = false;
    std::atomic<std::uint64_t> done = 0;
    const std::thread::id caller = std::this_thread::get_id();
    parallelFor(parts, threads, [&](std::int64_t i, int thread) {
        auto& [zip, file] = readers[static_cast<std::size_t>(thread)];
        if (fails)
            return;
        if (!zip)
            zip.reset(zip_open(path.c_str(), ZIP_RDONLY, nullptr));
        if (zip && !file)
            file.reset(zip_fopen_index(zip.get(), index, 0));
        const std::uint64_t first = static_cast<std::uint64_t>(i) * part, bytes = std::min(part, entry.size - first);
        if (!file || zip_fseek(file.get(), static_cast<zip_int64_t>(first), SEEK_SET) != 0 || !readFully(file.get(), to + first, bytes))
            fails = true;
        else
            checksums[static_cast<std::size_t>(i)] = crc32_z(0, reinterpret_cast<const Bytef*>(to + first), bytes);
        done += bytes;
        if (heard && std::this_thread::get_id() == caller)
            heard(done);
    });
    uLong all = 0;
    for (std::int64_t i = 0; i < parts; ++i) {
        const std::uint64_t first = static_cast<std::uint64_t>(i) * part;
        all = crc32_combine(all, checksums[static_cast<std::size_t>(i)], static_cast<z_off_t>(std::min(part, entry.size - first)));
    }
    return !fails && all == entry.crc;
}

}  // namespace

struct ZipReader::Archive {
    OpenArchive zip;
    std::uint64_t size = 0;
    std::filesystem::path path;  // empty: it lies in memory
};

ZipReader::ZipReader(const std::filesystem::path& path) : m_what(path.filename().string()), m_archive(std::make_unique<Archive>())
{
    std::error_code problem;
    requireFile(path);
    int code = 0;
    m_archive->zip.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
    if (!m_archive->zip)
        throw Error(printable(m_what) + (code == ZIP_ER_OPEN || code == ZIP_ER_READ ? " cannot be read."
                                         : std::filesystem::file_size(path, problem) == 0
                                             ? " is empty."
                                             : " is not a complete zip archive: it is of another kind, or was cut short."));
    m_archive->size = std::filesystem::file_size(path, problem);
    m_archive->path = path;
    listEntries();
}

ZipReader::ZipReader(std::span<const std::byte> bytes, std::string what) : m_what(std::move(what)), m_archive(std::make_unique<Archive>())
{
    zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr);
    m_archive->zip.reset(source ? zip_open_from_source(source, ZIP_RDONLY, nullptr) : nullptr);
    if (!m_archive->zip) {
        zip_source_free(source);
        throw Error(printable(m_what) + " is not a complete zip archive.");
    }
    m_archive->size = bytes.size();
    listEntries();
}

ZipReader::~ZipReader() = default;
ZipReader::ZipReader(ZipReader&&) noexcept = default;
ZipReader& ZipReader::operator=(ZipReader&&) noexcept = default;

void ZipReader::listEntries()
{
    const zip_int64_t count = zip_get_num_entries(m_archive->zip.get(), 0);
    if (count < 0 || static_cast<std::size_t>(count) > mostEntries)
        throw Error(printable(m_what) + " is damaged: it lists " + std::to_string(count) + " entries.");
    std::uint64_t room = m_archive->size;
    for (zip_int64_t i = 0; i < count; ++i) {
        zip_stat_t stat;
        if (zip_stat_index(m_archive->zip.get(), static_cast<zip_uint64_t>(i), 0, &stat) != 0 || !stat.name)
            throw Error(printable(m_what) + " is damaged: entry " + std::to_string(i) + " has no name.");
        // Entries that overlap multiply what an archive unpacks to.
        if (stat.comp_size > room)
            throw Error(printable(m_what) + " is damaged: its entries are larger than the archive.");
        room -= stat.comp_size;
        m_entries.push_back({stat.name, stat.size, stat.comp_size});
        m_byName.push_back(static_cast<std::size_t>(i));
    }
    const auto name = [&](std::size_t i) -> const std::string& { return m_entries[i].name; };
    std::ranges::sort(m_byName, {}, name);
    const auto twice = std::ranges::adjacent_find(m_byName, {}, name);
    if (twice != m_byName.end())
        throw Error(printable(m_what) + " is damaged: it holds '" + printable(name(*twice)) + "' twice.");
}

const ZipEntry* ZipReader::find(std::string_view name) const
{
    const auto found = std::ranges::lower_bound(m_byName, name, {}, [&](std::size_t i) -> std::string_view { return m_entries[i].name; });
    return found != m_byName.end() && m_entries[*found].name == name ? &m_entries[*found] : nullptr;
}

const ZipEntry& ZipReader::check(std::string_view name, std::uint64_t limit) const
{
    const ZipEntry* entry = find(name);
    if (!entry)
        throw Error(printable(m_what) + " has no entry '" + printable(name) + "'.");
    if (entry->size > limit || entry->size > entry->compressedSize * bestRatio + 1024)
        throw Error("Entry '" + printable(name) + "' of " + printable(m_what) + " claims to hold " + std::to_string(entry->size) +
                    " bytes, which cannot be.");
    if (entry->size > physicalMemory())
        throw Error("Entry '" + printable(name) + "' of " + printable(m_what) + " holds " + formatBytes(static_cast<double>(entry->size)) +
                    ", more than this machine's memory.");
    return *entry;
}

void ZipReader::unpack(const ZipEntry& entry, std::byte* to, const Heard& heard) const
{
    const auto fail = [&](const std::string& why) { throw Error("Entry '" + printable(entry.name) + "' of " + printable(m_what) + " " + why + "."); };
    const auto index = static_cast<zip_uint64_t>(&entry - m_entries.data());
    zip_t* const zip = m_archive->zip.get();
    constexpr std::uint64_t large = std::uint64_t{1} << 25;
    zip_stat_t stat;
    if (entry.size >= large && !m_archive->path.empty() && zip_stat_index(zip, index, 0, &stat) == 0 && stat.comp_method == ZIP_CM_STORE &&
        stat.size == entry.size && readSideBySide(m_archive->path, index, stat, to, heard))
        return;
    const OpenFile file(zip_fopen_index(zip, index, 0));
    if (!file) {
        const int code = zip_error_code_zip(zip_get_error(zip));
        fail(code == ZIP_ER_NOPASSWD ? "is encrypted, which Cleave does not read"
             : code == ZIP_ER_COMPNOTSUPP || code == ZIP_ER_ENCRNOTSUPP ? "is packed in a way that Cleave does not read: store or deflate it"
                                                                        : "is damaged");
    }
    // Reading past the end makes libzip compare the checksum.
    std::byte beyond;
    if (!readFully(file.get(), to, entry.size, heard) || zip_fread(file.get(), &beyond, 1) != 0)
        fail("is damaged");
}

std::vector<std::byte> ZipReader::read(std::string_view name, std::uint64_t limit) const
{
    const ZipEntry& entry = check(name, limit);
    std::vector<std::byte> bytes(entry.size);
    unpack(entry, bytes.data());
    return bytes;
}

Array ZipReader::readArray(std::string_view name, std::uint64_t limit, const Heard& heard) const
{
    const ZipEntry& entry = check(name, limit);
    NewArray array = makeArray(DType::UInt8, {static_cast<std::int64_t>(entry.size)});
    unpack(entry, array.data, heard);
    return array.array;
}

std::string ZipReader::readText(std::string_view name, std::uint64_t limit) const
{
    const ZipEntry& entry = check(name, limit);
    std::string text(entry.size, '\0');
    unpack(entry, reinterpret_cast<std::byte*>(text.data()));
    return text;
}

void writeZip(const std::filesystem::path& path, const std::vector<NewZipEntry>& entries)
{
    writeBeside(path, [&](const std::filesystem::path& temporary) {
        zip_t* zip = zip_open(temporary.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
        if (!zip)
            throw Error(printable(path.string(), 300) + " cannot be written.");
        for (const NewZipEntry& entry : entries) {
            std::array<zip_buffer_fragment_t, 2> parts{};
            zip_uint64_t count = 0;
            for (const std::span<const std::byte> bytes : {entry.bytes, entry.rest})
                if (!bytes.empty())
                    parts[count++] = {reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(bytes.data())), bytes.size()};
            zip_source_t* source = zip_source_buffer_fragment(zip, parts.data(), count, 0);
            const zip_int64_t index = source ? zip_file_add(zip, entry.name.c_str(), source, ZIP_FL_ENC_UTF_8) : -1;
            if (index < 0) {
                zip_source_free(source);
                zip_discard(zip);
                throw Error(printable(path.string(), 300) + " cannot be written.");
            }
            zip_set_file_compression(zip, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
            zip_file_set_dostime(zip, static_cast<zip_uint64_t>(index), 0, 0x21, 0);
        }
        // Pages of arrays that lie in files come into memory as they are written.
        zip_register_progress_callback_with_state(zip, 0.001, [](zip_t*, double, void*) { stayWithinBound(); }, nullptr, nullptr);
        if (zip_close(zip) != 0) {
            const std::string why = zip_strerror(zip);
            zip_discard(zip);
            throw Error(printable(path.string(), 300) + " cannot be written: " + why + ".");
        }
    });
}

}  // namespace cleave
