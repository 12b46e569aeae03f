// Rows that lie in files, under a bound on memory.
#include "core/run/file_rows.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <random>

#include "core/base/mapping.h"
#include "core/base/memory_bound.h"
#include "core/base/pages.h"
#include "tests/core/run/zoo_files.h"

namespace cleave {
namespace {

using test::mebi;

// 20,000 rows of 40 numbers in a file, under a bound that they do not fit into.
class FileRows : public testing::Test {
protected:
    FileRows() : m_bound(4 * mebi, m_folder.path()), m_file(Mapping::temporary(m_folder.path(), count * 40 * sizeof(float)))
    {
        rows = at::from_blob(m_file.data(), {count, 40}, at::kFloat);
        rows.copy_(expected);
    }
    ~FileRows() override { giveBackPages(); }

    static std::vector<std::int32_t> numbers(std::mt19937& random, std::size_t size, std::int64_t first, std::int64_t last)
    {
        std::vector<std::int32_t> all(size);
        for (std::int32_t& n : all)
            n = static_cast<std::int32_t>(first + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(last - first)));
        return all;
    }

    static constexpr std::int64_t count = 20'000;
    at::Tensor rows, expected = at::arange(count * 40, at::kFloat).view({count, 40});  // made before memory is bound

private:
    test::TemporaryFolder m_folder;
    MemoryBound m_bound;
    Mapping m_file;
};

TEST_F(FileRows, AreReadOnceEachInOrder)
{
    std::mt19937 random(1);
    ASSERT_TRUE(liesInFile(rows));
    EXPECT_FALSE(liesInFile(expected)) << "it is in memory";
    EXPECT_FALSE(liesInFile(rows.narrow(0, 0, 100))) << "so few fit";
    const std::vector<std::int32_t> index = numbers(random, 3000, 5, count);
    const std::uint64_t before = fileTraffic().read;
    const DistinctRows part = readDistinct(rows, index);
    EXPECT_LT(part.rows.size(0), 3000);
    EXPECT_EQ(fileTraffic().read - before, part.rows.nbytes());
    const at::Tensor numbers = at::tensor(at::ArrayRef<std::int32_t>(index));
    EXPECT_TRUE(part.rows.index_select(0, part.index).equal(expected.index_select(0, numbers)));
    EXPECT_TRUE(rowsAt(rows, numbers.to(at::kLong)).equal(expected.index_select(0, numbers)));
    EXPECT_TRUE(rowsFrom(rows, 77, 1000).equal(expected.narrow(0, 77, 1000)));
    EXPECT_TRUE(inMemory(rows).equal(expected));
    EXPECT_ANY_THROW(rowsAt(rows, at::tensor({std::int64_t{3}, std::int64_t{count}})));
    EXPECT_EQ(rowsAt(rows, at::empty({0}, at::kLong)).size(0), 0);
}

TEST_F(FileRows, AreWritten)
{
    const at::Tensor range = at::full({100, 40}, -1.0F);
    writeRows(rows, 50, range);
    expected.narrow(0, 50, 100).copy_(range);
    const at::Tensor ids = at::tensor({3, 19'999, 10'000, 10'001, 10'002, 4}, at::kLong), some = at::arange(240, at::kFloat).view({6, 40});
    writeRows(rows, ids, some);
    expected.index_copy_(0, ids, some);
    EXPECT_TRUE(rows.equal(expected));
}

}  // namespace
}  // namespace cleave
