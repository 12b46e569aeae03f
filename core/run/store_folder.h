#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/mapping.h"

namespace cleave {

/// A folder that keeps the save points of a run, each as a .npy file, and says in manifest.json which functions are done: a run that was
/// interrupted goes on there. Files of a function that is not done end in .part.
class StoreFolder {
public:
    /// run: what must be the same for a run to go on, one line of text for each thing. names: all that the run saves. A new folder must be empty, but
    /// for the plan that is kept beside the run, so that nothing in it is anybody else's; one to resume must hold this run, and what of these names
    /// is half written there is removed. Error otherwise, and where another run is at work there.
    StoreFolder(std::filesystem::path folder, std::vector<std::string> run, const std::set<std::string>& names, bool resume);

    /// Where a folder keeps the tensor of this name.
    static std::filesystem::path pathOf(const std::filesystem::path& folder, const std::string& name);

    /// A tensor whose memory is a file of the folder, to be filled by a function that is not done. The same once more for a name that the function
    /// has asked for already.
    at::Tensor create(const std::string& name, const std::vector<std::int64_t>& sizes, at::ScalarType type);

    /// The function's files are complete: from now on they are kept.
    void finish(std::size_t function);

    bool isFinished(std::size_t function) const { return m_finished.contains(function); }
    at::Tensor load(const std::string& name) const;  ///< of a function that is done. Error if its file is not as it was then
    [[noreturn]] void throwChanged(const std::string& name) const;

    /// Sizes and hash of a tensor, in parts, so that it can be stopped and a bound on memory is kept.
    static std::string contentOf(const at::Tensor& rows);

private:
    struct Kept {
        at::ScalarType type;
        std::string content;  // size and hash
    };

    struct File {
        std::string name;
        at::ScalarType type;
        std::filesystem::path path;
        at::Tensor rows;
    };

    /// The folder, locked for as long as this lives.
    class Lock {
    public:
        explicit Lock(const std::filesystem::path& folder);
        ~Lock();
        Lock(const Lock&) = delete;
        Lock& operator=(const Lock&) = delete;

    private:
        int m_folder;
    };

    void readManifest();
    void removeHalfManifests() const;
    void removeHalfWritten(const std::set<std::string>& names) const;
    void writeManifest() const;
    std::filesystem::path pathOf(const std::string& name) const { return pathOf(m_folder, name); }

    std::filesystem::path m_folder;
    std::optional<Lock> m_lock;
    std::vector<std::string> m_run;
    std::set<std::size_t> m_finished;
    std::map<std::string, Kept> m_stored;
    std::vector<File> m_open;
};

}  // namespace cleave
