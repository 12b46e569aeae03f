#pragma once

#include <vector>

namespace cleave {

/// Divides nodes between two sides at the least cost of the arcs that lead from the first to the second: Dinic's algorithm, for some thousands of
/// nodes.
class MinCut {
public:
    explicit MinCut(int nodes) : m_out(static_cast<std::size_t>(nodes + 2)), m_nodes(nodes) {}

    int addNode();
    void mustPay(int from, int to, double cost);        ///< if `from` is on the first side and `to` on the second
    void payOnFirst(int node, double cost) { mustPay(node, sink, cost); }
    void payOnSecond(int node, double cost) { mustPay(source, node, cost); }

    /// By node: whether it is on the second side. Costs may be infinite, as long as some division has a finite sum. Of several best divisions the one
    /// with the most nodes on the second side.
    std::vector<bool> solve();

private:
    struct Arc {
        int to;
        double room;
    };
    static constexpr int source = -2, sink = -1;

    std::size_t place(int node) const { return static_cast<std::size_t>(node + 2); }
    bool measure();
    double push(std::size_t from, double most);

    std::vector<Arc> m_arcs;                // each with its reverse behind it
    std::vector<std::vector<int>> m_out;    // arcs, by place of a node
    std::vector<int> m_distance;
    std::vector<std::size_t> m_next;
    double m_least = 0;
    int m_nodes;
};

}  // namespace cleave
