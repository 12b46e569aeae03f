#include "core/run/side_by_side.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "core/base/pages.h"

namespace cleave {
namespace {

// OpenBLAS, if the process has it and it takes two threads.
class BlasThreads : public testing::Test {
protected:
    void SetUp() override
    {
        if (!m_get || !m_set)
            GTEST_SKIP() << "this LibTorch has another BLAS";
        m_before = m_get();
        m_set(2);
        if (m_get() != 2)
            GTEST_SKIP() << "this OpenBLAS has one thread";
    }
    void TearDown() override
    {
        if (m_before > 0)
            m_set(m_before);
    }

    int now() const { return m_get(); }

private:
    int (*m_get)() = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
    void (*m_set)(int) = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
    int m_before = 0;
};

// Or one batch would take what the system has left.
TEST(BatchesSideBySide, AreLimitedAsTheirCallerIs)
{
    constexpr std::size_t few = std::size_t{64} << 20;
    const PagesLimit limit(few);
    const SideBySide side;
    bool isRefused = false, mayTakeLess = false;
    std::thread([&] {
        const SideBySide::Thread own(side);
        mayTakeLess = !PageVector<char>(few / 2).empty();
        try {
            const PageVector<char> tooMany(2 * few);
        } catch (const std::bad_alloc&) {
            isRefused = true;
        }
    }).join();
    EXPECT_TRUE(isRefused && mayTakeLess);
    std::thread([&] { EXPECT_EQ(PageVector<char>(2 * few).size(), 2 * few); }).join();
}

// As runs do that begin and end on threads of their own.
TEST_F(BlasThreads, ComeBackWithTheLastThatLeft)
{
    auto first = std::make_unique<OneBlasThread>();
    EXPECT_EQ(now(), 1);
    auto second = std::make_unique<OneBlasThread>();
    first.reset();
    EXPECT_EQ(now(), 1) << "somebody wants one still";
    second.reset();
    EXPECT_EQ(now(), 2);
    auto side = std::make_unique<SideBySide>();
    second = std::make_unique<OneBlasThread>();
    side.reset();
    EXPECT_EQ(now(), 1);
    second.reset();
    EXPECT_EQ(now(), 2);
}

TEST_F(BlasThreads, AreCountedAcrossThreads)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([] {
            for (int j = 0; j < 200; ++j)
                const OneBlasThread one;
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(now(), 2);
}

}  // namespace
}  // namespace cleave
