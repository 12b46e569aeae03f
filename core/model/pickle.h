#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "core/model/program.h"

namespace cleave {

/// Reads a file written by torch.save that holds a dictionary of tensors (a state dict). Nothing is ever called: only the few names that
/// rebuild tensors are known, any other is an Error. what names the file in errors.
std::map<std::string, Weight> readTensorPickle(std::span<const std::byte> bytes, const std::string& what);

}  // namespace cleave
