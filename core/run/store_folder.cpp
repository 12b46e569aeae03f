#include "core/run/store_folder.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/memory_bound.h"
#include "core/base/parallel.h"
#include "core/base/stopping.h"
#include "core/graph/npy.h"
#include "core/model/json_view.h"
#include "core/run/run.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

using Json = nlohmann::ordered_json;

constexpr int formatVersion = 3;

std::filesystem::path halfOf(std::filesystem::path path)
{
    path += ".part";
    return path;
}

// What a kill left of a manifest or plan that was being written.
bool isHalfManifest(const std::filesystem::path& file)
{
    const std::string name = file.filename().string();
    return name.starts_with("manifest.json.part") || name.starts_with(std::string(keptPlanName) + ".part");
}

// NumPy has no bfloat16: its bits are kept.
DType typeInFile(at::ScalarType type)
{
    return type == at::kBFloat16 ? DType::Int16 : dtypeOf(type);
}

}  // namespace

std::string StoreFolder::contentOf(const at::Tensor& rows)
{
    constexpr std::size_t atOnce = std::size_t{1} << 24;
    const std::span bytes(static_cast<const std::byte*>(rows.data_ptr()), rows.nbytes());
    std::vector<std::uint64_t> hashes((bytes.size() + atOnce - 1) / atOnce);
    parallelFor(static_cast<std::int64_t>(hashes.size()), at::get_num_threads(), [&](std::int64_t part, int) {
        checkStop();
        stayWithinBound();
        const std::size_t first = static_cast<std::size_t>(part) * atOnce;
        hashes[static_cast<std::size_t>(part)] = contentHash(bytes.subspan(first, std::min(atOnce, bytes.size() - first)));
    });
    return c10::str(rows.sizes()) + " " + std::to_string(contentHash(std::as_bytes(std::span(hashes))));
}

void checkStore(const std::filesystem::path& folder, bool resume)
{
    std::error_code problem;
    const bool holdsRun = std::filesystem::exists(folder / "manifest.json", problem);
    const std::string name = printable(folder.string(), 300);
    if (resume && !holdsRun)
        throw Error("There is no run to go on with in " + name + ": it has no manifest.json.");
    if (resume)
        return;
    if (holdsRun)
        throw Error(name + " holds a run already: go on with it (--resume), or name another folder.");
    for (const auto& file : std::filesystem::directory_iterator(folder, problem))
        if (file.path().filename() != keptPlanName && !isHalfManifest(file.path()))
            throw Error(name + " holds other files, such as " + printable(file.path().filename().string(), 300) +
                        ": a run is kept in a folder of its own, a new or an empty one.");
}

