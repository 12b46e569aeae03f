#pragma once

namespace cleave {

/// Declares operators that TorchScript files of newer PyTorch mention in branches for sparse matrices, where this LibTorch lacks them: files can be
/// loaded then, and whoever runs one gets an error.
void declareNewerOperators();

}  // namespace cleave
