#include "core/base/trial.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <vector>

#include "core/base/error.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

TEST(Trial, ReturnsWhatTheWorkDid)
{
    int changed = 0;
    std::vector<double> fractions;
    Progress progress;
    progress.report = [&](double fraction, std::string_view what) {
        EXPECT_EQ(what, "Working");
        fractions.push_back(fraction);
    };
    tryInCopy(
        [&](const Progress& copied) {
            changed = 1;
            copied.update(0.25, "Working");
            copied.update(0.5, "Working");
        },
        "It ended.", progress);
    EXPECT_EQ(changed, 0) << "the work changes only the copy";
    EXPECT_EQ(fractions, (std::vector<double>{0.25, 0.5}));
    EXPECT_EQ(test::errorOf([] { tryInCopy([](const Progress&) { throw Error("No such thing."); }, "It ended.", {}); }), "No such thing.");
}

TEST(Trial, WhatEndsTheCopyIsASentence)
{
    for (const std::function<void(const Progress&)>& work :
         std::vector<std::function<void(const Progress&)>>{[](const Progress&) { raise(SIGSEGV); }, [](const Progress&) { std::abort(); },
                                                           [](const Progress&) { _exit(0); }, [](const Progress&) { throw 7; }})
        EXPECT_EQ(test::errorOf([&] { tryInCopy(work, "It ended.", {}); }), "It ended.");
}

TEST(Trial, IsCancelledAtOnce)
{
    std::stop_source stop;
    const auto start = std::chrono::steady_clock::now();
    const auto endless = [](const Progress& copied) {
        copied.update(0, "Working");
        for (;;)
            pause();
    };
    EXPECT_THROW(tryInCopy(endless, "It ended.", {stop.get_token(), [&](double, std::string_view) { stop.request_stop(); }}), Cancelled);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace cleave