// Of the processes that open it; the lock goes with the process. Some file systems have none.
StoreFolder::Lock::Lock(const std::filesystem::path& folder) : m_folder(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
{
    if (m_folder >= 0 && flock(m_folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(m_folder);
        throw Error("Another run is at work in " + printable(folder.string(), 300) + ": wait for its end, or name another folder.");
    }
}

StoreFolder::Lock::~Lock()
{
    if (m_folder >= 0)
        close(m_folder);
}

StoreFolder::StoreFolder(std::filesystem::path folder, std::vector<std::string> run, const std::set<std::string>& names, bool resume)
    : m_folder(std::move(folder)), m_run(std::move(run))
{
    checkStore(m_folder, resume);
    makeFolder(m_folder);
    m_lock.emplace(m_folder);
    checkStore(m_folder, resume);  // once more: another run may have begun and ended since
    removeHalfManifests();
    if (resume) {
        readManifest();
        removeHalfWritten(names);
    } else {
        writeManifest();
    }
}

void StoreFolder::removeHalfManifests() const
{
    std::error_code problem;
    std::vector<std::filesystem::path> halves;
    for (const auto& file : std::filesystem::directory_iterator(m_folder, problem))
        if (isHalfManifest(file.path()))
            halves.push_back(file.path());
    for (const std::filesystem::path& half : halves)
        std::filesystem::remove(half, problem);
}

void StoreFolder::removeHalfWritten(const std::set<std::string>& names) const
{
    std::error_code problem;
    for (const std::string& name : names)
        std::filesystem::remove(halfOf(pathOf(name)), problem);
}

namespace {

// Checksums tell that two runs differ, and nobody what of.
std::string whatDiffers(const std::string& there, const std::string& here)
{
    constexpr std::array known{
        std::pair<std::string_view, std::string_view>{"the model is ", "it is of another model"},
        std::pair<std::string_view, std::string_view>{"the plan ", "it follows another plan, or other rewrites of the program"},
        std::pair<std::string_view, std::string_view>{"the nodes asked for ", "it is for other nodes"},
        std::pair<std::string_view, std::string_view>{"all nodes are asked for", "it is for some of the nodes"}};
    for (const auto& [begin, sentence] : known)
        if (here.starts_with(begin))
            return std::string(sentence);
    const std::size_t name = here.find("' is ");
    if (here.starts_with("input '") && name != std::string::npos)
        return here.substr(0, name + 1) + " was another one";
    return "there, " + printable(there) + "; here, " + here;
}

}  // namespace

void StoreFolder::readManifest()
{
    const std::filesystem::path path = m_folder / "manifest.json";
    const std::vector<std::byte> bytes = readFile(path, mostOfText);
    const nlohmann::json json = parseJson({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
    const JsonView file(json, path.filename().string());
    if (file.at("cleave_store").integer() != formatVersion)
        throw Error(printable(path.string(), 300) + " is of a version that this program does not read.");
    std::vector<std::string> run;
    for (const JsonView& line : file.at("run").items())
        run.push_back(line.text());
    for (std::size_t i = 0; i < std::max(run.size(), m_run.size()); ++i)
        if (i >= run.size() || i >= m_run.size() || run[i] != m_run[i])
            throw Error("The run in " + printable(m_folder.string(), 300) + " is another one: " +
                        whatDiffers(i < run.size() ? run[i] : "nothing is said", i < m_run.size() ? m_run[i] : "nothing is said") + ".");
    for (const JsonView& function : file.at("finished").items())
        m_finished.insert(static_cast<std::size_t>(function.integer()));
    for (const auto& [name, array] : file.at("arrays").members()) {
        const DType dtype = dtypeFromName(array.at("type").text());
        if (dtype == DType::Unknown)
            array.at("type").fail("a type of numbers");
        m_stored.emplace(name, Kept{scalarType(dtype), array.at("content").text()});
    }
}

void StoreFolder::writeManifest() const
{
    Json arrays = Json::object();
    for (const auto& [name, kept] : m_stored)
        arrays[name] = {{"type", dtypeName(dtypeOf(kept.type))}, {"content", kept.content}};
    const Json json{{"cleave_store", formatVersion}, {"run", m_run}, {"finished", m_finished}, {"arrays", arrays}};
    writeText(m_folder / "manifest.json", json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::filesystem::path StoreFolder::pathOf(const std::filesystem::path& folder, const std::string& name)
{
    const auto isPlain = [](char c) { return c == '_' || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    std::string plain;
    for (const char c : name)
        plain += isPlain(c) ? std::string(1, c) : "%" + toHex(std::as_bytes(std::span(&c, 1)));
    return folder / (plain + ".npy");
}

at::Tensor StoreFolder::create(const std::string& name, const std::vector<std::int64_t>& sizes, at::ScalarType type)
{
    const std::filesystem::path path = halfOf(pathOf(name));
    if (const auto open = std::ranges::find(m_open, name, &File::name); open != m_open.end()) {
        if (open->type == type && open->rows.sizes() == at::IntArrayRef(sizes))
            return open->rows;
        std::error_code problem;
        std::filesystem::remove(path, problem);
        m_open.erase(open);
    }
    Array empty{typeInFile(type), sizes, nullptr};
    const std::string header = npyHeader(empty);
    const auto file = std::make_shared<Mapping>(Mapping::create(path, header.size() + empty.bytes()));
    std::memcpy(file->data(), header.data(), header.size());
    const at::Tensor rows = at::from_blob(file->data() + header.size(), sizes, [file](void*) {}, at::TensorOptions(type));
    m_open.push_back({name, type, path, rows});
    return rows;
}

void StoreFolder::finish(std::size_t function)
{
    for (const File& file : m_open) {
        const std::string content = contentOf(file.rows);
        reachDisk(file.path, pathOf(file.name));
        std::error_code problem;
        std::filesystem::rename(file.path, pathOf(file.name), problem);
        if (problem)
            throw Error(printable(file.path.string(), 300) + " cannot be renamed: " + problem.message() + ".");
        m_stored.insert_or_assign(file.name, Kept{file.type, content});
    }
    reachDisk(m_folder, m_folder);  // the names, before the manifest has them
    m_open.clear();
    m_finished.insert(function);
    writeManifest();
}

void StoreFolder::throwChanged(const std::string& name) const
{
    throw Error(printable(pathOf(name).string(), 300) + " is not as the run left it: begin a new one in another folder.");
}

at::Tensor StoreFolder::load(const std::string& name) const
{
    const auto known = m_stored.find(name);
    if (known == m_stored.end())
        throw Error("The run in " + printable(m_folder.string(), 300) + " has no '" + printable(name) +
                    "', which its functions that are done would have made.");
    const Array array = mapNpy(pathOf(name));
    const at::Tensor tensor = toTensor(array);
    if (array.dtype != typeInFile(known->second.type) || contentOf(tensor) != known->second.content)
        throwChanged(name);
    return known->second.type == at::kBFloat16 ? tensor.view(at::kBFloat16) : tensor;
}

}  // namespace cleave
