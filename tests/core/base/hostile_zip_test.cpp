#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <functional>

#include "core/base/file.h"
#include "core/base/zip.h"
#include "tests/core/test_files.h"

namespace {

std::function<void()> whenFilesReachTheDisk;

}  // namespace

// In place of the C library's.
extern "C" int fsync(int file)
{
    if (whenFilesReachTheDisk)
        whenFilesReachTheDisk();
    return static_cast<int>(syscall(SYS_fsync, file));
}

namespace cleave {
namespace {

using test::errorOf;

// One entry as it lies in an archive, every field free to lie.
struct RawEntry {
    std::string name, packed;
    std::uint32_t crc = 0, size = 0, packedSize = 0;
    std::uint16_t method = 0, flags = 0;
};

RawEntry stored(const std::string& name, const std::string& text, std::uint32_t crc)
{
    const auto size = static_cast<std::uint32_t>(text.size());
    return {name, text, crc, size, size, 0, 0};
}

void append(std::string& to, std::uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; ++i)
        to += i < 4 ? static_cast<char>(value >> 8 * i & 0xFF) : static_cast<char>(0);
}

void appendCommon(std::string& to, const RawEntry& entry)
{
    append(to, 20, 2);
    append(to, entry.flags, 2);
    append(to, entry.method, 2);
    append(to, 0, 2);
    append(to, 0x21, 2);
    append(to, entry.crc, 4);
    append(to, entry.packedSize, 4);
    append(to, entry.size, 4);
    append(to, static_cast<std::uint32_t>(entry.name.size()), 2);
    append(to, 0, 2);
}

std::string zipOf(const std::vector<RawEntry>& entries)
{
    std::string zip, directory;
    for (const RawEntry& entry : entries) {
        directory += "PK\x01\x02";
        append(directory, 20, 2);
        appendCommon(directory, entry);
        append(directory, 0, 2 + 2 + 2 + 4);
        append(directory, static_cast<std::uint32_t>(zip.size()), 4);
        directory += entry.name;
        zip += "PK\x03\x04";
        appendCommon(zip, entry);
        zip += entry.name + entry.packed;
    }
    const auto start = static_cast<std::uint32_t>(zip.size());
    zip += directory + "PK\x05\x06";
    append(zip, 0, 4);
    append(zip, static_cast<std::uint32_t>(entries.size()), 2);
    append(zip, static_cast<std::uint32_t>(entries.size()), 2);
    append(zip, static_cast<std::uint32_t>(directory.size()), 4);
    append(zip, start, 4);
    append(zip, 0, 2);
    return zip;
}

std::string readFirst(const std::string& zip)
{
    const ZipReader reader(std::as_bytes(std::span(zip)), "test.zip");
    return reader.readText(reader.entries().at(0).name);
}

std::string refusal(const std::vector<RawEntry>& entries)
{
    const std::string zip = zipOf(entries);
    return errorOf([&] { readFirst(zip); });
}

constexpr std::uint32_t crcOfHello = 0x3610a686;

TEST(HostileZip, ReadsStoredAndDeflated)
{
    EXPECT_EQ(readFirst(zipOf({stored("a", "hello", crcOfHello)})), "hello");
    EXPECT_EQ(readFirst(zipOf({{"a", "\xcb\x48\xcd\xc9\xc9\x07" + std::string(1, '\0'), crcOfHello, 5, 7, 8, 0}})), "hello");
}

TEST(HostileZip, RefusesAWrongChecksum)
{
    EXPECT_EQ(refusal({stored("a", "hello", crcOfHello + 1)}), "Entry 'a' of test.zip is damaged.");
}

TEST(HostileZip, RefusesSizesThatLie)
{
    RawEntry entry = stored("a", "hello", crcOfHello);
    entry.size = 4'000'000'000;
    EXPECT_NE(refusal({entry}).find("claims to hold 4000000000 bytes"), std::string::npos);
    entry = {"a", "\xcb\x48\xcd\xc9\xc9\x07" + std::string(1, '\0'), crcOfHello, 3, 7, 8, 0};
    EXPECT_NE(refusal({entry}), "") << "unpacks to more than it states";
    entry.size = 900;
    EXPECT_NE(refusal({entry}), "") << "unpacks to less than it states";
}

TEST(HostileZip, RefusesEntriesThatOverlap)
{
    RawEntry entry = stored("a", "hello", crcOfHello), other = entry;
    entry.packedSize = other.packedSize = 120;
    other.name = "b";
    EXPECT_NE(refusal({entry, other}), "");
}

TEST(HostileZip, RefusesANameThatIsThereTwice)
{
    EXPECT_NE(refusal({stored("a", "hello", crcOfHello), stored("b", "", 0), stored("a", "other", 0)}).find("holds 'a' twice"), std::string::npos);
}

TEST(HostileZip, RefusesEncryptedAndUnknownMethods)
{
    RawEntry entry = stored("a", "hello, twelve and more", 0);
    entry.flags = 1;
    EXPECT_NE(refusal({entry}).find("encrypted"), std::string::npos) << refusal({entry});
    entry.flags = 0;
    entry.method = 98;
    EXPECT_NE(refusal({entry}).find("packed in a way"), std::string::npos) << refusal({entry});
}

TEST(HostileZip, ArchivesLieInsideArchives)
{
    const std::string inner = zipOf({stored("a", "hello", crcOfHello)});
    const test::TemporaryFolder folder;
    writeZip(folder / "outer.zip", {{"inner.pt", std::as_bytes(std::span(inner))}});
    const Array bytes = ZipReader(folder / "outer.zip").readArray("inner.pt");
    EXPECT_EQ(ZipReader({bytes.data.get(), bytes.bytes()}, "inner.pt").readText("a"), "hello");
}

TEST(File, NeverReplacesWhatIsNoFile)
{
    EXPECT_NE(errorOf([] { writeBeside("/dev/null", [](const auto&) { ADD_FAILURE() << "must not write"; }); }), "");
    const test::TemporaryFolder folder;
    EXPECT_NE(errorOf([&] { writeZip(folder.path(), {}); }), "");
}

TEST(File, KeepsTheOldFileWhenWritingFails)
{
    const test::TemporaryFolder folder;
    test::writeText(folder / "kept", "old");
    EXPECT_EQ(errorOf([&] {
                  writeBeside(folder / "kept", [](const std::filesystem::path& temporary) {
                      test::writeText(temporary, "half");
                      throw Error("No room.");
                  });
              }),
              "No room.");
    EXPECT_EQ(test::readText(folder / "kept"), "old");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

void writeWords(const std::filesystem::path& path, const std::string& words)
{
    writeBeside(path, [&](const std::filesystem::path& temporary) { test::writeText(temporary, words); });
}

TEST(File, IsWrittenWhereLinksLead)
{
    const test::TemporaryFolder folder;
    std::filesystem::create_directory(folder / "far");
    test::writeText(folder / "far/real", "old");
    std::filesystem::create_symlink("far/real", folder / "link");
    std::filesystem::create_symlink(folder / "link", folder / "link to link");
    writeWords(folder / "link to link", "new");
    EXPECT_EQ(test::readText(folder / "far/real"), "new");
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link")) << "and stays one";
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link to link"));
    std::filesystem::create_symlink("far/nothing yet", folder / "ahead");
    writeWords(folder / "ahead", "something");
    EXPECT_EQ(test::readText(folder / "far/nothing yet"), "something");
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "ahead"));
    std::filesystem::create_symlink("round", folder / "round");
    EXPECT_NE(errorOf([&] { writeWords(folder / "round", "nothing"); }).find("round cannot be written: "), std::string::npos);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "far"), {}), 2) << "nothing temporary is left";
}

TEST(File, TellsBeforehandWhereNoneCanBe)
{
    const test::TemporaryFolder folder;
    EXPECT_NE(errorOf([&] { checkTarget(folder / "none/out"); }).find("out cannot be written: "), std::string::npos);
    EXPECT_NE(errorOf([&] { checkTarget(folder.path()); }).find("it is not a file"), std::string::npos);
    EXPECT_EQ(errorOf([&] { checkTarget(folder / "out"); }), "");
    EXPECT_EQ(errorOf([&] { checkTarget("out"); }), "");
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// A machine that stops at any moment leaves the old file or the new one.
TEST(File, IsOnTheDiskBeforeItIsCalledByItsName)
{
    const test::TemporaryFolder folder;
    test::writeText(folder / "file", "old");
    std::string whenSynced;
    whenFilesReachTheDisk = [&] { whenSynced += test::readText(folder / "file"); };
    writeWords(folder / "file", "new");
    whenFilesReachTheDisk = {};
    EXPECT_EQ(whenSynced, "old");
    EXPECT_EQ(test::readText(folder / "file"), "new");
}

}  // namespace
}  // namespace cleave
