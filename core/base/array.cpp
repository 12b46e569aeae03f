#include "core/base/array.h"

#include <algorithm>
#include <array>
#include <new>

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/pages.h"

namespace cleave {

namespace {

struct DTypeRow {
    DType dtype;
    std::string_view name;
    std::size_t size;
};

constexpr std::array rows{
    DTypeRow{DType::UInt8, "uint8", 1},        DTypeRow{DType::Int8, "int8", 1},
    DTypeRow{DType::Int16, "int16", 2},        DTypeRow{DType::Int32, "int32", 4},
    DTypeRow{DType::Int64, "int64", 8},        DTypeRow{DType::Float16, "float16", 2},
    DTypeRow{DType::Float32, "float32", 4},    DTypeRow{DType::Float64, "float64", 8},
    DTypeRow{DType::Complex32, "complex32", 4}, DTypeRow{DType::Complex64, "complex64", 8},
    DTypeRow{DType::Complex128, "complex128", 16}, DTypeRow{DType::Bool, "bool", 1},
    DTypeRow{DType::BFloat16, "bfloat16", 2},  DTypeRow{DType::UInt16, "uint16", 2},
    DTypeRow{DType::UInt32, "uint32", 4},      DTypeRow{DType::UInt64, "uint64", 8},
};

const DTypeRow* find(DType dtype)
{
    const auto row = std::ranges::find(rows, dtype, &DTypeRow::dtype);
    return row == rows.end() ? nullptr : &*row;
}

}  // namespace

std::size_t itemSize(DType dtype)
{
    const DTypeRow* row = find(dtype);
    return row ? row->size : 0;
}

std::string_view dtypeName(DType dtype)
{
    const DTypeRow* row = find(dtype);
    return row ? row->name : "unknown";
}

DType dtypeFromName(std::string_view name)
{
    const auto row = std::ranges::find(rows, name, &DTypeRow::name);
    return row == rows.end() ? DType::Unknown : row->dtype;
}

bool isFloating(DType dtype)
{
    return dtype == DType::Float16 || dtype == DType::Float32 || dtype == DType::Float64 || dtype == DType::BFloat16;
}

bool isInteger(DType dtype)
{
    return (dtype >= DType::UInt8 && dtype <= DType::Int64) || (dtype >= DType::UInt16 && dtype <= DType::UInt64);
}

std::int64_t Array::count() const
{
    std::int64_t n = 1;
    for (const std::int64_t size : shape)
        n *= size;
    return n;
}

NewArray makeArray(DType dtype, std::vector<std::int64_t> shape)
{
    const auto limit = static_cast<std::int64_t>(physicalMemory());
    std::int64_t bytes = static_cast<std::int64_t>(itemSize(dtype));
    for (const std::int64_t size : shape)
        if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes) || bytes > limit)
            throw Error("An array of this shape does not fit into memory.");
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
    try {
        auto* data = static_cast<std::byte*>(allocatePages(size));
        const auto free = [size](const std::byte* p) { freePages(const_cast<std::byte*>(p), size); };
        return {Array{dtype, std::move(shape), std::shared_ptr<const std::byte>(data, free)}, data};
    } catch (const std::bad_alloc&) {
        throw Error("Not enough memory for an array of " + std::to_string(bytes) + " bytes.");
    }
}

}  // namespace cleave
