#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "tests/core/test_files.h"

namespace cleave::test {

struct Result {
    int code;
    std::string out, err;
};

/// What cleave-cli does with these arguments, as a shell takes them. config: XDG_CONFIG_HOME, a new folder if empty.
inline Result run(const std::string& arguments, const std::string& config = {})
{
    const TemporaryFolder folder;
    // Rates of whoever runs the tests play no part.
    const std::string command = "XDG_CONFIG_HOME=" + (config.empty() ? folder.path().string() : config) + " " + std::string(CLEAVE_CLI) + " " +
                                arguments + " >" + (folder / "out").string() + " 2>" + (folder / "err").string();
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), readText(folder / "out"), readText(folder / "err")};
}

/// An example that is installed with the program.
inline std::string example(const std::string& name)
{
    return (examplesDir() / name).string();
}

}  // namespace cleave::test
