// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "metair/ops/gradient.h"

// Shared by operators that write updates into a copy of input 0.
namespace metadist {

// Errors: kBadInput unless attribute `reduction` is none, add, mul, max or min, and the element
// type supports it.
Result<void> CheckScatterReduction(const OpCall& call);

// Gradients of data and updates of a scatter with a reduction. picked: the elements of an array of
// data's shape at the indices. Where several updates meet in one element, those of max and min each
// count in full, and those of mul must not be 0.
struct ScatteredGradients {
  Term data;
  Term updates;
};
ScatteredGradients ReducedScatterGradients(GradientCall& g,
                                           const std::function<Term(const Term&)>& picked);

// Combines `count` elements of `updates`, starting at `from`, into `to`, starting at `at`, one
// after the other, according to `reduction`. Both tensors have the same compute type, which
// CheckScatterReduction accepted.
void ScatterInto(const std::string& reduction,
                 const Tensor& updates,
                 int64_t from,
                 int64_t count,
                 Tensor& to,
                 int64_t at);

}  // namespace metadist
