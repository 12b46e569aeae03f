// Memory that files hold, and a bound on what is resident.
#include "core/base/memory_bound.h"

#include <gtest/gtest.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <future>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mapping.h"
#include "core/base/pages.h"
#include "core/graph/npy.h"
#include "tests/core/test_files.h"

namespace {

std::atomic<bool> othersGetNothing = false;  // threads but those that are spared
std::atomic<int> refused = 0;
thread_local bool isSpared = false;

}  // namespace

// In place of the C++ library's. Not inline, since compilers would take what is new to be freed by the wrong function.
[[gnu::noinline]] void* operator new(std::size_t bytes)
{
    if (othersGetNothing && !isSpared) {
        ++refused;
        throw std::bad_alloc();
    }
    if (void* memory = std::malloc(std::max<std::size_t>(bytes, 1)))
        return memory;
    throw std::bad_alloc();
}

[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace cleave {
namespace {

constexpr std::size_t mega = std::size_t{1} << 20;

bool isEmpty(const std::filesystem::path& folder)
{
    return std::filesystem::directory_iterator(folder) == std::filesystem::directory_iterator();
}

// What was there before a bound was made is in what it is above.
TEST(Pages, ABoundIsOnWhatComesAfterIt)
{
    const test::TemporaryFolder folder;
    const PageVector<char> before(100 * mega);
    const std::size_t used = pagesInUse().used;
    const MemoryBound bound(64 * mega, folder.path());
    EXPECT_LT(pagesWithinBound(), mega);
    {
        const MemoryInCore here;
        const PageVector<char> fits(16 * mega);
        EXPECT_GE(pagesWithinBound(), 16 * mega);
        EXPECT_EQ(pagesInUse().used, used + pagesWithinBound());
        EXPECT_THROW(PageVector<char>(64 * mega), std::bad_alloc);
    }
    const PageVector<char> spilled(64 * mega);  // into a file
    EXPECT_LT(pagesWithinBound(), mega);
}

TEST(Mapping, TemporaryLeavesNothingAndKeepsWhatIsDropped)
{
    const test::TemporaryFolder folder;
    {
        const Mapping memory = Mapping::temporary(folder.path(), 40 * mega);
        EXPECT_TRUE(isEmpty(folder.path())) << "the file has no name, so that a kill leaves nothing";
        std::memset(memory.data(), 7, memory.bytes());
        const std::size_t before = residentBytes();
        dropMappedPages([] { return false; });
        EXPECT_LT(residentBytes(), before - 30 * mega);
        for (std::size_t i = 0; i < memory.bytes(); i += 4099)
            ASSERT_EQ(memory.data()[i], std::byte{7});
        std::vector<std::byte> read(100);
        const MappedFile reader(memory.data() + mega);
        ASSERT_TRUE(reader.isMapped());
        memory.data()[mega + 5000 + 3] = std::byte{9};
        reader.read(5000, read.data(), read.size());
        EXPECT_EQ(read[2], std::byte{7});
        EXPECT_EQ(read[3], std::byte{9}) << "what was written is what is read";
        EXPECT_FALSE(MappedFile(read.data()).isMapped());
        EXPECT_FALSE(MappedFile(memory.data() + memory.bytes()).isMapped());
        EXPECT_NE(test::errorOf([&] { reader.read(memory.bytes(), read.data(), read.size()); }), "");
    }
    EXPECT_TRUE(isEmpty(folder.path()));
}

TEST(Mapping, FilesAreMappedAndMade)
{
    const test::TemporaryFolder folder;
    {
        const Mapping made = Mapping::create(folder / "a", 5000);
        std::memset(made.data(), 3, made.bytes());
        EXPECT_NE(test::errorOf([&] { Mapping::create(folder / "a", 10); }), "") << "it is there already";
    }
    const Mapping read = Mapping::ofFile(folder / "a");
    EXPECT_EQ(read.bytes(), 5000U);
    EXPECT_EQ(read.data()[4999], std::byte{3});
    std::ofstream(folder / "empty").close();
    EXPECT_EQ(Mapping::ofFile(folder / "empty").bytes(), 0U);
    EXPECT_NE(test::errorOf([&] { Mapping::ofFile(folder / "none"); }), "");
    EXPECT_NE(test::errorOf([&] { Mapping::ofFile(folder.path()); }), "");
    EXPECT_NE(test::errorOf([&] { Mapping::temporary(folder / "none", 10); }), "");
}

TEST(Mapping, WhatAFileLosesReadsAsZerosAndIsTold)
{
    outliveLostPages();
    const test::TemporaryFolder folder;
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
    for (const char* name : {"shorter", "written", "as it was"}) {
        const Mapping made = Mapping::create(folder / name, 3 * page);
        std::memset(made.data(), 3, made.bytes());
    }
    const Mapping shorter = Mapping::ofFile(folder / "shorter"), written = Mapping::ofFile(folder / "written"),
                  asItWas = Mapping::ofFile(folder / "as it was");
    EXPECT_FALSE(MappedFile(shorter.data()).hasChanged());
    std::filesystem::resize_file(folder / "shorter", page);
    EXPECT_TRUE(MappedFile(shorter.data() + page).hasChanged()) << "before it is touched";
    int sum = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] { EXPECT_EQ(shorter.data()[2 * page + 5], std::byte{0}); });
    for (std::thread& thread : threads)
        thread.join();
    for (std::size_t i = 0; i < shorter.bytes(); ++i)
        sum += static_cast<int>(shorter.data()[i]);
    EXPECT_EQ(sum, 3 * static_cast<int>(page));
    std::filesystem::resize_file(folder / "shorter", 3 * page);
    EXPECT_TRUE(MappedFile(shorter.data()).hasChanged());
    std::filesystem::last_write_time(folder / "written", std::filesystem::file_time_type::clock::now() + std::chrono::seconds(2));
    EXPECT_TRUE(MappedFile(written.data()).hasChanged());
    EXPECT_FALSE(MappedFile(asItWas.data()).hasChanged());
    const Mapping own = Mapping::temporary(folder.path(), page);
    std::memset(own.data(), 3, own.bytes());
    EXPECT_FALSE(MappedFile(own.data()).hasChanged());
}

TEST(Mapping, ADiskWithoutRoomIsASentence)
{
    const test::TemporaryFolder folder;
    const std::string error = test::errorOf([&] { Mapping::create(folder / "large", std::size_t{1} << 52); });
    EXPECT_TRUE(error.starts_with("There is no room for ")) << error;
    EXPECT_TRUE(isEmpty(folder.path()));
}

TEST(Mapping, ACopyOfTheProcessCanMakeOneWhilePagesAreDropped)
{
    const test::TemporaryFolder folder;
    const Mapping memory = Mapping::temporary(folder.path(), mega);
    std::promise<void> begun;
    std::thread drops([&] {
        dropMappedPages([&, isFirst = true]() mutable {
            if (std::exchange(isFirst, false))
                begun.set_value();
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            return true;
        });
    });
    begun.get_future().wait();
    const pid_t copy = fork();
    if (copy == 0) {
        alarm(10);  // for a copy that waits for ever
        Mapping::temporary(folder.path(), mega);
        _exit(0);
    }
    drops.join();
    int status = 0;
    waitpid(copy, &status, 0);
    EXPECT_TRUE(WIFEXITED(status)) << "it waits for a thread that it does not have";
}

TEST(MemoryBound, WhatDoesNotFitLiesInFiles)
{
    giveBackPages();
    const test::TemporaryFolder folder;
    const std::size_t used = pagesInUse().used;
    std::vector<std::pair<unsigned char*, std::size_t>> blocks;
    {
        const MemoryBound bound(128 * mega, folder.path());
        for (int i = 0; i < 40; ++i) {
            const std::size_t bytes = 16 * mega + 4096 * static_cast<std::size_t>(i);
            stayWithinBound();
            blocks.emplace_back(static_cast<unsigned char*>(allocatePages(bytes)), bytes);
            std::memset(blocks.back().first, i, bytes);
        }
        EXPECT_LE(pagesInUse().used - used, 32 * mega + 2 * mega);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            stayWithinBound();
            for (std::size_t at = 0; at < blocks[i].second; at += 4096)
                ASSERT_EQ(blocks[i].first[at], i);
        }
        EXPECT_LE(bound.peakBytes(), bound.bytes());
        EXPECT_GT(bound.peakBytes(), 30 * mega);
        EXPECT_TRUE(isEmpty(folder.path()));
        EXPECT_FALSE(fitsWithinBound(100 * mega));
        EXPECT_EQ(test::errorOf([&] { bound.require(mega, "This"); }), "");
        EXPECT_NE(test::errorOf([&] { bound.require(300 * mega, "This"); }).find("This needs about"), std::string::npos);
    }
    EXPECT_TRUE(fitsWithinBound(100 * mega));
    for (const auto& [memory, bytes] : blocks)
        freePages(memory, bytes);
    EXPECT_EQ(pagesInUse().used, used);
    giveBackPages();
}

