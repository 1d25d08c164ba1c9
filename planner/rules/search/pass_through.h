// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "planner/rules/factor/rule.h"
#include "planner/rules/probe/affine.h"
#include "planner/rules/probe/family.h"
#include "planner/rules/probe/sampler.h"

namespace metadist {

// Atom sizes at which calls are tried: the first most often, the first `edges` also with numbers at
// the edges of the call's own element types.
struct PassSizes {
  std::vector<std::vector<int64_t>> atoms;
  size_t edges = 1;
};

// Sets of float inputs through which a partial sum, maximum or minimum passes: f(x + y) = f(x) +
// f(y) with the other inputs unchanged. Minimal sets of 1, 2, 3 and all inputs; all sizes must
// agree. Adds to `executions`.
std::vector<PassThrough> FindPassThrough(BlackBox& box,
                                         Sampler& sampler,
                                         const Family& family,
                                         const PassSizes& sizes,
                                         AffineInputs& affine,
                                         int64_t& executions);

// Whether partial values of the pass's inputs give a different result than the whole, for the call
// with these slot values. False if that cannot be tested.
bool PassDiffers(BlackBox& box,
                 Sampler& sampler,
                 const PassThrough& pass,
                 const std::vector<int64_t>& values);

}  // namespace metadist
