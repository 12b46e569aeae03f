#pragma once

#include <filesystem>
#include <cstdint>
#include <map>
#include <string>

#include "core/base/progress.h"
#include "core/graph/array_shapes.h"
#include "core/model/program.h"

namespace cleave {

/// Whether the file is an archive of torch.jit.save: one with TorchScript's code in it.
bool isTorchScript(const std::filesystem::path& path);

/// What a file may leave open.
struct ScriptOptions {
    /// of inputs, where their names do not say what they are; an optional input that has one is not left out
    std::map<std::string, Role> roles;
    std::map<std::string, std::int64_t> widths;  ///< entries of each row of an input, where neither the weights nor the trace tells
    /// of arrays that inputs will be given: tried first where the trace does not keep its inputs (before PyTorch 2)
    std::map<std::string, ArrayShape> shapes;
};

/// Reads a file written by torch.jit.save (traces and scripts; tried on files of PyTorch 1.13 and 2.14). The model is run on three small random
/// graphs, operator by operator; what it does on all of them is the program, and sizes that follow their numbers of nodes and edges are read as
/// symbols. Error of one sentence for what cannot be read: another course on another graph, sizes or edges of one graph in the trace, operators that
/// are no computation, training mode.
Program readTorchScript(const std::filesystem::path& path, const ScriptOptions& options = {}, const Progress& progress = {});

}  // namespace cleave
