#include "core/plan/min_cut.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace cleave {

int MinCut::addNode()
{
    m_out.emplace_back();
    return m_nodes++;
}

void MinCut::mustPay(int from, int to, double cost)
{
    assert(cost >= 0);
    if (cost == 0)
        return;
    m_out[place(from)].push_back(static_cast<int>(m_arcs.size()));
    m_arcs.push_back({static_cast<int>(place(to)), cost});
    m_out[place(to)].push_back(static_cast<int>(m_arcs.size()));
    m_arcs.push_back({static_cast<int>(place(from)), 0});
}

// How many arcs with room lead from the source to each node; false: none to the sink.
bool MinCut::measure()
{
    m_distance.assign(m_out.size(), -1);
    std::vector<std::size_t> reached{place(source)};
    m_distance[place(source)] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i)
        for (const int arc : m_out[reached[i]])
            if (const auto& [to, room] = m_arcs[static_cast<std::size_t>(arc)]; room > m_least && m_distance[static_cast<std::size_t>(to)] < 0) {
                m_distance[static_cast<std::size_t>(to)] = m_distance[reached[i]] + 1;
                reached.push_back(static_cast<std::size_t>(to));
            }
    return m_distance[place(sink)] >= 0;
}

double MinCut::push(std::size_t from, double most)
{
    if (from == place(sink))
        return most;
    for (std::size_t& i = m_next[from]; i < m_out[from].size(); ++i) {
        const auto arc = static_cast<std::size_t>(m_out[from][i]);
        const auto to = static_cast<std::size_t>(m_arcs[arc].to);
        if (m_arcs[arc].room <= m_least || m_distance[to] != m_distance[from] + 1)
            continue;
        if (const double pushed = push(to, std::min(most, m_arcs[arc].room)); pushed > 0) {
            m_arcs[arc].room -= pushed;
            m_arcs[arc ^ 1].room += pushed;
            return pushed;
        }
    }
    return 0;
}

std::vector<bool> MinCut::solve()
{
    constexpr double rounding = 1e-12;
    double sum = 0;
    for (const Arc& arc : m_arcs)
        sum += std::isfinite(arc.room) ? arc.room : 0;
    for (Arc& arc : m_arcs)
        arc.room = std::isfinite(arc.room) ? arc.room : sum > 0 ? 2 * sum : 1;
    m_least = rounding * sum;
    while (measure()) {
        m_next.assign(m_out.size(), 0);
        while (push(place(source), std::numeric_limits<double>::infinity()) > 0) {
        }
    }
    std::vector<bool> isSecond;
    for (int node = 0; node < m_nodes; ++node)
        isSecond.push_back(m_distance[place(node)] < 0);
    return isSecond;
}

}  // namespace cleave
