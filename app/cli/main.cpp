#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "app/cli/commands.h"
#include "core/base/error.h"
#include "core/run/model.h"

namespace {

std::string versionText()
{
    return "cleave-cli " CLEAVE_VERSION "\nLibTorch " + cleave::libtorchVersion() + "\nCUDA: not built in\n";
}

}  // namespace

int main(int argc, char** argv)
{
    int exitCode = 0;
    CLI::App app("Cuts graph neural networks between message-passing layers, runs them layer by layer and proves the answers equal.\n\n"
                 "  cleave-cli inspect model.pt2            what is in the model and where it is cut\n"
                 "  cleave-cli verify model.pt2 cora.npz    layer-wise against full graph\n"
                 "  cleave-cli plan model.pt2 cora.npz      what each planner's cut costs, and the best one as a file\n",
                 "cleave-cli");
    app.require_subcommand(1);
    app.set_version_flag("--version", versionText());
    app.footer("Exit codes: 0 done, 1 it could not be done (one sentence on stderr), 2 wrong usage, 3 verify found a difference.");
    cleave::cli::addInspect(app, exitCode);
    cleave::cli::addRun(app, exitCode);
    cleave::cli::addVerify(app, exitCode);
    cleave::cli::addDot(app, exitCode);
    cleave::cli::addPlan(app, exitCode);
    cleave::cli::addCode(app, exitCode);
    cleave::cli::addCompare(app, exitCode);
    cleave::cli::addProfile(app, exitCode);
    cleave::cli::addBench(app, exitCode);
    cleave::cli::addCalibrate(app, exitCode);
    cleave::cli::addGenerate(app, exitCode);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        app.exit(error);
        return 2;
    } catch (const cleave::Cancelled&) {
        std::fputs("Cancelled.\n", stderr);
        return 130;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return exitCode;
}
