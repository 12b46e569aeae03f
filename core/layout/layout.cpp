#include "core/layout/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "core/base/error.h"
#include "core/layout/band_layout.h"
#include "core/layout/dot_process.h"

namespace cleave {

struct LayoutCache::Memory {
    std::mutex mutex;
    std::map<std::vector<double>, BandDrawing> drawings;  // by all that a drawing depends on
};

namespace {

constexpr double portHeight = 2;
constexpr double infinite = std::numeric_limits<double>::infinity();

// One band on its way through layout: which of its boxes, groups and arrows are which of the input's.
struct Band {
    BandGraph graph;
    std::vector<int> boxes;    // input's index of each box; ports come after them
    std::vector<int> groups;
    std::vector<int> arrows;
    std::map<int, int> ports;  // box of the strip above -> port of this band
};

LayoutPoint between(const LayoutPoint& a, const LayoutPoint& b, double share)
{
    return {a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
}

std::vector<double> keyOf(const BandGraph& graph, const LayoutOptions& o)
{
    std::vector<double> key{static_cast<double>(o.dotBoxes), static_cast<double>(o.dotArrows), o.boxGap, o.rankGap, o.groupMargin};
    const auto count = [&](std::size_t n) { key.push_back(static_cast<double>(n)); };
    count(graph.boxes.size());
    for (const BandBox& box : graph.boxes)
        key.insert(key.end(), {box.width, box.height, static_cast<double>(box.rank), static_cast<double>(box.group)});
    count(graph.groupParents.size());
    key.insert(key.end(), graph.groupParents.begin(), graph.groupParents.end());
    count(graph.arrows.size());
    for (const LayoutArrow& arrow : graph.arrows)
        key.insert(key.end(), {static_cast<double>(arrow.from), static_cast<double>(arrow.to)});
    key.insert(key.end(), graph.firstOrder.begin(), graph.firstOrder.end());
    return key;
}

// The second part of a cubic Bézier curve that is split at t (de Casteljau).
std::vector<LayoutPoint> secondPart(const LayoutPoint* p, double t)
{
    const LayoutPoint ab = between(p[0], p[1], t), bc = between(p[1], p[2], t), cd = between(p[2], p[3], t);
    const LayoutPoint abc = between(ab, bc, t), bcd = between(bc, cd, t);
    return {between(abc, bcd, t), bcd, cd, p[3]};
}

// The spline from where it last crosses the height y downwards.
std::vector<LayoutPoint> partBelow(const std::vector<LayoutPoint>& path, double y)
{
    for (std::size_t i = path.size() - 1; i >= 3; i -= 3) {
        if (path[i - 3].y >= y || path[i].y < y)
            continue;
        double low = 0, high = 1;
        for (int step = 0; step < 30; ++step) {
            const double middle = (low + high) / 2;
            (secondPart(&path[i - 3], middle).front().y < y ? low : high) = middle;
        }
        std::vector<LayoutPoint> points = secondPart(&path[i - 3], high);
        points.insert(points.end(), path.begin() + static_cast<std::ptrdiff_t>(i) + 1, path.end());
        return points;
    }
    return path;
}

std::vector<LayoutPoint> turned(const std::vector<LayoutPoint>& path)
{
    std::vector<LayoutPoint> points(path.rbegin(), path.rend());
    for (LayoutPoint& point : points)
        point.y = -point.y;
    return points;
}

std::vector<LayoutPoint> partAbove(const std::vector<LayoutPoint>& path, double y)
{
    return turned(partBelow(turned(path), -y));
}

class Stack {
public:
    Stack(const LayoutInput& input, const LayoutOptions& options, LayoutCache* cache)
        : m_input(input), m_options(options), m_cache(cache), m_dot(dotProgram())
    {
        m_result.centres.resize(input.boxes.size());
        m_result.paths.resize(input.arrows.size());
        m_result.groups.resize(input.groups.size());
        m_bands.resize(static_cast<std::size_t>(input.bands));
    }

    LayoutResult run(const Progress& progress)
    {
        split();
        for (std::size_t i = 0; i < m_bands.size(); ++i) {
            progress.update(static_cast<double>(i) / static_cast<double>(m_bands.size()), "Laying out");
            add(m_bands[i], progress);
        }
        measure();
        return std::move(m_result);
    }

private:
    const LayoutBox& box(int i) const { return m_input.boxes[static_cast<std::size_t>(i)]; }
    Band& bandOf(int i) { return m_bands[static_cast<std::size_t>(i)]; }

    void split()
    {
        std::vector<int> localBox(m_input.boxes.size());
        std::vector<int> localGroup(m_input.groups.size());
        for (std::size_t i = 0; i < m_input.groups.size(); ++i) {
            const LayoutGroup& group = m_input.groups[i];
            Band& band = bandOf(group.band);
            localGroup[i] = static_cast<int>(band.groups.size());
            band.groups.push_back(static_cast<int>(i));
            band.graph.groupParents.push_back(group.parent < 0 ? -1 : localGroup[static_cast<std::size_t>(group.parent)]);
        }
        for (std::size_t i = 0; i < m_input.boxes.size(); ++i) {
            const LayoutBox& b = m_input.boxes[i];
            Band& band = bandOf(b.band);
            localBox[i] = static_cast<int>(band.boxes.size());
            band.boxes.push_back(static_cast<int>(i));
            band.graph.boxes.push_back({b.width, b.height, b.place == LayoutPlace::Strip ? BandRank::Last : BandRank::Any,
                                        b.group < 0 ? -1 : localGroup[static_cast<std::size_t>(b.group)]});
        }
        for (std::size_t i = 0; i < m_input.arrows.size(); ++i) {
            const LayoutArrow& arrow = m_input.arrows[i];
            Band& band = bandOf(box(arrow.to).band);
            const bool inside = box(arrow.from).band == box(arrow.to).band;
            if (!inside && (box(arrow.from).place != LayoutPlace::Strip || box(arrow.from).band + 1 != box(arrow.to).band))
                continue;
            const int from = inside ? localBox[static_cast<std::size_t>(arrow.from)] : port(band, arrow.from);
            band.arrows.push_back(static_cast<int>(i));
            band.graph.arrows.push_back({from, localBox[static_cast<std::size_t>(arrow.to)]});
        }
    }

    // As wide as its box, so that ports get the same places as the boxes above them.
    int port(Band& band, int from) const
    {
        const auto [found, isNew] = band.ports.try_emplace(from, static_cast<int>(band.graph.boxes.size()));
        if (isNew)
            band.graph.boxes.push_back({box(from).width, portHeight, BandRank::First, -1});
        return found->second;
    }

    void add(Band& band, const Progress& progress)
    {
        band.graph.firstOrder = portsFromLeft(band);
        BandDrawing drawing = band.graph.boxes.empty() ? BandDrawing() : draw(band.graph, progress);
        const double dy = stack(band, drawing);
        const double dx = alignment(band, drawing);
        move(drawing, dx, dy);
        spread(band, drawing);
    }

    // What dot did not draw is tried again next time.
    BandDrawing draw(const BandGraph& graph, const Progress& progress)
    {
        std::vector<double> key = m_cache == nullptr ? std::vector<double>() : keyOf(graph, m_options);
        if (m_cache != nullptr) {
            LayoutCache::Memory& memory = m_cache->memory();
            const std::lock_guard lock(memory.mutex);
            if (const auto known = memory.drawings.find(key); known != memory.drawings.end()) {
                ++m_result.bandsKnown;
                return known->second;
            }
        }
        const bool small = static_cast<int>(graph.boxes.size()) <= m_options.dotBoxes && static_cast<int>(graph.arrows.size()) <= m_options.dotArrows;
        std::optional<BandDrawing> byDot = small ? m_dot.layOut(graph, m_options, progress) : std::nullopt;
        if (small && !byDot) {
            ++m_result.bandsWithoutDot;
            return layeredLayout(graph, m_options);
        }
        BandDrawing drawing = byDot ? *std::move(byDot) : layeredLayout(graph, m_options);
        if (m_cache != nullptr)
            remember(std::move(key), drawing);
        return drawing;
    }

    void remember(std::vector<double> key, const BandDrawing& drawing)
    {
        constexpr std::size_t most = 4000;
        LayoutCache::Memory& memory = m_cache->memory();
        const std::lock_guard lock(memory.mutex);
        if (memory.drawings.size() >= most)
            memory.drawings.clear();
        memory.drawings.emplace(std::move(key), drawing);
    }

    std::vector<int> portsFromLeft(const Band& band) const
    {
        std::vector<std::pair<double, int>> ports;
        for (const auto& [from, at] : band.ports)
            ports.emplace_back(m_result.centres[static_cast<std::size_t>(from)].x, at);
        std::ranges::sort(ports);
        std::vector<int> order;
        for (const auto& [x, at] : ports)
            order.push_back(at);
        return order;
    }

    // Opens the band below what is there and tells how far down its drawing goes.
    double stack(const Band& band, BandDrawing& drawing)
    {
        double top = infinite, bottom = -infinite, stripHeight = 0;
        for (std::size_t i = 0; i < band.boxes.size(); ++i) {
            const LayoutBox& b = box(band.boxes[i]);
            if (b.place == LayoutPlace::Strip) {
                stripHeight = std::max(stripHeight, b.height);
                continue;
            }
            top = std::min(top, drawing.centres[i].y - b.height / 2);
            bottom = std::max(bottom, drawing.centres[i].y + b.height / 2);
        }
        for (const LayoutRect& group : drawing.groups)
            if (!group.isEmpty()) {
                top = std::min(top, group.top);
                bottom = std::max(bottom, group.bottom);
            }
        if (top > bottom)
            top = bottom = 0;
        const double slack = std::max(0.0, m_options.minBandHeight - (bottom - top) - 2 * m_options.bandMargin);
        LayoutBand place;
        place.top = m_result.bands.empty() ? 0 : m_result.bands.back().stripBottom;
        const double dy = place.top + m_options.bandMargin + slack / 2 - top;
        place.bottom = bottom + dy + m_options.bandMargin + slack / 2;
        place.stripBottom = place.bottom + (stripHeight > 0 ? stripHeight + 2 * m_options.stripMargin : m_options.minStripHeight);
        m_result.bands.push_back(place);
        moveStrip(band, drawing, place.bottom - dy, (place.bottom + place.stripBottom) / 2 - dy);
        return dy;
    }

    // Puts the boxes of the strip at the height y and leads the arrows there from the lower edge of the band.
    void moveStrip(const Band& band, BandDrawing& drawing, double edge, double y)
    {
        for (std::size_t i = 0; i < band.boxes.size(); ++i)
            if (box(band.boxes[i]).place == LayoutPlace::Strip)
                drawing.centres[i].y = y;
        centreStrip(band, drawing);
        for (std::size_t i = 0; i < band.arrows.size(); ++i) {
            const LayoutBox& target = box(m_input.arrows[static_cast<std::size_t>(band.arrows[i])].to);
            std::vector<LayoutPoint>& path = drawing.paths[i];
            if (target.place != LayoutPlace::Strip || path.empty())
                continue;
            const LayoutPoint end{drawing.centres[static_cast<std::size_t>(band.graph.arrows[i].to)].x, y - target.height / 2};
            path = partAbove(path, edge);
            const LayoutPoint last = path.back();
            path.insert(path.end(), {{last.x, (last.y + end.y) / 2}, {end.x, (last.y + end.y) / 2}, end});
        }
    }

    // A strip that nothing of its band leads to hangs in the middle below it.
    void centreStrip(const Band& band, BandDrawing& drawing) const
    {
        const auto inStrip = [this](int i) { return box(i).place == LayoutPlace::Strip; };
        for (const int arrow : band.arrows)
            if (inStrip(m_input.arrows[static_cast<std::size_t>(arrow)].to))
                return;
        LayoutRect inside{infinite, 0, -infinite, 0}, strip = inside;
        for (std::size_t i = 0; i < band.boxes.size(); ++i) {
            LayoutRect& side = inStrip(band.boxes[i]) ? strip : inside;
            side.left = std::min(side.left, drawing.centres[i].x - box(band.boxes[i]).width / 2);
            side.right = std::max(side.right, drawing.centres[i].x + box(band.boxes[i]).width / 2);
        }
        if (inside.left > inside.right || strip.left > strip.right)
            return;
        const double shift = (inside.left + inside.right - strip.left - strip.right) / 2;
        for (std::size_t i = 0; i < band.boxes.size(); ++i)
            if (inStrip(band.boxes[i]))
                drawing.centres[i].x += shift;
    }

    // Moves the band so that what enters it comes from as straight above as possible: by the median. But layers that leave a little to the right of
    // where they are entered must not go on to the right for ever: no band lies further from the middle than half of the widest one above it.
    double alignment(const Band& band, const BandDrawing& drawing)
    {
        constexpr double least = 150;
        if (drawing.centres.empty())
            return 0;
        double left = infinite, right = -infinite;
        for (std::size_t i = 0; i < band.boxes.size(); ++i) {
            left = std::min(left, drawing.centres[i].x - box(band.boxes[i]).width / 2);
            right = std::max(right, drawing.centres[i].x + box(band.boxes[i]).width / 2);
        }
        const double middle = band.boxes.empty() ? 0 : (left + right) / 2, furthest = std::max(least, m_widest / 2);
        if (!band.boxes.empty())
            m_widest = std::max(m_widest, right - left);
        return std::clamp(middle + shiftToPorts(band, drawing), -furthest, furthest) - middle;
    }

    double shiftToPorts(const Band& band, const BandDrawing& drawing) const
    {
        std::vector<double> shifts;
        for (const auto& [from, at] : band.ports)
            shifts.push_back(m_result.centres[static_cast<std::size_t>(from)].x - drawing.centres[static_cast<std::size_t>(at)].x);
        if (!shifts.empty()) {
            const auto middle = shifts.begin() + static_cast<std::ptrdiff_t>(shifts.size() / 2);
            std::ranges::nth_element(shifts, middle);
            return *middle;
        }
        const auto [left, right] = std::ranges::minmax(drawing.centres, {}, &LayoutPoint::x);
        return -(left.x + right.x) / 2;
    }

    static void move(BandDrawing& drawing, double dx, double dy)
    {
        const auto shift = [&](LayoutPoint& point) { point = {point.x + dx, point.y + dy}; };
        std::ranges::for_each(drawing.centres, shift);
        for (std::vector<LayoutPoint>& path : drawing.paths)
            std::ranges::for_each(path, shift);
        for (LayoutRect& group : drawing.groups)
            if (!group.isEmpty())
                group = {group.left + dx, group.top + dy, group.right + dx, group.bottom + dy};
    }

    void spread(const Band& band, const BandDrawing& drawing)
    {
        for (std::size_t i = 0; i < band.boxes.size(); ++i)
            m_result.centres[static_cast<std::size_t>(band.boxes[i])] = drawing.centres[i];
        for (std::size_t i = 0; i < band.groups.size(); ++i)
            m_result.groups[static_cast<std::size_t>(band.groups[i])] = drawing.groups[i];
        for (std::size_t i = 0; i < band.arrows.size(); ++i) {
            const int arrow = band.arrows[i];
            const int from = m_input.arrows[static_cast<std::size_t>(arrow)].from;
            m_result.paths[static_cast<std::size_t>(arrow)] =
                band.ports.contains(from) ? throughPort(from, drawing.paths[i]) : drawing.paths[i];
        }
    }

    std::vector<LayoutPoint> throughPort(int from, const std::vector<LayoutPoint>& path) const
    {
        if (path.empty())
            return path;
        const LayoutPoint centre = m_result.centres[static_cast<std::size_t>(from)];
        const LayoutPoint start{centre.x, centre.y + box(from).height / 2};
        const std::vector<LayoutPoint> rest = partBelow(path, m_result.bands.back().top);
        const double middle = (start.y + rest.front().y) / 2;
        std::vector<LayoutPoint> points{start, {start.x, middle}, {rest.front().x, middle}};
        points.insert(points.end(), rest.begin(), rest.end());
        return points;
    }

    void measure()
    {
        LayoutRect bounds;
        if (!m_result.bands.empty())
            bounds.bottom = m_result.bands.back().stripBottom;
        for (std::size_t i = 0; i < m_result.centres.size(); ++i) {
            const double half = m_input.boxes[i].width / 2;
            bounds.left = std::min(bounds.left, m_result.centres[i].x - half);
            bounds.right = std::max(bounds.right, m_result.centres[i].x + half);
        }
        for (const LayoutRect& group : m_result.groups)
            if (!group.isEmpty()) {
                bounds.left = std::min(bounds.left, group.left);
                bounds.right = std::max(bounds.right, group.right);
            }
        for (const std::vector<LayoutPoint>& path : m_result.paths)
            for (const LayoutPoint& point : path) {
                bounds.left = std::min(bounds.left, point.x);
                bounds.right = std::max(bounds.right, point.x);
            }
        m_result.bounds = bounds;
    }

    const LayoutInput& m_input;
    const LayoutOptions& m_options;
    LayoutCache* m_cache;
    std::vector<Band> m_bands;
    LayoutResult m_result;
    double m_widest = 0;  // of the bands that are laid out
    DotProcess m_dot;
};

bool within(int index, std::size_t size)
{
    return index >= 0 && index < static_cast<int>(size);
}

}  // namespace

void LayoutInput::check() const
{
    const auto require = [](bool holds, const char* what) {
        if (!holds)
            throw Error(std::string("The graph cannot be laid out: ") + what + ".");
    };
    for (std::size_t i = 0; i < groups.size(); ++i) {
        require(within(groups[i].band, static_cast<std::size_t>(bands)), "a group lies outside the bands");
        require(groups[i].parent < static_cast<int>(i), "a group comes before the one around it");
    }
    for (const LayoutBox& box : boxes) {
        require(within(box.band, static_cast<std::size_t>(bands)), "a box lies outside the bands");
        require(box.group < 0 || within(box.group, groups.size()), "a box lies in a group that does not exist");
        require(box.width > 0 && box.height > 0 && std::isfinite(box.width) && std::isfinite(box.height), "a box has no size");
    }
    for (const LayoutArrow& arrow : arrows)
        require(within(arrow.from, boxes.size()) && within(arrow.to, boxes.size()), "an arrow has no end");
}

LayoutCache::LayoutCache() : m_memory(std::make_unique<Memory>()) {}
LayoutCache::~LayoutCache() = default;

LayoutResult layOut(const LayoutInput& input, const LayoutOptions& options, const Progress& progress, LayoutCache* cache)
{
    input.check();
    return Stack(input, options, cache).run(progress);
}

bool dotIsInstalled()
{
    const auto greeting = DotProcess(dotProgram()).greeting();
    return greeting && greeting->hasPlugin;
}

std::string graphvizVersion()
{
    const auto greeting = DotProcess(dotProgram()).greeting();
    return greeting ? greeting->version : std::string();
}

}  // namespace cleave
