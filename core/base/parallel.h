#pragma once

#include <cstdint>
#include <functional>

namespace cleave {

/// Calls work(i, thread) once for each i in 0 … count - 1, thread being 0 … threads - 1, each on its own thread; numbers are handed out in
/// order as threads come free. The calling thread takes part. The first exception stops the handing out and is thrown again.
/// Calls from inside work run on their own thread alone, and so does a second caller while one is at work. Stoppable between two calls of work.
void parallelFor(std::int64_t count, int threads, const std::function<void(std::int64_t i, int thread)>& work);

/// Calls body(thread) for some or all of 0 … threads - 1, each on its own thread, and returns when all are done. body throws nothing.
using Team = void (*)(int threads, const std::function<void(int thread)>& body);

/// Gives the calling thread a stack of its own for signals whose handlers ask for it (SA_ONSTACK); parallelFor does so on its threads. Matrix
/// products that are compiled at run time use the stack pointer for something else.
void useSignalStack();

/// Whose threads parallelFor runs on; null: its own.
void useTeam(Team team);

}  // namespace cleave
