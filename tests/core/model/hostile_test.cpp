// Archives that somebody damaged: each must end in one sentence, or be read as if nothing were wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/zip.h"
#include "core/model/pickle.h"
#include "core/model/pt2_reader.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

using nlohmann::json;
using test::errorOf;

std::filesystem::path original()
{
    return test::testDir() / "models/zoo/sage_mean.pt2";
}

// The archive with one entry's content changed.
void rewrite(const std::filesystem::path& to, const std::string& ending, const std::function<std::string(std::string)>& change)
{
    const ZipReader zip(original());
    std::vector<std::string> contents;
    std::vector<NewZipEntry> entries;
    for (const ZipEntry& entry : zip.entries()) {
        std::string content = zip.readText(entry.name);
        contents.push_back(entry.name.ends_with(ending) ? change(content) : content);
        entries.push_back({entry.name, {}});
    }
    for (std::size_t i = 0; i < entries.size(); ++i)
        entries[i].bytes = std::as_bytes(std::span(contents[i]));
    writeZip(to, entries);
}

TEST(Hostile, EveryFileOfTheCorpusIsRefusedByOneSentence)
{
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(test::testDir() / "models/hostile")) {
        ++files;
        EXPECT_NE(errorOf([&] { readPt2(entry.path()); }), "") << entry.path();
    }
    EXPECT_GE(files, 20);
}

TEST(Hostile, TruncatedArchive)
{
    const test::TemporaryFolder folder;
    const std::string whole = test::readText(original());
    for (std::size_t part = 0; part < 20; ++part) {
        test::writeText(folder / "cut.pt2", whole.substr(0, whole.size() * part / 20));
        EXPECT_NE(errorOf([&] { readPt2(folder / "cut.pt2"); }), "") << part;
    }
}

TEST(Hostile, FlippedBytes)
{
    const test::TemporaryFolder folder;
    const std::string whole = test::readText(original());
    std::mt19937 random(7);
    for (int i = 0; i < 200; ++i) {
        std::string damaged = whole;
        char& byte = damaged[random() % damaged.size()];
        byte = static_cast<char>(byte ^ static_cast<char>(1 + random() % 255));
        test::writeText(folder / "flipped.pt2", damaged);
        errorOf([&] { readPt2(folder / "flipped.pt2"); });
    }
}

// Collects a pointer to every value of the document, once for each place that looks alike.
void collect(json& value, const std::string& shape, std::map<std::string, json*>& places)
{
    places.try_emplace(shape, &value);
    if (value.is_object())
        for (auto& [key, child] : value.items())
            collect(child, shape + "/" + (shape.ends_with("values") ? "*" : key), places);
    else if (value.is_array())
        for (auto& child : value)
            collect(child, shape + "/[]", places);
}

TEST(Hostile, EveryKindOfFieldWithEveryWrongType)
{
    const test::TemporaryFolder folder;
    const ZipReader zip(original());
    for (const std::string ending : {"models/model.json", "model_weights_config.json"}) {
        std::string name;
        for (const ZipEntry& entry : zip.entries())
            if (entry.name.ends_with(ending) || (ending == "models/model.json" && entry.name.find("/models/") != std::string::npos))
                name = entry.name;
        ASSERT_FALSE(name.empty());
        json document = json::parse(zip.readText(name));
        std::map<std::string, json*> places;
        collect(document, "", places);
        // A seeded sample: every field meets some of the wrong types, and all fields together meet all of them.
        std::mt19937 random(5);
        int tried = 0, refused = 0;
        for (auto& [shape, place] : places)
            for (const json& wrong :
                 {json(), json(-1), json(std::int64_t{1} << 62), json(1e300), json("no such name"), json::array({1}), json::object(), json(true)}) {
                if (random() % 4 != 0)
                    continue;
                ++tried;
                json before = std::exchange(*place, wrong);
                rewrite(folder / "wrong.pt2", name, [&](const std::string&) { return document.dump(); });
                refused += !errorOf([&] { readPt2(folder / "wrong.pt2"); }).empty();
                *place = std::move(before);
            }
        EXPECT_GT(refused, tried / 4);
        EXPECT_GT(tried, static_cast<int>(places.size()));
    }
}

