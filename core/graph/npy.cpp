#include "core/graph/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/mapping.h"
#include "core/base/zip.h"

namespace cleave {

namespace {

struct Header {
    std::string descr;
    bool fortran = false;
    std::vector<std::int64_t> shape;
    std::size_t dataStart = 0;

    // Texts, dates, records and pickled objects are no numbers, in whichever byte order.
    bool isNumeric() const { return descr.find_first_not_of("<>=|biufc0123456789") == std::string::npos; }
};

DType dtypeOfDescr(const std::string& descr)
{
    static const std::map<std::string, DType> types{
        {"<f2", DType::Float16}, {"<f4", DType::Float32}, {"<f8", DType::Float64}, {"|i1", DType::Int8},   {"<i2", DType::Int16},
        {"<i4", DType::Int32},   {"<i8", DType::Int64},   {"|u1", DType::UInt8},   {"<u2", DType::UInt16}, {"<u4", DType::UInt32},
        {"<u8", DType::UInt64},  {"|b1", DType::Bool},    {"<c8", DType::Complex64}, {"<c16", DType::Complex128}};
    const auto known = types.find(descr);
    return known == types.end() ? DType::Unknown : known->second;
}

std::string descrOf(DType dtype)
{
    switch (dtype) {
    case DType::Float16: return "<f2";
    case DType::Float32: return "<f4";
    case DType::Float64: return "<f8";
    case DType::Int8: return "|i1";
    case DType::Int16: return "<i2";
    case DType::Int32: return "<i4";
    case DType::Int64: return "<i8";
    case DType::UInt8: return "|u1";
    case DType::UInt16: return "<u2";
    case DType::UInt32: return "<u4";
    case DType::UInt64: return "<u8";
    case DType::Bool: return "|b1";
    case DType::Complex64: return "<c8";
    case DType::Complex128: return "<c16";
    default: throw Error("An array of type " + std::string(dtypeName(dtype)) + " cannot be written as .npy.");
    }
}

// The text after "'key':" in the header's Python dictionary.
std::string_view after(std::string_view dictionary, std::string_view key, const std::string& what)
{
    const std::size_t at = dictionary.find("'" + std::string(key) + "'");
    const std::size_t colon = at == std::string_view::npos ? at : dictionary.find(':', at);
    if (colon == std::string_view::npos)
        throw Error(printable(what) + " is damaged: its header has no '" + std::string(key) + "'.");
    const std::size_t start = dictionary.find_first_not_of(' ', colon + 1);
    return start == std::string_view::npos ? std::string_view{} : dictionary.substr(start);
}

std::vector<std::int64_t> parseShape(std::string_view text, const std::string& what)
{
    std::vector<std::int64_t> shape;
    const std::size_t end = text.find(')');
    if (!text.starts_with('(') || end == std::string_view::npos)
        throw Error(printable(what) + " is damaged: its shape is not a tuple.");
    for (std::size_t at = 1; at < end;) {
        // Python 2 wrote 3L.
        if (text[at] == ' ' || text[at] == ',' || (text[at] == 'L' && !shape.empty())) {
            ++at;
            continue;
        }
        std::int64_t size = 0;
        const auto [rest, problem] = std::from_chars(text.data() + at, text.data() + end, size);
        if (problem != std::errc() || size < 0 || shape.size() >= 16)
            throw Error(printable(what) + " is damaged: its shape is not a tuple of sizes.");
        shape.push_back(size);
        at = static_cast<std::size_t>(rest - text.data());
    }
    return shape;
}

Header parseHeader(std::span<const std::byte> bytes, const std::string& what)
{
    const auto* data = reinterpret_cast<const char*>(bytes.data());
    if (bytes.size() < 10 || std::memcmp(data, "\x93NUMPY", 6) != 0)
        throw Error(printable(what) + " is not a NumPy array.");
    const bool wide = data[6] >= 2;
    std::uint32_t length = 0;
    if (data[6] < 1 || data[6] > 3 || (wide && bytes.size() < 12))
        throw Error(printable(what) + " has a NumPy format version that Cleave does not read.");
    std::memcpy(&length, data + 8, wide ? 4 : 2);
    const std::size_t start = wide ? 12 : 10;
    if (length > bytes.size() - start)
        throw Error(printable(what) + " is damaged: it ends within its header.");
    const std::string_view dictionary(data + start, length);
    Header header;
    const std::string_view descr = after(dictionary, "descr", what);
    const std::size_t close = descr.find_first_of("'\"]", 1);
    if (close == std::string_view::npos || (descr[0] != '\'' && descr[0] != '"' && descr[0] != '['))
        throw Error(printable(what) + " is damaged: its header names no type.");
    header.descr = descr[0] == '[' ? "record" : descr.substr(1, close - 1);
    header.fortran = after(dictionary, "fortran_order", what).starts_with("True");
    header.shape = parseShape(after(dictionary, "shape", what), what);
    header.dataStart = start + length;
    return header;
}

// Column-major to row-major.
void transposeInto(const std::byte* from, std::byte* to, const std::vector<std::int64_t>& shape, std::size_t item)
{
    std::vector<std::int64_t> index(shape.size(), 0), stride(shape.size(), 1);
    std::int64_t count = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        stride[d] = count;
        count *= shape[d];
    }
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t source = 0;
        for (std::size_t d = 0; d < shape.size(); ++d)
            source += index[d] * stride[d];
        std::memcpy(to + static_cast<std::size_t>(i) * item, from + static_cast<std::size_t>(source) * item, item);
        for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];)
            index[d] = 0;
    }
}

