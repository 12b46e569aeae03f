#include "core/base/hash.h"

#include <array>
#include <cstring>

namespace cleave {

namespace {

// The product of two words, its halves added: every bit of each has its say.
std::uint64_t folded(std::uint64_t a, std::uint64_t b)
{
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

std::uint64_t contentHash(std::span<const std::byte> bytes)
{
    // Digits of pi, so that no word can be without effect by chance.
    constexpr std::array<std::uint64_t, 4> keys{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89};
    std::array<std::uint64_t, 4> lanes = keys;
    std::size_t at = 0;
    for (; at + 32 <= bytes.size(); at += 32)
        for (std::size_t k = 0; k < 4; ++k) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data() + at + 8 * k, 8);
            lanes[k] = folded(lanes[k] ^ word, keys[k] | 1);
        }
    std::array<std::byte, 32> rest{};
    std::memcpy(rest.data(), bytes.data() + at, bytes.size() - at);
    std::uint64_t hash = bytes.size();
    for (std::size_t k = 0; k < 4; ++k) {
        std::uint64_t word = 0;
        std::memcpy(&word, rest.data() + 8 * k, 8);
        hash = folded(hash ^ lanes[k], keys[1]) + folded(word ^ keys[2], keys[k] | 1);
    }
    return hash;
}

}  // namespace cleave
