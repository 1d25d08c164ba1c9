// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ir/tensor.h"

namespace metadist::cli {

// The difference between results and expected results, over all outputs.
struct Comparison {
  bool passed = true;
  double max_abs_error = 0;  // infinite if one of two elements is NaN or an infinity
  double max_rel_error = 0;  // absolute error relative to the largest expected magnitude in that
                             // output
  std::string detail;        // on the first output that differs
};

// For each float output by name: the least precise type among the values computed on the way to it,
// including itself, because no result is more precise than the values it is computed from. The
// model's inputs and parameters count as exact; integers of at most 8 bits count if a node computes
// them from floats.
std::map<std::string, ElementType> CoarsestTypes(const Graph& graph);

// Compares outputs of a graph whose CoarsestTypes are `coarsest` (an output without an entry uses
// its own type). Integers and bools must be equal, NaN equals NaN, and floats must be as close as
// the coarsest type allows, with its relative tolerance r (f64 1e-7, f32 1e-3, f16 1e-2, bf16 5e-2,
// integers of 8 bits 2e-2, floats of 8 and 4 bits one step between numbers):
//
//   |got - expected| <= r |expected| + r / 10 rms(expected) + epsilon + 4 m    for every element
//   median of (|got - expected| - 4 m) / |expected| <= r    over elements above the last three
//   terms
//
// The second term is the error of sums that cancel; the median distinguishes a result that is wrong
// throughout from one with a few small elements that are such sums. m, in `moved` by output name,
// is how far roundings of the model's inputs and parameters move an element of that output; 0
// without an entry. An expected array may have a wider element type than the result.
Comparison Compare(const std::vector<std::pair<std::string, Tensor>>& got,
                   const std::vector<std::pair<std::string, Tensor>>& expected,
                   const std::map<std::string, ElementType>& coarsest,
                   const std::map<std::string, double>& moved = {});

// The largest difference between two elements, for each output of floats or of integers of at most
// 8 bits, by name: for `moved`.
std::map<std::string, double> Movement(const std::vector<std::pair<std::string, Tensor>>& a,
                                       const std::vector<std::pair<std::string, Tensor>>& b);

// The widest tolerance that Compare uses for these outputs.
struct Tolerance {
  std::string type;     // "bf16"; "" if all elements must be equal
  double relative = 0;  // r of that type
};
Tolerance WidestTolerance(const std::map<std::string, ElementType>& coarsest);

}  // namespace metadist::cli
