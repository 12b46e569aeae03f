#pragma once

#include <optional>
#include <vector>

#include "core/model/program.h"

namespace cleave {

/// A number for each edge that is one of a node, or two multiplied: GCN's weights.
struct EdgeProduct {
    struct Factor {
        ValueId numbers;  ///< float32 [V]
        ValueId index;    ///< int64 [M]
    };
    std::vector<Factor> factors;  ///< one or two
};

/// Nothing if the value is none, or is looked at in a shape that the program computes.
std::optional<EdgeProduct> edgeProduct(const Program& program, ValueId value);

}  // namespace cleave
