// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ir/tensor.h"

namespace metadist::cli {

// How far results are from what they should be, over all outputs.
struct Comparison {
  bool passed = true;
  double max_abs_error = 0;  // infinite where one of two elements is no number, or an infinity
  double max_rel_error = 0;  // absolute error over the largest magnitude expected in that output
  std::string detail;        // of the first output that differs
};

// Of each float output by name, the type of fewest digits among the values that are computed on the
// way to it, itself included: no result is more exact than what it is made of. What the model is
// given counts as exact; integers of 8 bits and fewer count where a node makes them of floats.
std::map<std::string, ElementType> CoarsestTypes(const Graph& graph);

// Compares outputs of a graph with CoarsestTypes `coarsest` (without an entry: by their own type).
// Integers and bools must be equal, NaN equals NaN, and floats must be as close as the coarsest
// type explains, with its relative tolerance r (f64 1e-7, f32 1e-3, f16 1e-2, bf16 5e-2,
// integers of 8 bits 2e-2, floats of 8 and 4 bits one step between numbers):
//
//   |got - expected| <= r |expected| + r / 10 rms(expected) + epsilon + 4 m    for every element
//   median of |got - expected| / |expected| <= r      over elements above the last three terms
//
// The second term is what sums that cancel lose; the median tells a result that is wrong throughout
// from one whose few small elements are such sums. m, in `moved` by name of output, is how far
// roundings of what the model is given move an element of that output; without an entry: 0. An
// expected array may have a wider element type than the result.
Comparison Compare(const std::vector<std::pair<std::string, Tensor>>& got,
                   const std::vector<std::pair<std::string, Tensor>>& expected,
                   const std::map<std::string, ElementType>& coarsest,
                   const std::map<std::string, double>& moved = {});

// The largest difference of two elements of each output of floats, or of integers of 8 bits and
// fewer, by name: for `moved`.
std::map<std::string, double> Movement(const std::vector<std::pair<std::string, Tensor>>& a,
                                       const std::vector<std::pair<std::string, Tensor>>& b);

// The widest tolerance that Compare takes for these outputs.
struct Tolerance {
  std::string type;     // "bf16"; "" where all elements must be equal
  double relative = 0;  // r of that type
};
Tolerance WidestTolerance(const std::map<std::string, ElementType>& coarsest);

}  // namespace metadist::cli
