#include "core/base/row_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/core/test_files.h"

namespace cleave {
namespace {

constexpr std::int64_t count = 20'000, width = 40;

float entry(std::int64_t row, std::int64_t column)
{
    return static_cast<float>(row * width + column);
}

class RowStreams : public testing::Test {
protected:
    RowStreams()
    {
        auto* entries = reinterpret_cast<float*>(m_file.data());
        for (std::int64_t row = 0; row < count; ++row)
            for (std::int64_t column = 0; column < width; ++column)
                entries[row * width + column] = entry(row, column);
    }

    // All columns, or some of them.
    MappedRows columns(std::int64_t first, std::int64_t last) const
    {
        return {m_file.data() + first * 4, static_cast<std::size_t>(last - first) * 4, width * 4};
    }

private:
    test::TemporaryFolder m_folder;
    Mapping m_file = Mapping::temporary(m_folder.path(), count * width * 4);
};

TEST_F(RowStreams, GiveWhatIsNamedOnceAndInOrder)
{
    std::mt19937 random(2);
    for (const auto& [from, to] : {std::pair<std::int64_t, std::int64_t>{0, count}, {0, 10}, {12'345, 12'350}, {8'000, 16'000}, {count - 1, count}}) {
        std::vector<std::int32_t> index{static_cast<std::int32_t>(to - 1)};
        for (int i = 0; i < 500; ++i)
            index.push_back(static_cast<std::int32_t>(from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from))));
        const std::uint64_t before = fileTraffic().read;
        RowStream stream({columns(0, width), columns(8, 24)}, count, index);
        std::vector<bool> met(count);
        std::int64_t reached = 0;
        while (stream.next()) {
            ASSERT_LE(reached, stream.first());
            ASSERT_LT(stream.first(), stream.last());
            reached = stream.last();
            for (const std::int32_t row : index) {
                if (row < stream.first() || row >= stream.last())
                    continue;
                met[static_cast<std::size_t>(row)] = true;
                const auto* all = static_cast<const float*>(stream.rows()[0]) + (row - stream.first()) * width;
                const auto* some = static_cast<const float*>(stream.rows()[1]) + (row - stream.first()) * width;
                for (std::int64_t column = 0; column < width; ++column)
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

TEST_F(RowStreams, EndBeforeTheirLastPiece)
{
    std::vector<std::int32_t> all(count);
    for (std::int64_t row = 0; row < count; ++row)
        all[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(row);
    RowStream stream({columns(0, width)}, count, all);
    EXPECT_EQ(stream.bytes(), (count + 101) / 102 * 102 * width * 4);
    EXPECT_TRUE(stream.next());
    RowStream none({columns(0, width)}, count, {});
    EXPECT_FALSE(none.next());
}

TEST_F(RowStreams, AFileThatIsTooShortIsASentence)
{
    // Ten rows too many.
    const std::vector<std::int32_t> index{0, count + 9};
    RowStream stream({columns(0, width)}, count + 10, index);
    EXPECT_NE(test::errorOf([&] {
                  while (stream.next()) {
                  }
              }),
              "");
}

}  // namespace
}  // namespace cleave
