#pragma once

#include <string>

#include "core/layout/band_layout.h"

namespace cleave {

/// What the helper program cleave-layout says first: one line of JSON, as all that follows.
struct DotGreeting {
    std::string version;      ///< Graphviz's, "2.43.0"
    bool hasPlugin = false;   ///< some systems install the library without dot
};

struct DotRequest {
    BandGraph graph;
    LayoutOptions options;
};

// Each text is one line without its end. Reading throws Error for a line that is not what it should be; readDrawing also for an answer
// that tells of an error.
std::string write(const DotGreeting& greeting);
std::string write(const BandGraph& graph, const LayoutOptions& options);
std::string write(const BandDrawing& drawing);
std::string writeProblem(const std::string& sentence);

DotGreeting readGreeting(const std::string& line);
DotRequest readRequest(const std::string& line);
BandDrawing readDrawing(const std::string& line);

}  // namespace cleave
