#include "core/base/row_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>

#include "core/base/row_set.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

constexpr std::int64_t rowCount = 20'000, rowWidth = 40;

float entry(std::int64_t row, std::int64_t column)
{
    return static_cast<float>(row * rowWidth + column);
}

class RowStreams : public testing::Test {
protected:
    RowStreams()
    {
        auto* entries = reinterpret_cast<float*>(m_file.data());
        for (std::int64_t row = 0; row < rowCount; ++row)
            for (std::int64_t column = 0; column < rowWidth; ++column)
                entries[row * rowWidth + column] = entry(row, column);
    }

    // All columns, or some of them.
    MappedRows columns(std::int64_t first, std::int64_t last) const
    {
        return {m_file.data() + first * 4, static_cast<std::size_t>(last - first) * 4, rowWidth * 4};
    }

    static constexpr std::int64_t manyRows = 130'000;
    const std::filesystem::path& folder() const { return m_folder.path(); }

private:
    test::TemporaryFolder m_folder;
    Mapping m_file = Mapping::temporary(m_folder.path(), rowCount * rowWidth * 4);
};

TEST_F(RowStreams, GiveWhatIsNamedOnceAndInOrder)
{
    std::mt19937 random(2);
    for (const auto& [from, to] :
         {std::pair<std::int64_t, std::int64_t>{0, rowCount}, {0, 10}, {12'345, 12'350}, {8'000, 16'000}, {rowCount - 1, rowCount}}) {
        std::vector<std::int32_t> index{static_cast<std::int32_t>(to - 1)};
        for (int i = 0; i < 500; ++i)
            index.push_back(static_cast<std::int32_t>(from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from))));
        const std::uint64_t before = fileTraffic().read;
        RowStream stream({columns(0, rowWidth), columns(8, 24)}, rowCount, index);
        std::vector<bool> met(rowCount);
        std::int64_t reached = 0;
        while (stream.next()) {
            ASSERT_LE(reached, stream.first());
            ASSERT_LT(stream.first(), stream.last());
            reached = stream.last();
            for (const std::int32_t row : index) {
                if (row < stream.first() || row >= stream.last())
                    continue;
                met[static_cast<std::size_t>(row)] = true;
                const auto* all = static_cast<const float*>(stream.rows()[0]) + (row - stream.first()) * rowWidth;
                const auto* some = static_cast<const float*>(stream.rows()[1]) + (row - stream.first()) * rowWidth;
                for (std::int64_t column = 0; column < rowWidth; ++column)
                    ASSERT_EQ(all[column], entry(row, column));
                for (std::int64_t column = 0; column < 16; ++column)
                    ASSERT_EQ(some[column], entry(row, 8 + column));
            }
        }
        EXPECT_TRUE(std::ranges::all_of(index, [&](std::int32_t row) { return met[static_cast<std::size_t>(row)]; }));
        EXPECT_FALSE(stream.next()) << "there is no more";
        const std::uint64_t read = fileTraffic().read - before;
        EXPECT_LE(read, static_cast<std::uint64_t>(stream.bytes()) * 5) << "gaps are small";
        if (to - from < 100) {
            EXPECT_LT(read, 200'000U) << "rows that nobody asks for";
        }
    }
}

TEST_F(RowStreams, ComeInSmallerPiecesWhereRowsAreNamedOften)
{
    std::vector<std::int32_t> index(2'000'000, 10);
    for (std::int64_t row = 0; row < rowCount; ++row)
        index.push_back(static_cast<std::int32_t>(row));
    const RowStream stream({columns(0, rowWidth)}, rowCount, index);
    const RowPieces& pieces = stream.pieces();
    ASSERT_GT(pieces.count(), 1);
    EXPECT_LT(pieces.last(0) - pieces.first(0), pieces.last(1) - pieces.first(1));
    std::int64_t reached = 0;
    for (std::int64_t piece = 0; piece < pieces.count(); ++piece) {
        ASSERT_EQ(pieces.first(piece), reached);
        for (reached = pieces.first(piece); reached < pieces.last(piece); ++reached)
            ASSERT_EQ(pieces.of(reached), piece);
    }
    EXPECT_EQ(reached, rowCount);
}

