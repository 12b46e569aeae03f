#pragma once

#include <optional>

#include "core/analysis/analysis.h"

namespace cleave {

/// An op that reads rows of `source` at an index.
struct GatherForm {
    ValueId source;
    int sourceDim = 0;   ///< dimension of source that is indexed
    ValueId index;       ///< as the op is given it
    int indexRowDim = 0; ///< dimension of index that holds the rows
    int rowDim = 0;      ///< row dimension of the result
};

/// An op that reduces rows of `source` into rows of `self` at a segment index.
struct ScatterForm {
    ValueId self, source;  ///< source is invalid for a scalar
    ValueId index;
    int indexRowDim = 0;
    int rowDim = 0;        ///< of self, of the result, and of source unless it broadcasts
    bool sourceHasRows = true;
};

/// What the op is by its name and arguments; whether its operands have rows there is for the caller to decide.
std::optional<GatherForm> gatherForm(const Program& program, OpId op);
std::optional<ScatterForm> scatterForm(const Program& program, OpId op);

/// Whether a scatterForm() op writes rows in place of those that are there, so that of several for one place one stays, PyTorch does not say which.
bool overwrites(const Program& program, OpId op);

}  // namespace cleave