// Reads from every page of the program and its libraries that is not written to.
std::size_t touchLibraries()
{
    std::size_t sum = 0;
    const auto touch = [](dl_phdr_info* object, std::size_t, void* all) {
        for (const ElfW(Phdr)* part = object->dlpi_phdr; part != object->dlpi_phdr + object->dlpi_phnum; ++part)
            if (part->p_type == PT_LOAD && (part->p_flags & (PF_R | PF_W)) == PF_R)
                for (std::size_t at = 0; at < part->p_filesz; at += 4096)
                    *static_cast<std::size_t*>(all) += *reinterpret_cast<const volatile unsigned char*>(object->dlpi_addr + part->p_vaddr + at);
        return 0;
    };
    dl_iterate_phdr(touch, &sum);
    return sum;
}

TEST(MemoryBound, PagesThatAreFreeServeALargerRequest)
{
    giveBackPages();
    const test::TemporaryFolder folder;
    const MemoryBound bound(128 * mega, folder.path());
    const MemoryInCore inCore;
    const std::size_t before = residentBytes(), first = 30 * mega, second = 34 * mega;
    void* memory = allocatePages(first);
    std::memset(memory, 1, first);
    freePages(memory, first);
    memory = allocatePages(second);  // not both: less than 64 MB may be used and kept
    EXPECT_GT(residentBytes(), before + 24 * mega) << "what was touched is not taken anew from the system";
    EXPECT_LT(residentBytes(), before + 44 * mega);
    freePages(memory, second);
    giveBackPages();
}

