#pragma once

#include <QString>
#include <string>

namespace cleave::views {

inline QString toText(const std::string& text)
{
    return QString::fromStdString(text);
}

}  // namespace cleave::views
