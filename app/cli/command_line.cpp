#include "app/cli/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/signals.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/parallel.h"
#include "core/run/model.h"
#include "core/run/open_device.h"

namespace cleave::cli {

namespace {

std::string versionText()
{
    const std::string cuda = hasCudaCode() ? "built in" : "not built in";
    return "cleave-cli " CLEAVE_VERSION "\nLibTorch " + libtorchVersion() + "\nCUDA: " + cuda + "\n";
}

// A mapped file that somebody shortens ends the process wherever it is read.
void sayThatAFileIsGone(int)
{
    removeHalfWritten();
    static constexpr char sentence[] = "A file that was being read has become shorter, or its disk has failed: start again when it is whole.\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, sentence, sizeof sentence - 1);
    _exit(1);
}

}  // namespace

int runCommandLine(int argc, char** argv)
{
    listenForSignals();
    useSignalStack();
    struct sigaction action {};
    action.sa_handler = sayThatAFileIsGone;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGBUS, &action, nullptr);
    int exitCode = 0;
    CLI::App app(
        "Cuts graph neural networks between message-passing layers, runs them layer by layer and proves the answers equal.\n\n"
        "  cleave-cli inspect model.pt2            what is in the model and where it is cut\n"
        "  cleave-cli verify model.pt2 cora.npz    layer-wise against full graph\n"
        "  cleave-cli plan model.pt2 cora.npz      what each planner's cut costs, and the best one as a file\n",
        "cleave-cli");
    app.require_subcommand(1);
    app.set_version_flag("--version", versionText());
    app.footer(
        "Exit codes: 0 done, 1 it could not be done (one sentence on stderr), 2 wrong usage, 3 verify found a difference, 130 stopped by Ctrl+C.");
    addInspect(app, exitCode);
    addRun(app, exitCode);
    addVerify(app, exitCode);
    addDot(app, exitCode);
    addPlan(app, exitCode);
    addCode(app, exitCode);
    addCompare(app, exitCode);
    addProfile(app, exitCode);
    addBench(app, exitCode);
    addCalibrate(app, exitCode);
    addGenerate(app, exitCode);
    addConvert(app, exitCode);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        const std::string command = argc > 1 ? argv[1] : "";
        if (!command.empty() && command.front() != '-' &&
            std::ranges::none_of(app.get_subcommands({}), [&](const CLI::App* known) { return known->get_name() == command; }))
            std::fprintf(stderr, "There is no command '%s': cleave-cli --help lists them.\n", printable(command).c_str());
        else
            app.exit(error);
        return 2;
    } catch (const Cancelled&) {
        std::fputs("Cancelled.\n", stderr);
        return 130;
    } catch (const std::bad_alloc&) {
        std::fputs("There is not enough memory for this.\n", stderr);
        return 1;
    } catch (const std::filesystem::filesystem_error& error) {
        std::fprintf(stderr, "%s: %s.\n", printable(error.path1().string(), 300).c_str(), error.code().message().c_str());
        return 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return exitCode;
}

}  // namespace cleave::cli
