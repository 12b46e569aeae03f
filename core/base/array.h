#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace cleave {

/// Element types; the numbers are those of torch.export's serialized ScalarType.
enum class DType : std::uint8_t {
    Unknown = 0,
    UInt8 = 1,
    Int8 = 2,
    Int16 = 3,
    Int32 = 4,
    Int64 = 5,
    Float16 = 6,
    Float32 = 7,
    Float64 = 8,
    Complex32 = 9,
    Complex64 = 10,
    Complex128 = 11,
    Bool = 12,
    BFloat16 = 13,
    UInt16 = 28,
    UInt32 = 34,
    UInt64 = 35,
};

std::size_t itemSize(DType dtype);             ///< bytes of one element; 0 for Unknown
std::string_view dtypeName(DType dtype);       ///< "float32", as PyTorch writes it
DType dtypeFromName(std::string_view name);    ///< the inverse; Unknown if there is none
bool isFloating(DType dtype);
bool isInteger(DType dtype);                   ///< signed and unsigned integers, not bool

/// A dense row-major array in memory, shared and never changed after it was filled.
struct Array {
    DType dtype = DType::Unknown;
    std::vector<std::int64_t> shape;
    std::shared_ptr<const std::byte> data;

    std::int64_t count() const;  ///< number of elements
    std::size_t bytes() const { return static_cast<std::size_t>(count()) * itemSize(dtype); }

    template <class T>
    const T* as() const { return reinterpret_cast<const T*>(data.get()); }
};

/// Room for an array of this type and shape, to be filled through the second member before the first is shared.
struct NewArray {
    Array array;
    std::byte* data;
};
NewArray makeArray(DType dtype, std::vector<std::int64_t> shape);  ///< Error if the shape is negative or too large to hold

}  // namespace cleave
