#pragma once

#include <CLI/CLI.hpp>

namespace cleave::cli {

/// Each adds its subcommand to the app; the callback that CLI11 runs does the work and sets exitCode.
void addInspect(CLI::App& app, int& exitCode);
void addDot(CLI::App& app, int& exitCode);
void addRun(CLI::App& app, int& exitCode);
void addVerify(CLI::App& app, int& exitCode);
void addPlan(CLI::App& app, int& exitCode);
void addCode(CLI::App& app, int& exitCode);
void addCompare(CLI::App& app, int& exitCode);
void addBench(CLI::App& app, int& exitCode);
void addCalibrate(CLI::App& app, int& exitCode);
void addProfile(CLI::App& app, int& exitCode);
void addGenerate(CLI::App& app, int& exitCode);
void addConvert(CLI::App& app, int& exitCode);

}  // namespace cleave::cli
