#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/model/program.h"

namespace cleave {

/// Inputs whose rows of nodes or edges are not along the first dimension, such as x [B, V, F], are taken with their rows first, and put back as
/// forward has them by an op of the program (Input::rowDim). Rows are what indices and matrices of the graph name. The program is in functional form.
void putRowsFirst(Program& program);

/// What is taken for sizes of which nobody says what they are: enough for convolutions along time.
inline constexpr std::int64_t assumedSize = 12;

/// A size of an input that neither the graph's structure nor the model fixes: how many time steps, or graphs side by side.
struct FreeSize {
    std::string input;
    int dim = 0;             ///< as forward has it
    std::int64_t size = 0;
    bool isAssumed = false;  ///< assumedSize, since nobody said

    bool operator==(const FreeSize&) const = default;
};

/// Sizes of inputs by their names, and dimension as forward has it.
using KnownInputSizes = std::map<std::string, std::map<int, std::int64_t>>;

/// Takes these sizes for what is known of them; they are numbers of the program from then on. Roles are known. Of `queries`, too, which are symbols.
std::vector<FreeSize> fixFreeSizes(Program& program, const KnownInputSizes& known, const std::set<std::string>& queries = {});

/// Symbols of sizes of inputs that count neither nodes nor edges, although ops give values with one of these along one dimension and nodes or edges
/// along another: queries, each of which is held against all nodes. Roles are known.
std::set<std::string> sizesOfQueries(const Program& program);

}  // namespace cleave
