#include "core/run/store_folder.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/run/run.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

using test::errorOf;
using testing::HasSubstr;

const std::vector<std::string> someRun{"the model is this one"};

TEST(StoreFolders, WhatAKillLeavesOfAManifestIsNoOthersFile)
{
    const test::TemporaryFolder folder;
    const auto leave = [&] {
        for (const char* name : {"manifest.json.part4711", "manifest.plan.json.part12"})
            test::writeText(folder / name, "{\"half");
    };
    leave();
    EXPECT_THAT(errorOf([&] { StoreFolder(folder.path(), someRun, {"h"}, true); }), HasSubstr("no manifest.json"));
    EXPECT_EQ(errorOf([&] { StoreFolder(folder.path(), someRun, {"h"}, false); }), "");
    leave();
    EXPECT_EQ(errorOf([&] { StoreFolder(folder.path(), someRun, {"h"}, true); }), "");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "the manifest";
}

TEST(StoreFolders, AreNobodyElses)
{
    const test::TemporaryFolder folder;
    test::writeText(folder / "movie.iso.part", "half a movie");
    EXPECT_THAT(errorOf([&] { StoreFolder(folder.path(), someRun, {"h"}, false); }), HasSubstr("holds other files, such as movie.iso.part: "));
    EXPECT_EQ(test::readText(folder / "movie.iso.part"), "half a movie");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
    std::filesystem::remove(folder / "movie.iso.part");
    test::writeText(folder / "h.npy", "mine");
    EXPECT_THAT(errorOf([&] { StoreFolder(folder.path(), someRun, {"h"}, false); }), HasSubstr("holds other files, such as h.npy: "));
    EXPECT_EQ(test::readText(folder / "h.npy"), "mine");
    std::filesystem::remove(folder / "h.npy");
    test::writeText(folder / std::string(keptPlanName), "{}");
    EXPECT_EQ(errorOf([&] { StoreFolder(folder.path(), someRun, {"h"}, false); }), "") << "the run's own plan";
    EXPECT_EQ(errorOf([&] { StoreFolder(folder / "new", someRun, {"h"}, false); }), "");
    EXPECT_THAT(errorOf([&] { StoreFolder(folder / "new", someRun, {"h"}, false); }), HasSubstr("holds a run already"));
}

TEST(StoreFolders, LoseOnlyWhatTheirRunLeftHalfWritten)
{
    const test::TemporaryFolder folder;
    {
        StoreFolder store(folder / "store", someRun, {"h", "out"}, false);
        store.create("h", {3, 2}, at::kFloat).fill_(4);
        store.finish(0);
        store.create("out", {3, 2}, at::kFloat);
        EXPECT_TRUE(std::filesystem::exists(folder / "store/out.npy.part"));
    }
    test::writeText(folder / "store/movie.iso.part", "half a movie");
    EXPECT_THAT(errorOf([&] { StoreFolder(folder / "store", {"the model is another one"}, {"out"}, true); }),
                HasSubstr("is another one: it is of another model."));
    EXPECT_TRUE(std::filesystem::exists(folder / "store/out.npy.part")) << "the other run's";
    const StoreFolder again(folder / "store", someRun, {"h", "out"}, true);
    EXPECT_FALSE(std::filesystem::exists(folder / "store/out.npy.part"));
    EXPECT_EQ(test::readText(folder / "store/movie.iso.part"), "half a movie");
    EXPECT_TRUE(again.isFinished(0));
    EXPECT_TRUE(again.load("h").equal(at::full({3, 2}, 4, at::kFloat)));
}

TEST(StoreFolders, BelongToOneRunAtATime)
{
    const test::TemporaryFolder folder;
    {
        StoreFolder store(folder.path(), someRun, {"h", "out"}, false);
        store.create("h", {3, 2}, at::kFloat);
        EXPECT_THAT(errorOf([&] { StoreFolder(folder.path(), someRun, {"h", "out"}, true); }), HasSubstr("Another run is at work in "));
        EXPECT_TRUE(std::filesystem::exists(folder / "h.npy.part")) << "it is being written";
        store.finish(0);
    }
    EXPECT_TRUE(StoreFolder(folder.path(), someRun, {"h", "out"}, true).isFinished(0));
}

// Values of wrapped graphs are called "name.value".
TEST(StoreFolders, KeepTensorsOfAlikeNamesApart)
{
    const test::TemporaryFolder folder;
    StoreFolder store(folder.path(), someRun, {"a.b", "a_b"}, false);
    store.create("a.b", {2, 1}, at::kFloat).fill_(1);
    store.create("a_b", {2, 1}, at::kFloat).fill_(2);
    store.finish(0);
    EXPECT_EQ(store.load("a.b").sum().item<float>(), 2);
    EXPECT_EQ(store.load("a_b").sum().item<float>(), 4);
}

// A batch that memory ran short in is run again in halves, and its function asks for its save points once more.
TEST(StoreFolders, GiveWhatIsOpenOnceMore)
{
    const test::TemporaryFolder folder;
    StoreFolder store(folder.path(), someRun, {"h"}, false);
    const at::Tensor first = store.create("h", {3, 2}, at::kFloat);
    first.fill_(1);
    const at::Tensor again = store.create("h", {3, 2}, at::kFloat);
    EXPECT_EQ(again.data_ptr(), first.data_ptr());
    const at::Tensor wider = store.create("h", {3, 4}, at::kFloat);
    ASSERT_EQ(wider.sizes(), at::IntArrayRef({3, 4}));
    wider.fill_(2);
    store.finish(0);
    EXPECT_TRUE(store.load("h").equal(at::full({3, 4}, 2, at::kFloat)));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2) << "the manifest and the array";
}

}  // namespace
}  // namespace cleave
