#pragma once

#include <filesystem>
#include <memory>

#include "core/plan/cut.h"

namespace cleave {

struct OpenOptions {
    std::map<std::string, Role> roles;  ///< by name of an input or parameter, instead of the guess
    bool check = true;                  ///< run cut against whole program on two small random graphs and refuse a difference
};

/// A model that was read, analysed, cut and checked. Cheap to copy and safe to share between threads.
struct Model {
    std::shared_ptr<const Analysis> analysis;
    std::shared_ptr<const CutProgram> cut;

    const Program& program() const { return analysis->program; }
};

/// Reads, analyses, cuts and checks a model file. Error with one sentence for whatever cannot be cut exactly.
Model openModel(const std::filesystem::path& path, const OpenOptions& options = {}, const Progress& progress = {});

/// Runs the cut program against the whole program on two small random directed graphs. Error naming the first op whose rows differ.
void checkCut(const Analysis& analysis, const CutProgram& cut, const Progress& progress = {});

std::string libtorchVersion();

}  // namespace cleave
