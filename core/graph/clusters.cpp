#include "core/graph/clusters.h"

#include <metis.h>

#include <limits>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/memory_bound.h"

namespace cleave {

namespace {

// What METIS takes was measured: 26 to 64 bytes for each neighbour, most where hubs let it make no smaller graphs, and it is given copies.
std::size_t metisBytes(std::size_t neighbours, std::size_t nodes)
{
    constexpr std::size_t forNeighbour = 70, forNode = 64;
    return forNeighbour * neighbours + forNode * nodes;
}

}  // namespace

bool hasClusters() { return true; }

std::vector<std::int64_t> clustersOf(std::span<const std::int64_t> begin, std::span<const std::int32_t> neighbours, std::int64_t parts)
{
    constexpr std::int64_t most = std::numeric_limits<idx_t>::max();
    const std::int64_t numNodes = static_cast<std::int64_t>(begin.size()) - 1;
    if (static_cast<std::int64_t>(neighbours.size()) > most || numNodes >= most)
        throw Error("METIS cannot order a graph with " + formatCount(static_cast<std::int64_t>(neighbours.size()) / 2) +
                    " edges; choose another node order.");
    if (parts <= 1)
        return std::vector<std::int64_t>(static_cast<std::size_t>(numNodes));
    requireWithinBound(metisBytes(neighbours.size(), begin.size()), "Ordering " + formatCount(numNodes) + " nodes by METIS",
                       "; choose another node order");
    std::vector<idx_t> begins(begin.begin(), begin.end()), nodes(neighbours.begin(), neighbours.end()), found(static_cast<std::size_t>(numNodes));
    idx_t count = static_cast<idx_t>(numNodes), constraints = 1, wanted = static_cast<idx_t>(parts), cut = 0;
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    const int status = METIS_PartGraphKway(&count, &constraints, begins.data(), nodes.data(), nullptr, nullptr, nullptr, &wanted, nullptr, nullptr,
                                           options, &cut, found.data());
    if (status != METIS_OK)
        throw Error("METIS could not partition the graph; choose another node order.");
    return {found.begin(), found.end()};
}

}  // namespace cleave
