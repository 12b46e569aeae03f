#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <span>
#include <vector>

#include "core/base/zip.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

using test::errorOf;

const std::string first = "first entry", second(5000, 'x');

std::filesystem::path writeSample(const test::TemporaryFolder& folder)
{
    writeZip(folder / "sample.zip", {{"a/first", std::as_bytes(std::span(first))}, {"second", std::as_bytes(std::span(second))}});
    return folder / "sample.zip";
}

TEST(Zip, ReadsWhatItWrote)
{
    const test::TemporaryFolder folder;
    const ZipReader zip(writeSample(folder));
    ASSERT_EQ(zip.entries().size(), 2U);
    EXPECT_EQ(zip.entries()[0].name, "a/first");
    EXPECT_EQ(zip.readText("a/first"), first);
    EXPECT_EQ(zip.readText("second"), second);
    EXPECT_FALSE(zip.contains("third"));
}

TEST(Zip, SameEntriesSameBytes)
{
    const test::TemporaryFolder folder;
    const std::string once = test::readText(writeSample(folder));
    EXPECT_EQ(once, test::readText(writeSample(folder)));
}

TEST(Zip, NamesWhatIsMissing)
{
    const test::TemporaryFolder folder;
    const ZipReader zip(writeSample(folder));
    EXPECT_NE(errorOf([&] { zip.read("third"); }).find("third"), std::string::npos);
    EXPECT_NE(errorOf([&] { zip.read("second", 100); }), "");
    EXPECT_NE(errorOf([&] { ZipReader(folder / "none.zip"); }), "");
    EXPECT_NE(errorOf([&] { ZipReader(folder.path()); }), "");
}

TEST(Zip, TruncatedAtEveryLengthIsOneSentence)
{
    const test::TemporaryFolder folder;
    const std::string whole = test::readText(writeSample(folder));
    for (std::size_t length = 0; length < whole.size(); length += 97) {
        test::writeText(folder / "cut.zip", whole.substr(0, length));
        EXPECT_NE(errorOf([&] { ZipReader(folder / "cut.zip"); }), "") << length;
    }
}

TEST(Zip, DamagedBytesNeverGiveOtherContent)
{
    const test::TemporaryFolder folder;
    const std::string whole = test::readText(writeSample(folder));
    std::mt19937 random(1);
    for (int i = 0; i < 300; ++i) {
        std::string damaged = whole;
        char& byte = damaged[random() % damaged.size()];
        byte = static_cast<char>(byte ^ static_cast<char>(1 + random() % 255));
        test::writeText(folder / "damaged.zip", damaged);
        errorOf([&] {
            const ZipReader zip(folder / "damaged.zip");
            if (zip.contains("second") && zip.find("second")->size == second.size()) {
                EXPECT_EQ(zip.readText("second"), second);
            }
        });
    }
}

// In parts side by side.
TEST(Zip, LargeEntriesAreReadWholeAndChecked)
{
    const test::TemporaryFolder folder;
    std::mt19937 random(7);
    std::vector<std::uint32_t> numbers((std::size_t{5} << 21) + 3);  // 40 MiB and a bit
    for (std::uint32_t& number : numbers)
        number = static_cast<std::uint32_t>(random());
    const auto bytes = std::as_bytes(std::span(numbers));
    writeZip(folder / "large.zip", {{"a", std::as_bytes(std::span(first))}, {"large", bytes}});
    std::vector<std::uint64_t> heard;
    const Array read =
        ZipReader(folder / "large.zip").readArray("large", ZipReader::defaultLimit, [&](std::uint64_t unpacked) { heard.push_back(unpacked); });
    ASSERT_EQ(read.bytes(), bytes.size());
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), read.data.get()));
    EXPECT_FALSE(heard.empty());
    EXPECT_TRUE(std::ranges::is_sorted(heard) && heard.back() <= bytes.size());
    EXPECT_THROW(ZipReader(folder / "large.zip").readArray("large", ZipReader::defaultLimit, [](std::uint64_t) { throw Cancelled(); }), Cancelled);
    std::fstream file(folder / "large.zip", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(30 << 20);
    file.put(static_cast<char>(file.peek() ^ 1));
    file.close();
    EXPECT_EQ(errorOf([&] { ZipReader(folder / "large.zip").readArray("large"); }), "Entry 'large' of large.zip is damaged.");
}

TEST(Zip, LeavesNothingWhenItCannotWrite)
{
    const test::TemporaryFolder folder;
    EXPECT_NE(errorOf([&] { writeZip(folder / "no/such/folder.zip", {}); }), "");
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace cleave
