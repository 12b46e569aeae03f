#pragma once

#include <QString>

namespace cleave::views {

class Document;

/// One page about the model that is open, its plan and what runs gave, with tables that compare the plans. picture: an SVG element, or empty.
QString htmlReport(Document& document, const QString& picture);

/// The same comparison for spreadsheets: a line for each plan and each of its functions, in seconds and bytes. Only a heading without costs.
QString csvReport(Document& document);

}  // namespace cleave::views
