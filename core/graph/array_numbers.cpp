#include "core/graph/array_numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace cleave {

namespace {

float widenHalf(std::uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float magnitude = exponent == 31 ? (fraction ? std::nanf("") : HUGE_VALF)
                            : exponent     ? std::ldexp(static_cast<float>(1024 + fraction), exponent - 25)
                                           : std::ldexp(static_cast<float>(fraction), -24);
    return bits & 0x8000 ? -magnitude : magnitude;
}

template <class Number>
void append(std::string& text, Number number)
{
    std::array<char, 32> digits;
    text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

}  // namespace

std::int64_t integerAt(const Array& array, std::int64_t i)
{
    switch (array.dtype) {
    case DType::Int64: return array.as<std::int64_t>()[i];
    case DType::Int32: return array.as<std::int32_t>()[i];
    case DType::Int16: return array.as<std::int16_t>()[i];
    case DType::Int8: return array.as<std::int8_t>()[i];
    case DType::UInt64: return static_cast<std::int64_t>(std::min<std::uint64_t>(array.as<std::uint64_t>()[i], std::uint64_t{1} << 62));
    case DType::UInt32: return array.as<std::uint32_t>()[i];
    case DType::UInt16: return array.as<std::uint16_t>()[i];
    default: return array.as<std::uint8_t>()[i];
    }
}

double numberAt(const Array& array, std::int64_t i)
{
    switch (array.dtype) {
    case DType::Float64: return array.as<double>()[i];
    case DType::Float32: return static_cast<double>(array.as<float>()[i]);
    case DType::Float16: return static_cast<double>(widenHalf(array.as<std::uint16_t>()[i]));
    default: return static_cast<double>(integerAt(array, i));
    }
}

void appendNumber(std::string& text, std::int64_t number)
{
    append(text, number);
}

void appendNumber(std::string& text, const Array& array, std::int64_t i)
{
    if (array.dtype == DType::Float32)
        append(text, array.as<float>()[i]);
    else if (isFloating(array.dtype))
        append(text, numberAt(array, i));
    else
        append(text, integerAt(array, i));
}

}  // namespace cleave
