#pragma once

#include <filesystem>

#include "core/base/progress.h"
#include "core/model/program.h"

namespace cleave {

/// Reads an archive written by torch.export.save (PyTorch 2.1 to 2.14, both layouts) as it stands in the file: in-place ops, checks
/// and dropout are still there. Half precision becomes float32 and devices are dropped, each with a note in Program::notes.
/// Ops outside ATen and Python's arithmetic, higher-order ops, training-mode exports and exports without any dynamic
/// dimension are errors. The file is untrusted: whatever is wrong with it ends in an Error of one sentence.
Program readPt2(const std::filesystem::path& path, const Progress& progress = {});

}  // namespace cleave
