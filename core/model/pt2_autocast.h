#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/model/program.h"

namespace cleave {

/// Writes out the casts of a region that was exported under torch.autocast: there an op is called with the tensors as they were, and computes in
/// the type that its output was recorded with. Source: torch.amp, "Autocast Op Reference".
class Autocast {
public:
    /// Puts casts of op's floating operands before it, where its recorded output has another type than these give. The op's outputs are known, and
    /// the op is not one of the program's yet. taken: names in the program. A tensor is cast once to each type.
    void write(Program& program, Op& op, std::set<std::string>& taken);

private:
    ValueId cast(Program& program, ValueId tensor, DType dtype, const Op& reader, std::set<std::string>& taken);

    std::map<std::pair<ValueId, DType>, ValueId> m_casts;
};

}  // namespace cleave
