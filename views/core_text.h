#pragma once

#include <QString>
#include <string>

namespace cleave::views {

/// A sentence of the core in the language of the window. The core speaks English alone; what is known of its sentences is translated piece by piece,
/// the rest stays as it is.
QString fromCore(const QString& sentence);
QString fromCore(const std::string& sentence);
QString titleFromCore(const std::string& name);  ///< begins with a capital

}  // namespace cleave::views
