#pragma once

#include <stop_token>

namespace cleave::cli {

/// Has a thread wait for SIGINT, SIGTERM and SIGHUP, and blocks them in the calling thread and in all that it starts, so that they interrupt no
/// work: matrix products that are compiled at run time use the stack pointer for something else, and the frame of a handler would be written where
/// it points. To be called first of all. What is ignored stays so (nohup). Each ends the process, without leaving half-written files, but for
/// the first SIGINT after stopAtInterrupt().
void listenForSignals();

/// Stopped by the first SIGINT from now on.
std::stop_token stopAtInterrupt();

}  // namespace cleave::cli
