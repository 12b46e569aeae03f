// What fuzzing started from and what it found (tests/fuzz), read again by every ordinary run of the tests.
#include <gtest/gtest.h>

#include "tests/core/test_files.h"
#include "tests/fuzz/read_bytes.h"

namespace cleave {
namespace {

TEST(Corpus, EveryFileIsAGraphOrOneSentence)
{
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test::testDir() / "graphs/corpus"))
        if (entry.is_regular_file()) {
            const std::string bytes = test::readText(entry.path()), ending = "." + entry.path().parent_path().filename().string();
            SCOPED_TRACE(entry.path().string());
            EXPECT_NO_THROW(test::readBytes(ending, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
            ++files;
        }
    EXPECT_GT(files, 30);
}

}  // namespace
}  // namespace cleave
