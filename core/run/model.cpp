#include "core/run/model.h"

#include <torch/version.h>

#include "core/model/pt2_reader.h"
#include "core/run/probe.h"

namespace cleave {

Model openModel(const std::filesystem::path& path, const OpenOptions& options, const Progress& progress)
{
    Program program = readPt2(path, progress);
    auto analysis = std::make_shared<Analysis>(analyse(std::move(program), {options.roles}, LibTorchEvaluator(), progress));
    auto cut = std::make_shared<CutProgram>(cutByMessageDegree(*analysis));
    if (options.check)
        checkCut(*analysis, *cut, progress);
    return {std::move(analysis), std::move(cut)};
}

std::string libtorchVersion()
{
    return TORCH_VERSION;
}

}  // namespace cleave
