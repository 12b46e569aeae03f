#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <string>

#include "core/base/progress.h"
#include "core/model/program.h"

namespace cleave {

/// What a PT2 archive holds, whatever its layout: the exported program as JSON, and tensors by their full name.
struct Pt2Archive {
    nlohmann::json program;
    std::map<std::string, Weight> weights;    ///< parameters and persistent buffers
    std::map<std::string, Weight> constants;  ///< tensor constants and other buffers
    bool halfPrecision = false;               ///< some weights were float16 and are float32 now
};

/// Reads the layout of PyTorch up to 2.7 (serialized_exported_program.json) or from 2.8 on (models/model.json). Every element of
/// every weight lies in its storage.
Pt2Archive readPt2Archive(const std::filesystem::path& path, const Progress& progress);

/// The element type that is computed with here for one in the archive: float32 for float16. Error for types that Cleave does not know.
DType readDType(std::int64_t serialized, const std::string& what);

}  // namespace cleave
