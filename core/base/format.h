#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cleave {

std::string formatBytes(double bytes);      ///< "12.2 MB" (decimal prefixes)
/// What such a text says, or a person writes: 2G, 500 MB, 1.5GiB, 4096. Nothing if it is no size, or not more than 0.
std::optional<double> bytesFrom(std::string_view text);
std::string formatSeconds(double seconds);  ///< "3.1 ms", "12 s"
std::string formatCount(std::int64_t n);    ///< "1,038,000"
std::string formatNumber(double x);         ///< shortest of up to 3 significant digits: "1.2e-06", "0.815"

/// "[2, 60]"
std::string shapeText(const std::vector<std::int64_t>& shape);

std::string join(const std::vector<std::string>& parts, std::string_view separator);

std::string toHex(std::span<const std::byte> bytes);  ///< "0aff": two digits for each

/// text without control characters and cut after limit bytes at a UTF-8 boundary: how names from files enter messages.
std::string printable(std::string_view text, std::size_t limit = 80);

}  // namespace cleave
