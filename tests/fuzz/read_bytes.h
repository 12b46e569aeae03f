#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cleave::test {

/// Reads bytes as a graph file of this ending (".txt"), or as the parts of a folder of the Open Graph Benchmark (".ogb": texts with NUL bytes between
/// them), or as a profile graph (".profile"). An Error is an answer; whatever else happens is a finding.
void readBytes(const std::string& ending, const std::uint8_t* bytes, std::size_t size);

}  // namespace cleave::test
