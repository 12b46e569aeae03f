#pragma once

#include <string>

#include "tests/core/test_files.h"

namespace cleave::test {

struct Result {
    int code;  // 128 + the signal where one ended it
    std::string out, err;
};

/// What cleave-cli does with these arguments, as a shell takes them, in a copy of a process that has loaded LibTorch already.
/// config: XDG_CONFIG_HOME, a new folder if empty: rates of whoever runs the tests play no part.
Result run(const std::string& arguments, const std::string& config = {});

/// The same by the program itself, as a person starts it: where its memory counts, or what a shell does.
Result runProgram(const std::string& arguments, const std::string& config = {});

/// An example that is installed with the program.
std::string example(const std::string& name);

}  // namespace cleave::test