TEST_F(RowStreams, ComeInLargerPiecesWhereThereIsMemory)
{
    std::vector<std::int32_t> index;
    for (std::int64_t row = 0; row < manyRows; ++row)
        index.push_back(static_cast<std::int32_t>(row));
    Mapping file = Mapping::temporary(folder(), manyRows * 1024);
    for (std::int64_t row = 0; row < manyRows; ++row)
        std::memcpy(file.data() + row * 1024, &row, sizeof row);
    std::vector<std::int64_t> counts;
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{6} << 20, std::size_t{1} << 40}) {
        RowStream stream({{file.data(), 1024, 1024}}, manyRows, index, 2, bytes);
        counts.push_back(stream.pieces().count());
        // Entries that come with them are many where rows are few.
        std::vector<std::int64_t> begins{0};
        std::vector<std::uint32_t> entries;
        for (std::int64_t piece = 0; piece < stream.pieces().count(); ++piece) {
            entries.resize(entries.size() + static_cast<std::size_t>(piece % 3 * 1000 + 1), static_cast<std::uint32_t>(piece));
            begins.push_back(static_cast<std::int64_t>(entries.size()));
        }
        Mapping other = Mapping::temporary(folder(), entries.size() * sizeof entries.front());
        std::memcpy(other.data(), entries.data(), other.bytes());
        stream.addPieces({other.data(), sizeof entries.front(), &begins});
        stream.addPieces({entries.data(), sizeof entries.front(), &begins});
        std::int64_t next = 0;
        while (stream.next()) {
            for (std::int64_t row = stream.first(); row < stream.last(); ++row, ++next) {
                std::int64_t number = -1;
                std::memcpy(&number, static_cast<const std::byte*>(stream.rows().front()) + (row - stream.first()) * 1024, sizeof number);
                ASSERT_EQ(number, next);
            }
            const auto piece = static_cast<std::size_t>(stream.piece());
            for (const void* const given : stream.entries())
                for (std::int64_t i = 0; i < begins[piece + 1] - begins[piece]; ++i)
                    ASSERT_EQ(static_cast<const std::uint32_t*>(given)[i], piece);
        }
        EXPECT_EQ(next, manyRows);
    }
    EXPECT_GT(counts[0], counts[1]);
    EXPECT_GT(counts[1], counts[2]);
    EXPECT_GE(counts[2], 16) << "the first piece is soon there";
}

// The next pieces are being read when the work on one ends early.
TEST_F(RowStreams, EndBeforeWhatComesWithTheRowsGoes)
{
    std::vector<std::int32_t> index;
    for (std::int64_t row = 0; row < manyRows; ++row)
        index.push_back(static_cast<std::int32_t>(row));
    const Mapping file = Mapping::temporary(folder(), manyRows * 1024);
    for (int round = 0; round < 20; ++round) {
        RowStream stream({{file.data(), 1024, 1024}}, manyRows, index);
        {
            const std::vector<std::int64_t> begins(static_cast<std::size_t>(stream.pieces().count()) + 1);
            const Mapping entries = Mapping::temporary(folder(), 4096);
            stream.addPieces({entries.data(), 4, &begins});
            ASSERT_TRUE(stream.next());
            stream.end();
        }
        stream.end();
    }
}

TEST_F(RowStreams, WhatIsForgottenCanBeReadAgain)
{
    const MappedFile file(columns(0, rowWidth).data);
    constexpr std::size_t bytes = rowCount * rowWidth * sizeof(float);
    EXPECT_EQ(file.bytesInMemory(bytes), bytes) << "it has just been written";
    file.forget(0, bytes);
    float last = 0;
    file.read(bytes - sizeof last, &last, sizeof last);
    EXPECT_EQ(last, entry(rowCount - 1, rowWidth - 1));
    EXPECT_EQ(file.bytesInMemory(bytes * 100), bytes * 100) << "nobody knows";
}

TEST(RowSets, CountWhatComesBefore)
{
    std::mt19937 random(5);
    for (const std::int64_t rows : {1, 63, 64, 65, 1000, 100'000})
        for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, rows / 3, 4 * rows}) {
            std::vector<std::int32_t> named;
            for (std::int64_t i = 0; i < count; ++i)
                named.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(rows)));
            const std::set<std::int32_t> expected(named.begin(), named.end());
            const RowSet set(named, rows, 3);
            std::int64_t before = 0;
            for (std::int64_t row = 0; row < rows; ++row) {
                ASSERT_EQ(set.contains(row), expected.contains(static_cast<std::int32_t>(row)));
                ASSERT_EQ(set.before(row), before);
                before += set.contains(row);
            }
            ASSERT_EQ(set.before(rows), before);
            const std::int64_t first = static_cast<std::int64_t>(random()) % rows,
                               last = first + static_cast<std::int64_t>(random()) % (rows - first + 1);
            std::vector<std::int32_t> between;
            for (const std::int32_t row : expected)
                if (row >= first && row < last)
                    between.push_back(static_cast<std::int32_t>(row - first));
            ASSERT_EQ(set.between(first, last), between);
        }
}

TEST_F(RowStreams, EndBeforeTheirLastPiece)
{
    std::vector<std::int32_t> all(rowCount);
    for (std::int64_t row = 0; row < rowCount; ++row)
        all[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(row);
    RowStream stream({columns(0, rowWidth)}, rowCount, all);
    EXPECT_EQ(stream.bytes(), (rowCount + 63) / 64 * 64 * rowWidth * 4);
    EXPECT_TRUE(stream.next());
    RowStream none({columns(0, rowWidth)}, rowCount, {});
    EXPECT_FALSE(none.next());
}

TEST_F(RowStreams, AFileThatIsTooShortIsASentence)
{
    // Ten rows too many.
    const std::vector<std::int32_t> index{0, rowCount + 9};
    RowStream stream({columns(0, rowWidth)}, rowCount + 10, index);
    EXPECT_NE(test::errorOf([&] {
                  while (stream.next()) {
                  }
              }),
              "");
}

}  // namespace
}  // namespace cleave
