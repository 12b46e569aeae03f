#include <gtest/gtest.h>

#include <random>

#include "core/base/array.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/progress.h"
#include "core/base/sha256.h"
#include "core/base/sort_keys.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

std::string hashOf(const std::string& text)
{
    return sha256(std::as_bytes(std::span(text)));
}

TEST(Format, BytesHaveThreeDigits)
{
    EXPECT_EQ(formatBytes(0), "0 B");
    EXPECT_EQ(formatBytes(999), "999 B");
    EXPECT_EQ(formatBytes(1000), "1.00 kB");
    EXPECT_EQ(formatBytes(12'200'000), "12.2 MB");
    EXPECT_EQ(formatBytes(999'999), "1.00 MB");
}

TEST(Format, CountsAreGrouped)
{
    EXPECT_EQ(formatCount(0), "0");
    EXPECT_EQ(formatCount(1038000), "1,038,000");
    EXPECT_EQ(formatCount(-1234), "-1,234");
}

TEST(Format, SecondsHaveUnits)
{
    EXPECT_EQ(formatSeconds(0.0031), "3.10 ms");
    EXPECT_EQ(formatSeconds(12), "12.0 s");
    EXPECT_EQ(formatSeconds(0.9997), "1.00 s");
    EXPECT_EQ(formatSeconds(0.9994), "999 ms");
    EXPECT_EQ(formatSeconds(0.9998e-3), "1.00 ms");
}

TEST(Format, NamesFromFilesLoseControlCharactersAndLength)
{
    EXPECT_EQ(printable("a\nb\x1b[31m"), "a?b?[31m");
    EXPECT_EQ(printable("abcdef", 3), "abc…");
    EXPECT_EQ(printable("ääää", 3), "ää…");
}

TEST(Sha256, KnownAnswers)  // FIPS 180-4 examples
{
    EXPECT_EQ(hashOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hashOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hashOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(hashOf(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, OfFilesPartByPart)
{
    const test::TemporaryFolder folder;
    for (const int bytes : {0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (2 << 20) + 65}) {
        std::string text(static_cast<std::size_t>(bytes), 'x');
        for (std::size_t i = 0; i < text.size(); i += 1009)
            text[i] = static_cast<char>(i % 251);
        test::writeText(folder / "file", text);
        EXPECT_EQ(sha256File(folder / "file"), hashOf(text)) << bytes;
    }
    EXPECT_NE(test::errorOf([&] { sha256File(folder / "none"); }), "");
}

TEST(Files, AreReadUpToALimit)
{
    const test::TemporaryFolder folder;
    test::writeText(folder / "file", "abcd");
    EXPECT_EQ(readFile(folder / "file", 4).size(), 4U);
    EXPECT_NE(test::errorOf([&] { readFile(folder / "file", 3); }).find("is too large: 4 B, and no more than 3 B"), std::string::npos);
}

// What replaces a private file is never anybody else's to read.
TEST(Files, WhatIsPrivateStaysSo)
{
    using std::filesystem::perms;
    const test::TemporaryFolder folder;
    test::writeText(folder / "private", "before");
    std::filesystem::permissions(folder / "private", perms::owner_read | perms::owner_write);
    writeBeside(folder / "private", [&](const std::filesystem::path& temporary) {
        EXPECT_EQ(std::filesystem::status(temporary).permissions(), perms::owner_read | perms::owner_write);
        test::writeText(temporary, "after");
        EXPECT_EQ(std::filesystem::status(temporary).permissions(), perms::owner_read | perms::owner_write);
    });
    EXPECT_EQ(test::readText(folder / "private"), "after");
    EXPECT_EQ(std::filesystem::status(folder / "private").permissions(), perms::owner_read | perms::owner_write);
}

TEST(Progress, StopsWhenAsked)
{
    std::stop_source source;
    const Progress progress{source.get_token(), {}};
    EXPECT_NO_THROW(progress.update(0.5, "work"));
    source.request_stop();
    EXPECT_THROW(progress.update(0.6, "work"), Cancelled);
}

TEST(Array, RefusesShapesThatDoNotFit)
{
    EXPECT_NE(test::errorOf([] { makeArray(DType::Float32, {std::int64_t{1} << 40, std::int64_t{1} << 40}); }), "");
    EXPECT_NE(test::errorOf([] { makeArray(DType::Float32, {-1}); }), "");
    EXPECT_EQ(makeArray(DType::Float32, {0, 5}).array.count(), 0);
}

TEST(SortKeys, WhatAgreesKeepsItsPlaces)
{
    std::mt19937_64 random(7);
    std::vector<std::uint64_t> room;
    constexpr int placeBits = 20;
    for (const std::size_t count : {0U, 1U, 7U, 1023U, 1024U, 100'000U})
        for (const std::uint64_t distinct : {std::uint64_t{1}, std::uint64_t{50}, std::uint64_t{1} << 44}) {
            std::vector<std::uint64_t> keys;
            for (std::size_t i = 0; i < count; ++i)
                keys.push_back(random() % distinct << placeBits | i);
            std::vector<std::uint64_t> expected = keys;
            std::ranges::sort(expected);
            sortKeys(keys, room, placeBits);
            EXPECT_EQ(keys, expected) << count << " of " << distinct;
        }
}

}  // namespace
}  // namespace cleave
