#include <algorithm>
#include <numeric>
#include <utility>

#include "core/layout/band_layout.h"

namespace cleave {

namespace {

constexpr int longestPath = 30;  // ranks; longer arrows are drawn as stubs
constexpr int orderSweeps = 4;
constexpr int placeSweeps = 4;

struct Cell {
    double width = 0;
    double height = 0;
    int rank = 0;
    double x = 0;
    std::vector<int> above, below;  // cells of the neighbouring ranks
};

class Layered {
public:
    Layered(const BandGraph& graph, const LayoutOptions& options) : m_graph(graph), m_options(options) {}

    BandDrawing run()
    {
        rankBoxes();
        addCells();
        orderCells();
        placeCells();
        return draw();
    }

private:
    std::size_t boxes() const { return m_graph.boxes.size(); }
    Cell& cell(int i) { return m_cells[static_cast<std::size_t>(i)]; }
    std::vector<int>& row(int rank) { return m_rows[static_cast<std::size_t>(rank)]; }
    int& rank(int box) { return m_ranks[static_cast<std::size_t>(box)]; }

    // Kahn's order; what a cycle leaves over keeps rank 0 and its arrows back are drawn upwards.
    void rankBoxes()
    {
        m_ranks.assign(boxes(), 0);
        std::vector<int> waiting(boxes(), 0);
        std::vector<std::vector<int>> next(boxes());
        for (const LayoutArrow& arrow : m_graph.arrows) {
            ++waiting[static_cast<std::size_t>(arrow.to)];
            next[static_cast<std::size_t>(arrow.from)].push_back(arrow.to);
        }
        std::vector<int> ready;
        for (std::size_t i = 0; i < boxes(); ++i)
            if (waiting[i] == 0)
                ready.push_back(static_cast<int>(i));
        const bool ports = std::ranges::any_of(m_graph.boxes, [](const BandBox& box) { return box.rank == BandRank::First; });
        for (std::size_t i = 0; i < boxes(); ++i)
            m_ranks[i] = ports && m_graph.boxes[i].rank != BandRank::First ? 1 : 0;
        for (std::size_t done = 0; done < ready.size(); ++done)
            for (const int to : next[static_cast<std::size_t>(ready[done])]) {
                rank(to) = std::max(rank(to), rank(ready[done]) + 1);
                if (--waiting[static_cast<std::size_t>(to)] == 0)
                    ready.push_back(to);
            }
        int last = 0;
        for (std::size_t i = 0; i < boxes(); ++i)
            last = std::max(last, m_ranks[i] + (m_graph.boxes[i].rank == BandRank::Last ? 0 : 1));
        for (std::size_t i = 0; i < boxes(); ++i)
            if (m_graph.boxes[i].rank == BandRank::Last)
                m_ranks[i] = last;
    }

    // One cell for each box and one for each rank that an arrow passes.
    void addCells()
    {
        m_rows.resize(boxes() == 0 ? 0 : static_cast<std::size_t>(*std::ranges::max_element(m_ranks)) + 1);
        for (std::size_t i = 0; i < boxes(); ++i)
            addCell(m_graph.boxes[i].width, m_graph.boxes[i].height, m_ranks[i]);
        for (const LayoutArrow& arrow : m_graph.arrows) {
            const int span = rank(arrow.to) - rank(arrow.from);
            m_chains.emplace_back();
            if (span < 1 || span > longestPath)
                continue;
            m_chains.back().push_back(arrow.from);
            for (int step = 1; step < span; ++step)
                extend(m_chains.back(), addCell(0, 0, rank(arrow.from) + step));
            extend(m_chains.back(), arrow.to);
        }
    }

    int addCell(double width, double height, int rankOfCell)
    {
        const int index = static_cast<int>(m_cells.size());
        m_cells.push_back({width, height, rankOfCell, 0, {}, {}});
        row(rankOfCell).push_back(index);
        return index;
    }

    void extend(std::vector<int>& chain, int next)
    {
        cell(chain.back()).below.push_back(next);
        cell(next).above.push_back(chain.back());
        chain.push_back(next);
    }

    void orderCells()
    {
        std::vector<double> position(m_cells.size());
        const auto number = [&](const std::vector<int>& cells) {
            for (std::size_t i = 0; i < cells.size(); ++i)
                position[static_cast<std::size_t>(cells[i])] = static_cast<double>(i);
        };
        std::ranges::for_each(m_rows, number);
        for (int sweep = 0; sweep < orderSweeps; ++sweep) {
            const bool down = sweep % 2 == 0;
            for (std::size_t i = 0; i < m_rows.size(); ++i) {
                std::vector<int>& cells = m_rows[down ? i : m_rows.size() - 1 - i];
                std::vector<std::pair<double, int>> keys;
                for (const int c : cells)
                    keys.emplace_back(mean(down ? cell(c).above : cell(c).below, position, position[static_cast<std::size_t>(c)]), c);
                std::ranges::stable_sort(keys, {}, &std::pair<double, int>::first);
                std::ranges::transform(keys, cells.begin(), &std::pair<double, int>::second);
                number(cells);
            }
        }
    }

