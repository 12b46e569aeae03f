#include "core/run/dense.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <future>

#include "core/run/bind.h"

namespace cleave {

namespace {

class Products : public testing::Test {
protected:
    void TearDown() override { useDense(Dense::Auto); }

    void expectAsLibTorch(const at::Tensor& input, const at::Tensor& matrix, const at::Tensor& bias = {})
    {
        const at::Tensor right = bias.defined() ? at::addmm(bias, input, matrix) : at::matmul(input, matrix);
        for (const Dense dense : {Dense::OneDnn, Dense::Blas, Dense::Auto}) {
            useDense(dense);
            const at::Tensor found = denseMatmul(input, matrix, bias);
            EXPECT_EQ(found.sizes(), right.sizes());
            EXPECT_EQ(found.scalar_type(), right.scalar_type());
            EXPECT_TRUE(at::allclose(found, right, 1e-4, 1e-5));
        }
    }
};

TEST_F(Products, AreThoseOfLibTorchHoweverMatricesLie)
{
    const at::Tensor rows = at::randn({37, 12}), matrix = at::randn({12, 5}), bias = at::randn({5});
    expectAsLibTorch(rows, matrix);
    expectAsLibTorch(rows, at::randn({5, 12}).t());
    expectAsLibTorch(rows, at::randn({12, 10}).slice(1, 0, 10, 2));
    expectAsLibTorch(rows, at::randn({12, 1}));
    expectAsLibTorch(at::randn({12, 37}).t(), matrix);
    expectAsLibTorch(at::randn({37, 24}).slice(1, 3, 15), matrix);
    expectAsLibTorch(rows, matrix, bias);
    expectAsLibTorch(rows, at::randn({5, 12}).t(), bias);
    expectAsLibTorch(rows, matrix, at::randn({37, 5}));
    expectAsLibTorch(rows, matrix, at::randn({1}));
}

TEST_F(Products, OfOtherDimensionsAndTypesAreLeftToLibTorch)
{
    expectAsLibTorch(at::randn({3, 7, 12}), at::randn({12, 5}));
    expectAsLibTorch(at::randn({3, 7, 12}), at::randn({3, 12, 5}));
    expectAsLibTorch(at::randn({12}), at::randn({12, 5}));
    expectAsLibTorch(at::randn({7, 12}), at::randn({12}));
    expectAsLibTorch(at::randn({0, 12}), at::randn({12, 5}));
    expectAsLibTorch(at::randn({7, 0}), at::randn({0, 5}));
    expectAsLibTorch(at::randn({7, 12}, at::kDouble), at::randn({12, 5}, at::kDouble));
}

// The first batch runs alone, the others on all threads.
TEST(BatchSizes, OfSmallGraphsLeaveNoThreadIdleForLong)
{
    for (const int threads : {1, 2, 7}) {
        RunOptions options;
        options.threads = threads;
        EXPECT_EQ(chosenBatchSize(2708, 5, options), 2708) << "over in a moment";
        const std::int64_t nodes = 4096 * (4 * threads + 1), size = chosenBatchSize(nodes, 5, options);
        EXPECT_GE((nodes + size - 1) / size, 4 * threads + 1);
        EXPECT_EQ(std::async(std::launch::async, [&] { return chosenBatchSize(nodes, 5, options); }).get(), size) << "in whatever thread";
        EXPECT_GE(chosenBatchSize(6000, 5, options), 1024);
        EXPECT_EQ(chosenBatchSize(10'000'000, 5, options), (1 << 15) / 5);
        options.kernels = Kernels::None;
        EXPECT_EQ(chosenBatchSize(18'000, 5, options), 18'000) << "operators of LibTorch take long to call";
    }
}

}  // namespace

}  // namespace cleave
