#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "core/model/program.h"
#include "tests/core/test_files.h"

namespace cleave::test {

/// An entry of a zoo's index.
struct ZooModel {
    std::string folder, name;           ///< files lie in models/folder: name.pt2, name.npz
    std::string expect;                 ///< "equal", "refused" or "either"
    std::map<std::string, Role> roles;  ///< of inputs whose role cannot be told from the program

    bool isRight() const { return expect == "equal"; }
    std::filesystem::path path() const { return testDir() / "models" / folder / name; }  ///< without an ending
};

inline void PrintTo(const ZooModel& model, std::ostream* out)
{
    *out << model.name;
}

inline std::vector<ZooModel> zooModels(const std::string& folder = "zoo")
{
    std::vector<ZooModel> models;
    for (const auto& entry : nlohmann::json::parse(readText(testDir() / "models" / folder / "index.json"))) {
        models.push_back({folder, entry["name"], entry["expect"], {}});
        if (entry.contains("roles"))
            for (const auto& [name, role] : entry["roles"].items())
                roleFromName(role.get<std::string>(), models.back().roles[name]);
    }
    return models;
}

/// Those that can be cut, as the program alone says.
inline std::vector<ZooModel> rightModels(const std::string& folder = "zoo")
{
    std::vector<ZooModel> models = zooModels(folder);
    std::erase_if(models, [](const ZooModel& model) { return !model.isRight(); });
    return models;
}

}  // namespace cleave::test
