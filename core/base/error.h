#pragma once

#include <stdexcept>

namespace cleave {

/// A request that cannot be done. The text is the one sentence a person reads: what, where, what to do.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// One that less work, or a machine with more memory, would not meet.
class NotEnoughMemory : public Error {
public:
    using Error::Error;
};

/// One for what must be in memory all at once, so that a bound on it would not help either.
class NeverEnoughMemory : public NotEnoughMemory {
public:
    using NotEnoughMemory::NotEnoughMemory;
};

/// Thrown out of long work when its Progress was asked to stop.
class Cancelled : public std::runtime_error {
public:
    Cancelled() : std::runtime_error("Cancelled.") {}
};

}  // namespace cleave
