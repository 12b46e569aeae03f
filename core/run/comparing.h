#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "core/run/choice.h"
#include "core/run/verify.h"

/// Arrays that should be equal: private to core/run.
namespace cleave {

/// [rows, …], rows along rowDim; of a number [rows], the number as often.
at::Tensor rowsOf(const Array& array, int rowDim, const std::vector<std::int64_t>& rows);

/// The largest difference in each row.
std::vector<double> largestGaps(const at::Tensor& a, const at::Tensor& b);

/// What an entry may differ by depends on its own size, or on that of the largest in its row: sums of many numbers are as exact as the largest of
/// them.
enum class Measure { Entry, Row };

/// What was compared is for the caller to say. Of whole numbers only the absolute part of the tolerance counts.
Comparison compare(const NamedArray& a, const Array& expected, const Tolerance& tolerance, Measure measure = Measure::Entry);

/// Takes back what `c`, of these ids, says of rows that name others of equal scores. scores: those of the uncut model.
void allowOtherChoices(Comparison& c, const NamedArray& ids, const Array& expected, const Choice& choice, const at::Tensor& scores,
                       const Tolerance& tolerance);

/// The uncut model on what of the graph some nodes depend on, against result.layerWise, which is there: at most so many nodes, through all functions,
/// and where few have neighbourhoods that fit into memory, in each function alone. Fills result.sample, .full and .comparisons. Error if nothing can
/// be compared.
void compareSample(VerifyResult& result, const Model& model, const DataGraph& graph, const VerifyOptions& options, std::int64_t most,
                   double freeBytes, const Progress& progress);

}  // namespace cleave
