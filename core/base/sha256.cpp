#include "core/base/sha256.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/format.h"

namespace cleave {

namespace {

using State = std::array<std::uint32_t, 8>;

constexpr std::array<std::uint32_t, 64> constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void addBlock(State& state, const std::byte* block)
{
    std::array<std::uint32_t, 64> w;
    for (std::size_t i = 0; i < 16; ++i) {
        w[i] = 0;
        for (std::size_t k = 0; k < 4; ++k)
            w[i] = w[i] << 8 | std::to_integer<std::uint32_t>(block[4 * i + k]);
    }
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
        const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + w[i];
        const std::uint32_t t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const State added{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i)
        state[i] += added[i];
}

class Hash {
public:
    // All but the last bytes that are added at once must be whole blocks of 64.
    void add(std::span<const std::byte> bytes)
    {
        m_bytes += bytes.size();
        for (; bytes.size() >= 64; bytes = bytes.subspan(64))
            addBlock(m_state, bytes.data());
        m_tail.assign(bytes.begin(), bytes.end());
    }

    std::string text()
    {
        // The rest, a one bit, zeros, and the length in bits.
        m_tail.push_back(std::byte{0x80});
        while (m_tail.size() % 64 != 56)
            m_tail.push_back(std::byte{0});
        for (int shift = 56; shift >= 0; shift -= 8)
            m_tail.push_back(static_cast<std::byte>(m_bytes * 8 >> shift));
        for (std::size_t i = 0; i < m_tail.size(); i += 64)
            addBlock(m_state, m_tail.data() + i);
        std::string hex;
        for (const std::uint32_t word : m_state)
            for (int shift = 28; shift >= 0; shift -= 4)
                hex += "0123456789abcdef"[word >> shift & 15];
        return hex;
    }

private:
    State m_state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::uint64_t m_bytes = 0;
    std::vector<std::byte> m_tail;
};

}  // namespace

std::string sha256(std::span<const std::byte> bytes)
{
    Hash hash;
    hash.add(bytes);
    return hash.text();
}

std::string sha256File(const std::filesystem::path& path)
{
    requireFile(path);
    std::ifstream file(path, std::ios::binary);
    Hash hash;
    std::vector<std::byte> part(std::size_t{1} << 20);
    do {
        file.read(reinterpret_cast<char*>(part.data()), std::ssize(part));
        hash.add(std::span(part).first(static_cast<std::size_t>(file.gcount())));
    } while (file);
    if (!file.eof())
        throw Error(printable(path.string(), 300) + " cannot be read.");
    return hash.text();
}

}  // namespace cleave
