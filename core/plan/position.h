#pragma once

#include <compare>
#include <string>

namespace cleave {

/// Where an op on node rows runs: before the message passing of a function, for every node of a block (E rows), or after it, for the
/// targets only (V rows). post 0 < pre 1 < post 1 < pre 2 < …; "after" means V rows, not later in time.
struct Position {
    int at = 0;

    static constexpr Position pre(int function) { return {2 * function - 1}; }  ///< of function 1 and later
    static constexpr Position post(int function) { return {2 * function}; }

    int function() const { return (at + 1) / 2; }
    bool isPre() const { return at % 2 == 1; }
    auto operator<=>(const Position&) const = default;
};

std::string toString(Position position);  ///< "before message passing 2", "after message passing 1", "in function 0"

}  // namespace cleave
