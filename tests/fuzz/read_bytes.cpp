#include "tests/fuzz/read_bytes.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "core/base/error.h"
#include "core/graph/data_graph.h"
#include "core/plan/profile_graph.h"

namespace cleave::test {

namespace {

namespace fs = std::filesystem;

// Memory where there is a file system in it.
const fs::path& folder()
{
    static const fs::path path = [] {
        fs::path made = (fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path()) / ("cleave-fuzz." + std::to_string(getpid()));
        fs::create_directories(made / "ogb/raw");
        fs::create_directories(made / "ogb/split/s");
        std::atexit([] { fs::remove_all(folder()); });
        return made;
    }();
    return path;
}

void write(const fs::path& path, std::string_view bytes)
{
    std::ofstream(path, std::ios::binary) << bytes;
}

fs::path writeOgb(std::string_view bytes)
{
    for (const char* file :
         {"raw/edge.csv", "raw/num-node-list.csv", "raw/num-edge-list.csv", "raw/node-feat.csv", "raw/node-label.csv", "split/s/train.csv"}) {
        const std::size_t end = bytes.find('\0');
        write(folder() / "ogb" / file, bytes.substr(0, end));
        bytes = end == std::string_view::npos ? std::string_view() : bytes.substr(end + 1);
    }
    return folder() / "ogb";
}

// What is read is written so that it can be read again.
void readProfile(const fs::path& path)
{
    const ProfileGraph graph = readProfileGraph(path);
    writeProfileGraph(folder() / "again", graph);
    const ProfileGraph again = readProfileGraph(folder() / "again");
    if (again.nodes.size() != graph.nodes.size() || again.edges != graph.edges || again.stages != graph.stages ||
        stageTotals(again).size() != graph.stages.size() || toDot(graph).empty())
        std::abort();
}

}  // namespace

void readBytes(const std::string& ending, const std::uint8_t* bytes, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    fs::path path = folder() / ("g" + ending);
    if (ending == ".ogb")
        path = writeOgb(text);
    else
        write(path, text);
    for (const bool undirected : {false, true})
        try {
            if (ending == ".profile")
                readProfile(path);
            else
                readGraph(path, {.split = 0, .undirected = undirected});
        } catch (const Error& error) {
            const std::string_view sentence = error.what();
            if (!sentence.ends_with('.') || sentence.find('\n') != std::string_view::npos)
                std::abort();
        }
}

}  // namespace cleave::test