TEST(Hostile, WeightsBeyondTheirData)
{
    const test::TemporaryFolder folder;
    rewrite(folder / "short.pt2", "weights/weight_0", [](const std::string& bytes) { return bytes.substr(0, bytes.size() / 2); });
    EXPECT_NE(errorOf([&] { readPt2(folder / "short.pt2"); }).find("reaches beyond"), std::string::npos);
}

TEST(Hostile, NamesThatAreMissingOrTwice)
{
    const test::TemporaryFolder folder;
    const auto change = [&](const std::function<void(json&)>& edit) {
        rewrite(folder / "names.pt2", ".json", [&](const std::string& text) {
            json document = json::parse(text);
            if (document.contains("graph_module"))
                edit(document["graph_module"]["graph"]["nodes"]);
            return document.dump();
        });
        return errorOf([&] { readPt2(folder / "names.pt2"); });
    };
    EXPECT_NE(change([](json& nodes) { nodes.push_back(nodes.front()); }).find("twice"), std::string::npos);
    EXPECT_NE(change([](json& nodes) { std::swap(nodes.front(), nodes.back()); }).find("before anything computes it"), std::string::npos);
    EXPECT_NE(change([](json& nodes) { nodes[1]["target"] = "torch.ops.mylib.foo.default"; }).find("mylib::foo"), std::string::npos);
    EXPECT_NE(change([](json& nodes) { nodes[1]["target"] = "torch.ops.higher_order.cond"; }).find("higher-order"), std::string::npos);
}

TEST(Devices, AreMappedToTheCpuAndNoted)
{
    const test::TemporaryFolder folder;
    rewrite(folder / "cuda.pt2", ".json", [](std::string text) {
        for (std::size_t at = text.find("\"cpu\""); at != std::string::npos; at = text.find("\"cpu\"", at))
            text.replace(at, 5, "\"cuda\"");
        return text;
    });
    rewrite(folder / "plain.pt2", "nothing", [](const std::string& text) { return text; });
    const auto cudaNote = [](const Program& program) {
        return std::ranges::any_of(program.notes, [](const std::string& note) { return note.find("exported on cuda") != std::string::npos; });
    };
    EXPECT_TRUE(cudaNote(readPt2(folder / "cuda.pt2")));
    EXPECT_FALSE(cudaNote(readPt2(folder / "plain.pt2")));
}

TEST(Hostile, NotAModelAtAll)
{
    const test::TemporaryFolder folder;
    test::writeText(folder / "text.pt2", "hello");
    EXPECT_NE(errorOf([&] { readPt2(folder / "text.pt2"); }), "");
    EXPECT_NE(errorOf([&] { readPt2(test::examplesDir() / "cora.npz"); }).find("holds arrays, as a graph's does"), std::string::npos);
    EXPECT_NE(errorOf([&] { readPt2(folder / "missing.pt2"); }), "");
}

std::string pickled(const std::string& code)
{
    const test::TemporaryFolder folder;
    writeZip(folder / "p.pt", {{"p/data.pkl", std::as_bytes(std::span(code))}});
    return test::readText(folder / "p.pt");
}

TEST(Pickle, NeverCallsAnything)
{
    for (const std::string& code :
         {std::string("cos\nsystem\n(X\x02\x00\x00\x00lstR.", 22), std::string("(((((((("), std::string(100000, '(') + ".",
          std::string(200000, ')') + std::string(100000, '\x85') + ".", std::string("\x80\x02}q\x00.", 6), std::string("h\x05.", 3), std::string()}) {
        const std::string archive = pickled(code);
        errorOf([&] { readTensorPickle(std::as_bytes(std::span(archive)), "test"); });
    }
    // Few bytes of a compressed file may name the same object again and again.
    std::string again("\x80\x02}q\x00", 5);
    for (int i = 0; i < 3'000'000; ++i)
        again += std::string("h\x00", 2);
    const std::string many = pickled(again + ".");
    EXPECT_NE(errorOf([&] { readTensorPickle(std::as_bytes(std::span(many)), "test"); }).find("holds too many objects"), std::string::npos);
    const std::string archive = pickled(std::string("cos\nsystem\n(X\x02\x00\x00\x00lstR.", 22));
    EXPECT_NE(errorOf([&] { readTensorPickle(std::as_bytes(std::span(archive)), "test"); }).find("os system"), std::string::npos);
}

}  // namespace
}  // namespace cleave