    static double mean(const std::vector<int>& cells, const std::vector<double>& of, double otherwise)
    {
        if (cells.empty())
            return otherwise;
        double sum = 0;
        for (const int c : cells)
            sum += of[static_cast<std::size_t>(c)];
        return sum / static_cast<double>(cells.size());
    }

    void placeCells()
    {
        std::vector<double> x(m_cells.size(), 0);
        for (const std::vector<int>& cells : m_rows)
            placeRow(cells, std::vector<double>(cells.size(), 0), x);
        for (int sweep = 0; sweep < placeSweeps; ++sweep) {
            const bool down = sweep % 2 == 0;
            for (std::size_t i = 0; i < m_rows.size(); ++i) {
                const std::vector<int>& cells = m_rows[down ? i : m_rows.size() - 1 - i];
                std::vector<double> wanted;
                for (const int c : cells)
                    wanted.push_back(mean(down ? cell(c).above : cell(c).below, x, x[static_cast<std::size_t>(c)]));
                placeRow(cells, wanted, x);
            }
        }
        for (std::size_t i = 0; i < m_cells.size(); ++i)
            m_cells[i].x = x[i];
    }

    // Least squares under the order and the gaps of the row: isotonic regression by pooling neighbours.
    void placeRow(const std::vector<int>& cells, const std::vector<double>& wanted, std::vector<double>& x)
    {
        struct Pool {
            double sum;
            int count;
        };
        std::vector<double> offset(cells.size(), 0);
        std::vector<Pool> pools;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (i > 0)
                offset[i] = offset[i - 1] + (cell(cells[i - 1]).width + cell(cells[i]).width) / 2 + m_options.boxGap;
            pools.push_back({wanted[i] - offset[i], 1});
            while (pools.size() > 1 && pools[pools.size() - 2].sum * pools.back().count >= pools.back().sum * pools[pools.size() - 2].count) {
                pools[pools.size() - 2].sum += pools.back().sum;
                pools[pools.size() - 2].count += pools.back().count;
                pools.pop_back();
            }
        }
        std::size_t i = 0;
        for (const Pool& pool : pools)
            for (int k = 0; k < pool.count; ++k, ++i)
                x[static_cast<std::size_t>(cells[i])] = pool.sum / pool.count + offset[i];
    }

    BandDrawing draw()
    {
        std::vector<double> y(m_rows.size(), 0);
        std::vector<double> height(m_rows.size(), 0);
        double top = 0;
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            for (const int c : m_rows[i])
                height[i] = std::max(height[i], cell(c).height);
            y[i] = top + height[i] / 2;
            top += height[i] + m_options.rankGap;
        }
        BandDrawing drawing;
        for (std::size_t i = 0; i < boxes(); ++i)
            drawing.centres.push_back({m_cells[i].x, y[static_cast<std::size_t>(m_cells[i].rank)]});
        for (const std::vector<int>& chain : m_chains)
            drawing.paths.push_back(path(chain, y, height));
        drawing.groups.resize(m_graph.groupParents.size());
        return drawing;
    }

    // Passes straight through the height of a rank and bends between ranks.
    std::vector<LayoutPoint> path(const std::vector<int>& chain, const std::vector<double>& y, const std::vector<double>& height)
    {
        std::vector<LayoutPoint> points;
        for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
            const Cell& a = cell(chain[i]);
            const Cell& b = cell(chain[i + 1]);
            const auto upper = static_cast<std::size_t>(a.rank);
            const auto lower = static_cast<std::size_t>(b.rank);
            const LayoutPoint from{a.x, y[upper] + (i == 0 ? a.height : height[upper]) / 2};
            const LayoutPoint to{b.x, y[lower] - (i + 2 == chain.size() ? b.height : height[lower]) / 2};
            if (points.empty())
                points.push_back(from);
            else
                points.insert(points.end(), {points.back(), from, from});
            const double middle = (from.y + to.y) / 2;
            points.insert(points.end(), {{from.x, middle}, {to.x, middle}, to});
        }
        return points;
    }

    const BandGraph& m_graph;
    const LayoutOptions& m_options;
    std::vector<int> m_ranks;
    std::vector<Cell> m_cells;
    std::vector<std::vector<int>> m_rows;
    std::vector<std::vector<int>> m_chains;  // per arrow, empty for a stub
};

}  // namespace

BandDrawing layeredLayout(const BandGraph& graph, const LayoutOptions& options)
{
    return Layered(graph, options).run();
}

}  // namespace cleave
