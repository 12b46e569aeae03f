#pragma once

#include <filesystem>

namespace cleave {

/// Looks through an untrusted archive of torch.jit.save before LibTorch, which trusts its files, reads it: entries unpack, pickles keep to their
/// stack, code is not nested without bound and defines nothing that loading would run. Error of one sentence for what does not pass.
void screenTorchScript(const std::filesystem::path& path);

}  // namespace cleave
