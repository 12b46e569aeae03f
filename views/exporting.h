#pragma once

#include <QString>

namespace cleave::views {

class Document;
class GraphView;

/// Writes what the name's end says: the picture (.svg, .pdf, .png), the graph in DOT (.dot), a report (.html), a table of costs (.csv), the outputs
/// of the last run (.npz, .npy), or the plan with the times of its ops as a profile graph (.txt), which are measured in the background. Error if it
/// cannot be written. False: not written yet.
bool exportDocument(Document& document, GraphView& view, const QString& path);

}  // namespace cleave::views
