#include "core/base/error.h"
#include "core/graph/clusters.h"

namespace cleave {

bool hasClusters() { return false; }

std::vector<std::int64_t> clustersOf(std::span<const std::int64_t>, std::span<const std::int32_t>, std::int64_t)
{
    throw Error("This build of Cleave cannot order nodes by METIS: it was made without it; choose another node order.");
}

}  // namespace cleave
