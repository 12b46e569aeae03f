#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/progress.h"

namespace cleave {

struct LayoutPoint {
    double x = 0;
    double y = 0;  ///< downwards

    bool operator==(const LayoutPoint&) const = default;
};

struct LayoutRect {
    double left = 0, top = 0, right = 0, bottom = 0;

    double width() const { return right - left; }
    double height() const { return bottom - top; }
    bool isEmpty() const { return right <= left || bottom <= top; }
    bool operator==(const LayoutRect&) const = default;
};

enum class LayoutPlace : std::uint8_t {
    Inside,
    Strip,  ///< in the row between its band and the next one
};

struct LayoutBox {
    double width = 0;
    double height = 0;
    int band = 0;  ///< bands lie one below the other
    LayoutPlace place = LayoutPlace::Inside;
    int group = -1;  ///< innermost group around a box inside a band
};

/// A frame around boxes of one band; groups nest, a parent comes before its children.
struct LayoutGroup {
    int band = 0;
    int parent = -1;
};

/// Runs within a band, from a band to its own strip, or from a strip to the next band.
struct LayoutArrow {
    int from = 0;
    int to = 0;
};

struct LayoutInput {
    int bands = 0;
    std::vector<LayoutBox> boxes;
    std::vector<LayoutGroup> groups;
    std::vector<LayoutArrow> arrows;

    void check() const;  ///< Error if an index or a size is out of range
};

/// Lengths are in the unit of the boxes' sizes.
struct LayoutOptions {
    int dotBoxes = 250;   ///< bands of more boxes are laid out in linear time, without frames of groups
    int dotArrows = 600;  ///< the same for arrows
    double dotSeconds = 10;  ///< the same for a band on which dot takes longer
    double boxGap = 24;
    double rankGap = 34;
    double groupMargin = 20;
    double bandMargin = 18;     ///< above and below the boxes of a band
    double minBandHeight = 64;
    double stripMargin = 22;    ///< above and below the boxes of a strip
    double minStripHeight = 30; ///< of the strip with its margins
};

struct LayoutBand {
    double top = 0, bottom = 0;  ///< of the band itself
    double stripBottom = 0;      ///< the strip lies between bottom and stripBottom
};

struct LayoutResult {
    std::vector<LayoutPoint> centres;             ///< of the boxes
    std::vector<std::vector<LayoutPoint>> paths;  ///< cubic Bézier splines of 1 + 3k points; empty: too long, to be drawn as stubs
    std::vector<LayoutRect> groups;               ///< empty where the band was laid out without frames
    std::vector<LayoutBand> bands;
    LayoutRect bounds;                            ///< of everything
    int bandsWithoutDot = 0;                      ///< within the options' limits, but dot is missing, failed or took too long
    int bandsKnown = 0;                           ///< that the cache had
};

/// Remembers how bands were drawn: those of the same structure and sizes are not laid out again, be they layers that repeat or what stays as it was
/// when a module is opened. Holds some thousand bands. Safe to use from any thread.
class LayoutCache {
public:
    LayoutCache();
    ~LayoutCache();

    struct Memory;
    Memory& memory() { return *m_memory; }

private:
    std::unique_ptr<Memory> m_memory;
};

/// Boxes and arrows in, positions and splines out: bands are laid out by Graphviz's dot in a process of its own, or by a layered layout
/// in linear time above the options' limits, and stacked. Deterministic, with a cache or without. Safe to call from any thread. Throws Cancelled,
/// also during dot.
LayoutResult layOut(const LayoutInput& input, const LayoutOptions& options = {}, const Progress& progress = {}, LayoutCache* cache = nullptr);

/// Whether Graphviz and its dot plugin are there: without them every band is laid out in linear time.
bool dotIsInstalled();

std::string graphvizVersion();  ///< "2.43.0"; empty without Graphviz

}  // namespace cleave
