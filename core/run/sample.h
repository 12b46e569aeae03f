#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/blocks.h"
#include "core/run/executor.h"
#include "core/run/probe.h"
#include "core/run/targets.h"

/// Rows of some nodes by the uncut program, on what of the graph they depend on: private to core/run.
namespace cleave {

/// What the rows of a node depend on: the nodes that lead to it in so many steps, and all edges into nodes that are fewer steps away.
struct Neighbourhood {
    int hops = 0;
    bool bothWays = false;  ///< steps go against the edges as well, and edges out of these nodes count too

    bool operator==(const Neighbourhood&) const = default;
};

/// A graph as the inputs of a program, of which parts around some nodes can be taken. Nodes and edges of a part keep their order.
class LocalGraphs {
public:
    struct Part {
        std::vector<at::Tensor> nodes;            ///< of each type: int64, ascending
        std::map<std::string, at::Tensor> edges;  ///< of each size that counts edges: which, int64, ascending

        std::int64_t numNodes() const;
        std::int64_t numEdges() const;
    };

    /// Inputs that are neither of nodes nor of edges, such as sizes of graphs, are the same for all parts. Error if the program does not tell which
    /// nodes edges name.
    LocalGraphs(const Analysis& analysis, const Bindings& inputs);

    /// The neighbourhood of all these nodes together, by type. Nothing if it has more edges.
    std::optional<Part> around(const std::vector<std::vector<std::int64_t>>& nodes, const Neighbourhood& neighbourhood, std::int64_t mostEdges);

    Bindings inputsOf(const Part& part) const;
    std::vector<at::Tensor> targetsOfEdges(int type) const;  ///< int64: for each edge index into nodes of the type, where its edges lead
    std::int64_t numNodes(int type) const { return m_numNodes[static_cast<std::size_t>(type)]; }

private:
    struct End {
        int type = 0;                         // of the nodes that it names
        at::Tensor nodes;                     // int64, one for each edge
        std::optional<EdgesBySegment> edges;  // by node, once somebody has asked
    };
    struct Edges {
        std::vector<std::pair<End, End>> ends;  // sources and targets: of several edge indices of one size too
        std::vector<bool> isTaken;
        std::vector<std::int64_t> taken;
    };

    void addEdges(const Input& input);
    void take(std::int64_t edge, Edges& edges, std::vector<std::vector<std::int64_t>>& reached);
    void reach(int type, std::int64_t node, std::vector<std::vector<std::int64_t>>& reached);
    void forget();

    const Analysis& m_a;
    const Bindings& m_inputs;
    std::map<std::string, std::int64_t> m_sizes;
    std::vector<std::int64_t> m_numNodes;
    std::map<std::string, Edges> m_edges;        // by the size that counts them
    std::vector<std::vector<bool>> m_isReached;  // by type
    std::vector<std::vector<std::int64_t>> m_reached;
};

/// What is computed from what, besides structure and weights: the outputs from the inputs, or the save points of a function from those that it reads.
struct Stage {
    std::vector<ValueId> given, wanted;
    int hops = 0;  ///< message passings between them, one behind the other

    static Stage whole(const Analysis& analysis);  ///< Error if an op needs all nodes at once
    static Stage of(const Analysis& analysis, const CutFunction& function);
};

/// What wanted values depend on, tried on random graphs.
class Neighbourhoods {
public:
    /// progress must live as long as this.
    Neighbourhoods(const Analysis& analysis, const Constants& constants, const std::vector<Stage>& stages, const Progress& progress);

    /// The least that is enough for rows of nodes, and the most that message passings and reductions of structure can reach. Error if they depend on
    /// more, or nothing has rows of nodes.
    std::pair<Neighbourhood, Neighbourhood> of(const Stage& stage) const;

private:
    Bindings inputsOf(const ProbeGraph& graph, const std::vector<ValueId>& values, std::vector<c10::IValue>& whole) const;
    bool isEnough(const Neighbourhood& neighbourhood, const Stage& stage, const Bindings& inputs, const Tensors& values, std::int64_t firstNode,
                  std::int64_t step) const;

    const Analysis& m_a;
    const Constants& m_constants;
    const Progress& m_progress;
    int m_reductions = 0;                                // of structure into nodes, one behind the other
    std::vector<std::pair<Bindings, Tensors>> m_graphs;  // and the values of stages there
};

struct SampledRows {
    std::vector<std::vector<std::int64_t>> rows;  ///< by wanted value: which of its rows; empty where it has no rows of nodes
    std::vector<at::Tensor> values;               ///< by wanted value: these rows
    Neighbourhood neighbourhood;
    std::int64_t targets = 0;           ///< of all types
    std::int64_t drawn = 0, of = 0;     ///< nodes that would have been, had there been memory for all; and all there are
    std::int64_t nodes = 0, edges = 0;  ///< that the program ran on
    double seconds = 0, peakBytes = 0;
};

/// Rows of some nodes of one graph.
class Sampler {
public:
    /// Error as LocalGraphs.
    Sampler(const Analysis& analysis, const Constants& constants, const Bindings& inputs)
        : m_a(analysis), m_constants(constants), m_local(analysis, inputs)
    {
    }

    /// Rows of at most `most` nodes of each type that wanted values have, of these targets if there are any, on that neighbourhood: half of them
    /// drawn as nodes, half as targets of edges. As many as there is memory for, and edges of a few seconds. store: values that are given.
    /// NotEnoughMemory if there is not enough for one.
    SampledRows rows(const Stage& stage, const Tensors& store, const Neighbourhood& neighbourhood, const Targets& targets,
                     std::int64_t most, const Progress& progress);

private:
    const Analysis& m_a;
    const Constants& m_constants;
    LocalGraphs m_local;
};

}  // namespace cleave
