// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "metair/ir/tensor.h"

namespace metadist::cli {

// How far results are from what they should be, over all outputs.
struct Comparison {
  bool passed = true;
  double max_abs_error = 0;  // infinite where one of two elements is no number, or an infinity
  double max_rel_error = 0;  // absolute error over the largest magnitude expected in that output
  std::string detail;        // of the first output that differs
};

// |got - expected| <= atol + rtol |expected| for every element, NaN equal to NaN; integers and
// bools exactly. f64: 1e-8, 1e-7; f32: atol 1e-4, rtol 1e-3; f16: 1e-2, 1e-2; bf16: 5e-2, 5e-2. An
// expected array may have a wider element type than the result.
Comparison Compare(const std::vector<std::pair<std::string, Tensor>>& got,
                   const std::vector<std::pair<std::string, Tensor>>& expected);

}  // namespace metadist::cli