// NumPy has no bfloat16: the upper half of a float32.
Array writable(const Array& array)
{
    if (array.dtype != DType::BFloat16)
        return array;
    NewArray wide = makeArray(DType::Float32, array.shape);
    for (std::int64_t i = 0; i < array.count(); ++i) {
        const std::uint32_t bits = static_cast<std::uint32_t>(array.as<std::uint16_t>()[i]) << 16;
        std::memcpy(wide.data + 4 * i, &bits, 4);
    }
    return wide.array;
}

// A bool of any other byte than 0 and 1 would be undefined behaviour for whoever reads it.
void makeBools(std::byte* data, std::size_t count)
{
    std::transform(data, data + count, data, [](std::byte b) { return b == std::byte{0} ? b : std::byte{1}; });
}

// Bytes that somebody owns, of which an array may become a part.
struct SharedBytes {
    std::shared_ptr<const std::byte> data;
    std::size_t size = 0;

    std::span<const std::byte> span() const { return {data.get(), size}; }
};

Array parseData(const Header& header, std::span<const std::byte> bytes, const std::string& what, const SharedBytes* owner = nullptr)
{
    const DType dtype = dtypeOfDescr(header.descr);
    if (dtype == DType::Unknown)
        throw Error(printable(what) + " has elements of type '" + printable(header.descr) +
                    "', which Cleave does not read; it reads little-endian numbers and bool.");
    const std::size_t available = bytes.size() - header.dataStart;
    std::uint64_t needed = itemSize(dtype);
    bool overflow = false;
    for (const std::int64_t size : header.shape)
        overflow = __builtin_mul_overflow(needed, static_cast<std::uint64_t>(size), &needed) || overflow;
    if (overflow || needed > available)
        throw Error(printable(what) + " is damaged: its shape needs more than its " + std::to_string(available) + " bytes of data.");
    const std::byte* data = bytes.data() + header.dataStart;
    const bool isAligned = reinterpret_cast<std::uintptr_t>(data) % itemSize(dtype) == 0;
    if (owner && needed > 0 && isAligned && dtype != DType::Bool && (!header.fortran || header.shape.size() < 2))
        return {dtype, header.shape, std::shared_ptr<const std::byte>(owner->data, data)};
    NewArray array = makeArray(dtype, header.shape);
    if (header.fortran && header.shape.size() > 1)
        transposeInto(data, array.data, header.shape, itemSize(dtype));
    else if (needed > 0)
        std::memcpy(array.data, data, needed);
    if (dtype == DType::Bool)
        makeBools(array.data, needed);
    return array.array;
}

SharedBytes mapped(const std::filesystem::path& path)
{
    const auto mapping = std::make_shared<Mapping>(Mapping::ofFile(path));
    return {std::shared_ptr<const std::byte>(mapping, mapping->data()), mapping->bytes()};
}

std::string headerOf(const std::string& descr, std::span<const std::int64_t> sizes)
{
    std::string shape = "(";
    for (const std::int64_t size : sizes)
        shape += std::to_string(size) + ", ";
    shape += ")";
    std::string dictionary = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
    dictionary.append(64 - (10 + dictionary.size() + 1) % 64, ' ');
    dictionary += '\n';
    std::string header("\x93NUMPY\x01\x00", 8);
    header += static_cast<char>(dictionary.size() & 0xFF);
    header += static_cast<char>(dictionary.size() >> 8);
    return header + dictionary;
}

std::string textHeader(const Array& texts)
{
    return headerOf("|S" + std::to_string(texts.shape[1]), std::span(texts.shape).first(1));
}

void writeWithHeader(const std::filesystem::path& path, const std::string& header, const Array& array)
{
    writeBytes(path, {std::as_bytes(std::span(header)), {array.data.get(), array.bytes()}});
}

// Texts of one dimension: as many characters to each row as its type says. Nothing for anything else.
std::optional<Array> parseTexts(std::span<const std::byte> bytes, const std::string& what)
{
    const Header header = parseHeader(bytes, what);
    const bool areBytes = header.descr.starts_with("|S");
    std::int64_t width = 0;
    const char* digits = header.descr.c_str() + std::min<std::size_t>(2, header.descr.size());
    const auto [end, problem] = std::from_chars(digits, header.descr.c_str() + header.descr.size(), width);
    if ((!areBytes && !header.descr.starts_with("<U")) || problem != std::errc() || *end != 0 || width < 0 || header.shape.size() != 1)
        return {};
    NewArray texts = makeArray(areBytes ? DType::UInt8 : DType::UInt32, {header.shape[0], width});
    if (texts.array.bytes() > bytes.size() - header.dataStart)
        throw Error(printable(what) + " is damaged: its shape needs more than its " + std::to_string(bytes.size() - header.dataStart) +
                    " bytes of data.");
    std::memcpy(texts.data, bytes.data() + header.dataStart, texts.array.bytes());
    return texts.array;
}

}  // namespace

