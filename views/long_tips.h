#pragma once

class QObject;

namespace cleave::views {

/// From now on, as long as `owner` lives, tool tips that would be a line across the screen are broken into shorter ones.
void breakLongTips(QObject& owner);

}  // namespace cleave::views
