#pragma once

#include <vector>

#include "core/plan/cut.h"

namespace cleave::views {

/// Bands that do the same again and again, one behind the other: the layers of a deep model. Band i + 1 is function i.
struct Repeat {
    int first = 0;   ///< band
    int period = 1;  ///< bands that one repetition takes
    int count = 0;   ///< repetitions

    int shown() const { return first + period; }        ///< the first band of the second repetition: those before it are drawn
    int end() const { return first + period * count; }  ///< behind the last band
    bool operator==(const Repeat&) const = default;
};

/// The feature ops of each band in execution order, each once; what no function runs is in band 0.
std::vector<std::vector<OpId>> opsOfBands(const Analysis& analysis, const CutProgram& cut);

/// Runs of at least this many repetitions, from above: same operators with same whole-number arguments on tensors of same shapes in modules of same
/// classes, which read the same of the repetition before them, or alike tensors of one band before all. Linear in the ops.
std::vector<Repeat> findRepeats(const Analysis& analysis, const CutProgram& cut, int least = 4);

}  // namespace cleave::views