TEST(MemoryBound, PagesOfLibrariesLeaveAndComeBack)
{
    const std::size_t sum = touchLibraries(), before = residentBytes();
    dropLibraryPages();
    EXPECT_LT(residentBytes(), before - mega);
    EXPECT_EQ(touchLibraries(), sum);
    EXPECT_THROW(std::stoi("no number"), std::invalid_argument) << "tables of what unwinds lie there too";
}

TEST(MemoryBound, LibrariesThatGrowAreDroppedWhereTheBoundIsNear)
{
    const test::TemporaryFolder folder;
    touchLibraries();
    const std::size_t all = residentBytes();
    dropLibraryPages();
    const std::size_t grown = all - residentBytes();
    const MemoryBound bound(grown, folder.path());
    touchLibraries();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (residentBytes() > all - grown / 4 && std::chrono::steady_clock::now() < end)
        stayWithinBound();
    EXPECT_LT(residentBytes(), all - grown / 4);
    EXPECT_GT(bound.peakBytes(), grown / 2) << "they had come";
}

TEST(MemoryBound, TheThreadThatWatchesOutlivesALackOfMemory)
{
    const test::TemporaryFolder folder;
    isSpared = true;
    const std::unique_ptr<std::byte[]> memory(new std::byte[40 * mega]);  // untouched as yet
    const MemoryBound bound(16 * mega, folder.path());
    othersGetNothing = true;
    std::memset(memory.get(), 1, 40 * mega);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (refused == 0 && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    othersGetNothing = false;
    EXPECT_GT(refused, 0) << "it wanted none";
    EXPECT_GT(bound.peakBytes(), 30 * mega);
}

// Rows that are added up get as much memory whether pages of libraries happen to be resident or not.
TEST(MemoryBound, LibrariesTakeNothingFromArrays)
{
    giveBackPages();
    const test::TemporaryFolder folder;
    touchLibraries();
    const std::size_t all = residentBytes();
    dropLibraryPages();
    const std::size_t grown = all - residentBytes();
    ASSERT_GT(grown, mega);
    const MemoryBound bound(200 * mega, folder.path());
    const auto room = [] {
        const MemoryForArrays arrays(true);
        return roomInCore();
    };
    const std::size_t without = room();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    std::size_t with = 0;
    while (with + grown / 4 < without && std::chrono::steady_clock::now() < end) {
        touchLibraries();
        with = room();
    }
    EXPECT_GE(with + grown / 4, without);
}

// Of a small bound there is little above what arrays may take.
TEST(MemoryBound, HoldsWhileRowsAreAddedUp)
{
    for (const std::size_t most : {100 * mega, 200 * mega}) {
        giveBackPages();
        const test::TemporaryFolder folder;
        const MemoryBound bound(most, folder.path());
        const MemoryForArrays arrays(true);
        const Mapping rows = Mapping::temporary(folder.path(), 2 * most);
        for (std::size_t at = 0; at < rows.bytes(); at += mega) {
            std::memset(rows.data() + at, 7, mega);
            stayWithinBound();
        }
        EXPECT_LT(bound.peakBytes(), most);
    }
}

TEST(MemoryBound, RowsInFilesLeaveRoomForWhatIsRequired)
{
    giveBackPages();
    const test::TemporaryFolder folder;
    const MemoryBound bound(200 * mega, folder.path());
    const Mapping rows = Mapping::temporary(folder.path(), 80 * mega);
    std::memset(rows.data(), 7, rows.bytes());
    EXPECT_EQ(test::errorOf([&] { bound.require(150 * mega, "This", ""); }), "");
    const std::string refused = test::errorOf([&] { bound.require(210 * mega, "This", "; that helps"); });
    EXPECT_NE(refused.find("This needs about 2"), std::string::npos) << refused;
}

TEST(MemoryBound, WhatMustBeInCoreIsRefused)
{
    giveBackPages();
    const test::TemporaryFolder folder;
    const MemoryBound bound(64 * mega, folder.path());
    {
        const MemoryInCore inCore;
        EXPECT_FALSE(inCore.ranShort());
        EXPECT_THROW(allocatePages(60 * mega), std::bad_alloc);
        EXPECT_TRUE(inCore.ranShort());
        {
            const MemoryAnywhere lasting;
            freePages(allocatePages(60 * mega), 60 * mega);
        }
        EXPECT_THROW(allocatePages(60 * mega), std::bad_alloc);
        std::thread([&] { freePages(allocatePages(60 * mega), 60 * mega); }).join();  // others are not asked to
    }
    const MemoryInCore again;
    EXPECT_FALSE(again.ranShort());
}

TEST(MemoryBound, ThreadsThatWorkForOneAskAsItDoes)
{
    giveBackPages();
    const test::TemporaryFolder folder;
    const MemoryBound bound(64 * mega, folder.path());
    const MemoryInCore inCore;
    {
        MemoryOfCaller memory;
        std::thread([&] {
            {
                const MemoryOfCaller::Here here(memory);
                EXPECT_THROW(allocatePages(60 * mega), std::bad_alloc);
            }
            freePages(allocatePages(60 * mega), 60 * mega);
        }).join();
    }
    EXPECT_TRUE(inCore.ranShort());
    const MemoryInCore again;
    {
        MemoryOfCaller memory;
        std::thread([&] {
            const MemoryOfCaller::Here here(memory);
            freePages(allocatePages(2 * mega), 2 * mega);
        }).join();
    }
    EXPECT_FALSE(again.ranShort());
}

TEST(MemoryBound, AFolderIsNeeded)
{
    EXPECT_NE(test::errorOf([] { MemoryBound(64 * mega, "/nowhere/at/all"); }), "");
    EXPECT_FALSE(pagesAreBound());
}

TEST(ContentHash, TellsContentsApart)
{
    std::vector<std::byte> bytes(100);
    const std::uint64_t zeros = contentHash(bytes);
    EXPECT_EQ(contentHash(bytes), zeros);
    EXPECT_NE(contentHash({bytes.data(), 99}), zeros);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = std::byte{1};
        EXPECT_NE(contentHash(bytes), zeros) << i;
        bytes[i] = std::byte{0};
    }
}

// The array is not copied to stand behind its header.
TEST(MemoryBound, ArchivesAreWrittenFromWhereArraysLie)
{
    const test::TemporaryFolder folder;
    writeNpy(folder / "x.npy", makeArray(DType::Float32, {static_cast<std::int64_t>(24 * mega)}).array);
    const Array x = mapNpy(folder / "x.npy");
    giveBackPages();
    const MemoryBound bound(48 * mega, folder.path());
    writeNpz(folder / "x.npz", {{"x", x}});
    EXPECT_LE(bound.peakBytes(), bound.bytes());
    EXPECT_EQ(readNpz(folder / "x.npz").at("x").bytes(), 96 * mega);
}

}  // namespace
}  // namespace cleave
