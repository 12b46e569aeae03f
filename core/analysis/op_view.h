#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/analysis/op_kinds.h"
#include "core/model/program.h"

namespace cleave {

/// Reads an op's arguments by name.
class OpView {
public:
    OpView(const Program& program, const Op& op) : m_program(program), m_op(op) {}

    const Value* tensor(std::string_view name) const;  ///< null if it is not a tensor value
    ValueId value(std::string_view name) const;        ///< invalid if it is not a value
    std::vector<ValueId> values(std::string_view name) const;  ///< of a list; invalid ids for None and numbers
    int rank(std::string_view name) const;             ///< of a tensor; -1 if it is none

    std::optional<std::int64_t> integer(std::string_view name) const;
    std::int64_t integerOr(std::string_view name, std::int64_t fallback) const { return integer(name).value_or(fallback); }
    std::optional<double> number(std::string_view name) const;  ///< whole or not
    bool flag(std::string_view name, bool fallback) const;
    bool given(std::string_view name) const;           ///< present and not None

    /// A dimension argument counted from the front, 0 … rank - 1; nothing if it is absent or out of range.
    std::optional<int> dim(std::string_view name, int rank) const;
    /// One dimension or a list of them; nothing if absent, empty, None or out of range.
    std::optional<std::vector<int>> dims(std::string_view name, int rank) const;

    const Value& output(std::size_t i = 0) const { return m_program[m_op.outputs.at(i)]; }
    int outputRank(std::size_t i = 0) const { return static_cast<int>(output(i).sizes.size()); }

private:
    const Program& m_program;
    const Op& m_op;
};

}  // namespace cleave
