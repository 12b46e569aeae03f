#pragma once

#include <functional>
#include <stop_token>
#include <string_view>

#include "core/base/error.h"

namespace cleave {

/// How long work tells where it is and learns that it should stop. Cheap to copy; the default reports nothing and never stops.
struct Progress {
    std::stop_token stop;
    std::function<void(double fraction, std::string_view what)> report;  ///< fraction in 0..1 of the step named by what

    /// Reports and throws Cancelled if a stop was requested.
    void update(double fraction, std::string_view what) const
    {
        check();
        if (report)
            report(fraction, what);
    }

    void check() const
    {
        if (stop.stop_requested())
            throw Cancelled();
    }
};

}  // namespace cleave
