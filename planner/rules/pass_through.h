// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "planner/rules/affine.h"
#include "planner/rules/family.h"
#include "planner/rules/rule.h"
#include "planner/rules/sampler.h"

namespace metadist {

// Sets of float inputs through which a sum, a maximum or a minimum passes: f(x + y) = f(x) + f(y)
// with the other inputs unchanged. Minimal sets of 1, 2, 3 and all inputs; `sizes` are atom sizes
// to try, the first of them most often; all must agree. Adds to `executions`.
std::vector<PassThrough> FindPassThrough(BlackBox& box,
                                         Sampler& sampler,
                                         const Family& family,
                                         const std::vector<std::vector<int64_t>>& sizes,
                                         AffineInputs& affine,
                                         int64_t& executions);

}  // namespace metadist