std::string npyHeader(const Array& array)
{
    return headerOf(descrOf(array.dtype), array.shape);
}

Array parseNpy(std::span<const std::byte> bytes, const std::string& what)
{
    return parseData(parseHeader(bytes, what), bytes, what);
}

Array readNpy(const std::filesystem::path& path)
{
    return parseNpy(readFile(path, std::numeric_limits<std::uintmax_t>::max()), path.filename().string());
}

std::map<std::string, Array> readNpz(const std::filesystem::path& path, const Progress& progress, std::string_view step)
{
    const ZipReader zip(path);
    std::map<std::string, Array> arrays;
    double all = 0, before = 0;
    for (const ZipEntry& entry : zip.entries())
        all += static_cast<double>(entry.size);
    for (const ZipEntry& entry : zip.entries()) {
        if (!entry.name.ends_with(".npy"))
            continue;
        const std::string name = entry.name.substr(0, entry.name.size() - 4);
        const std::string what = "Array '" + name + "' of " + path.filename().string();
        if (name.empty() || name == "." || name == ".." || name.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos)
            throw Error("An array of " + printable(path.filename().string()) + " is called '" + printable(name) + "', which cannot be the name of a file.");
        const Array file = zip.readArray(entry.name, ZipReader::defaultLimit, [&](std::uint64_t read) {
            progress.update(std::min((before + static_cast<double>(read)) / all, 1.0), step);
        });
        before += static_cast<double>(entry.size);
        const SharedBytes bytes{file.data, file.bytes()};
        const Header header = parseHeader(bytes.span(), what);
        if (header.isNumeric())
            arrays[name] = parseData(header, bytes.span(), what, &bytes);
    }
    return arrays;
}

Array mapNpy(const std::filesystem::path& path)
{
    const SharedBytes bytes = mapped(path);
    const std::string what = path.filename().string();
    return parseData(parseHeader(bytes.span(), what), bytes.span(), what, &bytes);
}

std::map<std::string, Array> mapFolder(const std::filesystem::path& folder)
{
    std::map<std::string, Array> arrays;
    std::error_code problem;
    for (const auto& file : std::filesystem::directory_iterator(folder, problem)) {
        if (file.path().extension() != ".npy")
            continue;
        const SharedBytes bytes = mapped(file.path());
        const std::string what = file.path().filename().string();
        const Header header = parseHeader(bytes.span(), what);
        if (header.isNumeric())
            arrays[file.path().stem().string()] = parseData(header, bytes.span(), what, &bytes);
    }
    if (problem)
        throw Error(printable(folder.string(), 300) + " cannot be read: " + problem.message() + ".");
    return arrays;
}

std::optional<Array> readTexts(const std::filesystem::path& archiveOrFolder, const std::string& name)
{
    const std::string file = name + ".npy", what = "Array '" + name + "' of " + archiveOrFolder.filename().string();
    if (std::error_code problem; std::filesystem::is_directory(archiveOrFolder, problem))
        return std::filesystem::is_regular_file(archiveOrFolder / file, problem) ? parseTexts(mapped(archiveOrFolder / file).span(), what)
                                                                                 : std::nullopt;
    const ZipReader zip(archiveOrFolder);
    return zip.contains(file) ? parseTexts(zip.read(file), what) : std::nullopt;
}

void writeNpy(const std::filesystem::path& path, const Array& given)
{
    const Array array = writable(given);
    writeWithHeader(path, npyHeader(array), array);
}

void writeNpyTexts(const std::filesystem::path& path, const Array& texts)
{
    writeWithHeader(path, textHeader(texts), texts);
}

void writeNpz(const std::filesystem::path& path, const std::map<std::string, Array>& arrays, const std::map<std::string, Array>& texts)
{
    writeNpzInOrder(path, {arrays.begin(), arrays.end()}, texts);
}

void writeNpzInOrder(const std::filesystem::path& path, const std::vector<std::pair<std::string, Array>>& arrays,
                     const std::map<std::string, Array>& texts)
{
    std::vector<std::string> names, headers;
    std::vector<Array> written;
    for (const auto& [name, array] : arrays) {
        names.push_back(name);
        written.push_back(writable(array));
        headers.push_back(npyHeader(written.back()));
    }
    for (const auto& [name, array] : texts) {
        names.push_back(name);
        written.push_back(array);
        headers.push_back(textHeader(array));
    }
    std::vector<NewZipEntry> entries;
    for (std::size_t i = 0; i < names.size(); ++i)
        entries.push_back({names[i] + ".npy", std::as_bytes(std::span(headers[i])), {written[i].data.get(), written[i].bytes()}});
    writeZip(path, entries);
}

}  // namespace cleave
