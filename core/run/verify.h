#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/run/run.h"

namespace cleave {

struct Tolerance {
    double absolute = 1e-5;
    double relative = 1e-4;  ///< equal: |a - b| <= absolute + relative * |b|

    bool operator==(const Tolerance&) const = default;
};

/// Wider where a model computes in float16 or bfloat16.
Tolerance usualTolerance(const Model& model);

struct Comparison {
    std::string output;
    std::string a, b;  ///< what was compared: "layer-wise", "full graph", "neighbourhoods", "op by op", "expected"
    double maxAbsolute = 0;
    double maxRelative = 0;               ///< largest |a - b| relative to the largest |b|
    std::int64_t rows = 0;                ///< compared
    std::int64_t outputRows = 0;          ///< that the output has
    std::int64_t rowsOver = 0;            ///< rows with an element over tolerance
    std::int64_t rowsNotFinite = 0;       ///< rows with NaN or an infinite number in the same place of both
    bool tellsNothing = false;            ///< no entry is a finite number in either
    std::int64_t rowsOfEqualScores = 0;   ///< rows of ids that name others of scores that are equal within tolerance, as ties are broken either way
    std::int64_t argMaxChanged = 0;       ///< rows whose largest of several elements is another one
    std::vector<std::int64_t> worstRows;  ///< up to 20 of the output's, worst first
    std::vector<double> worstGaps;        ///< largest |a - b| of each
    std::vector<double> worstJitters;     ///< how far each moves when the last digit of the inputs does; empty if that was not tried
    std::int64_t rowsJittered = 0;        ///< rows of the whole output that move beyond tolerance then, at most; 0 if only the worst were tried
    double jitter = 0;                    ///< and how far
    bool equal = true;
    /// Not equal, but the layer-wise answers are within tolerance of the uncut model's in float64, or nearer to them than its own: its long sums are
    /// less exact in the numbers that it is written in.
    bool equalInFloat64 = false;
    DType narrowest = DType::Float32;  ///< these numbers
    double uncutGap = 0;               ///< how far off the uncut model is then, in the worst rows
    double layerWiseGap = 0;           ///< and the layer-wise answers, at most; 0: within tolerance

    bool holds() const { return equal || equalInFloat64; }

    /// All worst rows move about as far with the last digit of the inputs: of such rows a run gives no more digits, cut or not. Or as many rows do,
    /// though others: of scores that are nearly equal, either is the larger one.
    bool isRounding() const;
    bool isRoundingOfOthers() const;  ///< the second of both alone
};

struct Accuracy {
    std::string run;    ///< "layer-wise", "full graph", "expected"
    std::string split;  ///< "test", "validation", "train"
    double value = 0;   ///< 0..1
};

/// Where some rows were compared only: of the uncut model on the nodes and edges that they depend on.
struct Sample {
    std::int64_t targets = 0, of = 0;   ///< nodes whose rows were compared, and all that were asked for
    int hops = 0;                       ///< how many steps away what they depend on may lie
    bool bothWays = false;              ///< steps go against the edges as well
    std::int64_t nodes = 0, edges = 0;  ///< of all their neighbourhoods together
    /// whose save points were compared as well, each computed from those before it as they are; and all there are
    int functions = 0, ofFunctions = 0;
    std::int64_t functionTargets = 0;  ///< nodes of which they were, in each at most
    struct NotCompared {
        std::string function, why;  ///< "function 2", and a sentence
    };
    std::vector<NotCompared> functionsNotCompared;  ///< the others, if they were to be
    std::vector<std::string> notCompared;           ///< outputs of which no rows could be
    std::string whyNotWhole;                        ///< why no node could be compared through all functions: a sentence; empty if some were
    double freeBytes = 0;                           ///< memory that the whole model did not fit into; 0 if it was not tried
};

struct VerifyResult {
    RunResult full, layerWise;  ///< full: of a sample, if there is one
    std::optional<Sample> sample;
    std::vector<Comparison> comparisons;
    std::vector<Accuracy> accuracies;  ///< if the graph has labels and an output is [V, classes]
    Tolerance tolerance;

    bool equal() const;
};

struct VerifyOptions {
    static constexpr std::int64_t whenTooLarge = 1024;

    RunOptions run;
    std::optional<Tolerance> tolerance;  ///< none: usualTolerance
    /// Outputs recorded elsewhere, of all nodes or of the targets: "expected", or "expected_0", "expected_1", …, or by their names
    std::map<std::string, Array> expected;
    /// compare so many nodes only, drawn at random; 0: all, or where the whole model needs too much memory whenTooLarge
    std::int64_t sample = 0;
};

/// Arrays of an .npz, or one alone of an .npy, for VerifyOptions::expected. Error if there are none.
std::map<std::string, Array> readExpected(const std::filesystem::path& path, const Progress& progress = {});

/// Error unless some array is one of the program's outputs, as VerifyOptions::expected names them, or if one is of an output that it has not.
void requireExpected(const std::map<std::string, Array>& arrays, const Program& program);

/// Runs full graph and layer-wise, and compares both with each other and with what was recorded elsewhere. Where the whole model does not fit into
/// memory, or a sample is asked for, the uncut model runs on neighbourhoods of some nodes instead: what K message passings make of a node depends on
/// nothing else. Where they differ, a few more layer-wise runs on inputs whose last digits are others tell how exact the rows can be at all.
VerifyResult verify(const Model& model, const DataGraph& graph, const VerifyOptions& options = {}, const Progress& progress = {});

}  // namespace cleave
