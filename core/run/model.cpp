#include "core/run/model.h"

#include <torch/version.h>

#include <string>
#include <utility>

#include "core/base/error.h"

#include "core/model/pt2_reader.h"
#include "core/run/probe.h"

namespace cleave {

Model openModel(const std::filesystem::path& path, const OpenOptions& options, const Progress& progress)
{
    Program program = readPt2(path, progress);
    auto analysis = std::make_shared<Analysis>(analyse(std::move(program), {options.roles}, LibTorchEvaluator(), progress));
    std::shared_ptr<const Analysis> traced;
    try {
        auto faster = std::make_shared<Analysis>(rewritten(*analysis, options.rewrites, LibTorchEvaluator(), progress));
        if (!faster->rewrites.empty()) {
            checkRewrites(*analysis, *faster, progress);
            traced = std::exchange(analysis, std::move(faster));
        }
    } catch (const Error& error) {
        analysis->program.notes.push_back(std::string("The program was left as it is: ") + error.what());
    }
    auto cut = std::make_shared<CutProgram>(cutByMessageDegree(*analysis));
    if (options.check)
        checkCut(*analysis, *cut, progress);
    return {std::move(analysis), std::move(cut), std::move(traced)};
}

std::string libtorchVersion()
{
    return TORCH_VERSION;
}

}  // namespace cleave
