#pragma once

namespace cleave::cli {

/// All of cleave-cli: what these arguments ask for, as main takes them. Returns the exit code; never throws. Takes over the handling of SIGINT,
/// SIGTERM, SIGHUP and SIGBUS of this process, so only once in each.
int runCommandLine(int argc, char** argv);

}  // namespace cleave::cli
