#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace cleave::test {

inline std::filesystem::path testDir() { return CLEAVE_TEST_DIR; }
inline std::filesystem::path examplesDir() { return CLEAVE_EXAMPLES_DIR; }
inline std::filesystem::path dataDir() { return CLEAVE_DATA_DIR; }

/// A folder of the running test's own, empty at first and removed at the end.
class TemporaryFolder {
public:
    TemporaryFolder()
    {
        static int count = 0;
        const auto* info = testing::UnitTest::GetInstance()->current_test_info();
        m_path = std::filesystem::path(testing::TempDir()) /
                 ("cleave." + std::to_string(getpid()) + "." + info->test_suite_name() + "." + std::to_string(count++));
        std::filesystem::remove_all(m_path);
        std::filesystem::create_directories(m_path);
    }
    ~TemporaryFolder() { std::filesystem::remove_all(m_path); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::filesystem::path operator/(const std::string& name) const { return m_path / name; }
    const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

inline std::string readText(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void writeText(const std::filesystem::path& path, const std::string& text)
{
    std::ofstream(path, std::ios::binary) << text;
}

/// The sentence that work fails with; empty if it does not fail. Anything else than an Error is a failure of the test.
inline std::string errorOf(const std::function<void()>& work)
{
    try {
        work();
    } catch (const Error& error) {
        std::string text = error.what();
        EXPECT_FALSE(text.empty());
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
        EXPECT_TRUE(text.ends_with(".")) << text;
        EXPECT_LT(text.size(), 1000U) << text;
        return text;
    } catch (const std::exception& other) {
        ADD_FAILURE() << "not an Error: " << other.what();
    }
    return {};
}

}  // namespace cleave::test
