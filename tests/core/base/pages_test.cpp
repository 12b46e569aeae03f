#include "core/base/pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <random>
#include <thread>

#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/peak_memory.h"
#include "core/graph/numbering.h"

namespace cleave {

namespace {

constexpr std::size_t mega = std::size_t{1} << 20;

// Blocks of any size are their owner's alone, however they were put together; used and kept memory hardly exceed the most that was used.
TEST(Pages, BlocksDoNotOverlap)
{
    giveBackPages();
    struct Block {
        unsigned char* memory;
        std::size_t bytes;
        unsigned char mark;
    };
    std::mt19937 random(1);
    std::vector<Block> blocks;
    const std::size_t before = pagesInUse().used;
    std::size_t most = 0;
    for (int round = 0; round < 400; ++round) {
        if (blocks.size() < 3 || (blocks.size() < 12 && random() % 2)) {
            const std::size_t sizes[] = {100, 5000, 70'000, mega, 2 * mega, 3 * mega + 17, 9 * mega, 40 * mega};
            const std::size_t bytes = sizes[random() % 8];
            auto* memory = static_cast<unsigned char*>(allocatePages(bytes));
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0U);
            const auto mark = static_cast<unsigned char>(round);
            std::memset(memory, mark, bytes);
            blocks.push_back({memory, bytes, mark});
        } else {
            const std::size_t i = random() % blocks.size();
            for (std::size_t at = 0; at < blocks[i].bytes; at += 4093)
                ASSERT_EQ(blocks[i].memory[at], blocks[i].mark);
            ASSERT_EQ(blocks[i].memory[blocks[i].bytes - 1], blocks[i].mark);
            freePages(blocks[i].memory, blocks[i].bytes);
            blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
        }
        const PagesInUse use = pagesInUse();
        most = std::max(most, use.used);
        EXPECT_LE(use.used + use.kept, most + 32 * mega);
    }
    for (const Block& block : blocks)
        freePages(block.memory, block.bytes);
    EXPECT_EQ(pagesInUse().used, before);
    giveBackPages();
    EXPECT_EQ(pagesInUse().kept, 0U);
}

TEST(Pages, FreedMemoryServesTheNextRequest)
{
    giveBackPages();
    void* large = allocatePages(64 * mega);
    freePages(large, 64 * mega);
    const std::size_t kept = pagesInUse().kept;
    EXPECT_GE(kept, 64 * mega);
    void* small = allocatePages(10 * mega);
    EXPECT_EQ(pagesInUse().kept + pagesInUse().used, kept) << "a part of what was kept";
    freePages(small, 10 * mega);
    giveBackPages();
}

TEST(Pages, ThreadsMayAllocateAtOnce)
{
    parallelFor(200, 4, [](std::int64_t i, int) {
        const std::size_t bytes = 70'000 + static_cast<std::size_t>(i % 7) * mega;
        auto* memory = static_cast<std::int64_t*>(allocatePages(bytes));
        memory[0] = memory[bytes / 8 - 1] = i;
        EXPECT_EQ(memory[0], i);
        freePages(memory, bytes);
    });
}

TEST(Pages, TooMuchIsRefused) { EXPECT_THROW(allocatePages(std::size_t{1} << 60), std::bad_alloc); }

TEST(Numbering, NumbersNodesAsTheyCome)
{
    Numbering numbers;
    EXPECT_EQ(numbers.of(5), -1);
    std::mt19937_64 random(2);
    for (int round = 0; round < 5; ++round) {
        numbers.clear();
        std::vector<std::int64_t> order;
        for (int i = 0; i < 20000; ++i) {
            const auto node = static_cast<std::int64_t>(random() % 5000) * 1'000'003;
            const auto known = std::find(order.begin(), order.end(), node);
            if (order.size() < 300 || i % 100 == 0) {
                EXPECT_EQ(numbers.of(node), known == order.end() ? -1 : known - order.begin());
                EXPECT_EQ(numbers.add(node), known - order.begin());
                if (known == order.end())
                    order.push_back(node);
            }
        }
        EXPECT_EQ(numbers.nodes(), order);
    }
}

// What is used counts, whatever is kept, and only on the thread that has the limit.
TEST(Pages, ALimitIsKept)
{
    giveBackPages();
    void* before = allocatePages(20 * mega);
    {
        const PagesLimit limit(10 * mega);
        void* fits = allocatePages(8 * mega);
        EXPECT_THROW(allocatePages(8 * mega), std::bad_alloc);
        {
            const PagesLimit wider(100 * mega);
            EXPECT_THROW(allocatePages(8 * mega), std::bad_alloc) << "the outer one counts too";
        }
        std::thread([] { freePages(allocatePages(64 * mega), 64 * mega); }).join();
        freePages(fits, 8 * mega);
        freePages(allocatePages(9 * mega), 9 * mega);
    }
    freePages(allocatePages(64 * mega), 64 * mega);
    freePages(before, 20 * mega);
    EXPECT_GT(availableMemory(), 0U);
    EXPECT_LE(availableMemory(), physicalMemory());
    const PagesLimit system = PagesLimit::ofSystem();
    EXPECT_THROW(allocatePages(std::size_t{1} << 46), std::bad_alloc);
    freePages(allocatePages(64 * mega), 64 * mega);
}

// What this thread asks for, and those that work for it or for nobody; not what others do for themselves, nor what was there before.
TEST(PeakMemory, IsOfWhatWorksForOne)
{
    void* before = allocatePages(30 * mega);
    PeakMemory peak;
    const auto take = [](std::size_t bytes) { freePages(allocatePages(bytes), bytes); };
    freePages(before, 30 * mega);
    EXPECT_EQ(peak.bytes(), 0);
    void* kept = allocatePages(5 * mega);
    take(3 * mega);
    EXPECT_EQ(peak.lap(), 8.0 * mega);
    {
        const PeakMemory within;
        take(2 * mega);
        EXPECT_EQ(within.bytes(), 2.0 * mega);
    }
    EXPECT_EQ(peak.lap(), 7.0 * mega) << "what was there when the lap began counts";
    std::thread([&] { take(1 * mega); }).join();
    EXPECT_EQ(peak.lap(), 6.0 * mega);
    const PeakMemory::Work work = PeakMemory::Work::ofThisThread();
    std::thread([&] {
        const PeakMemory::Worker worker(work);
        take(2 * mega);
    }).join();
    EXPECT_EQ(peak.lap(), 7.0 * mega);
    std::thread([&] {
        const PeakMemory own;
        take(64 * mega);
        EXPECT_EQ(own.bytes(), 64.0 * mega);
    }).join();
    EXPECT_EQ(peak.lap(), 5.0 * mega);
    std::thread([&] {
        const PeakMemory::Worker apart(PeakMemory::Work::ofItsOwn());
        parallelFor(8, 3, [&](std::int64_t, int) { take(64 * mega); });
    }).join();
    EXPECT_EQ(peak.lap(), 5.0 * mega) << "threads that work for others beside this one";
    parallelFor(8, 3, [&](std::int64_t, int) { take(1 * mega); });
    EXPECT_GE(peak.lap(), 6.0 * mega);
    EXPECT_LE(peak.lap(), 8.0 * mega);
    take(100);
    EXPECT_EQ(peak.lap(), 5.0 * mega + 100) << "small arrays count";
    freePages(kept, 5 * mega);
    EXPECT_EQ(peak.bytes(), 8.0 * mega);
    int other = 0;
    countMemory(&other, 7);
    forgetMemory(&other);
    EXPECT_EQ(peak.lap(), 5.0 * mega);
    EXPECT_EQ(peak.lap(), 0);
}

}  // namespace

}  // namespace cleave
