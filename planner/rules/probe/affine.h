// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "planner/rules/probe/family.h"
#include "planner/rules/probe/sampler.h"

namespace metadist {

// Tests in which inputs an operator may be affine: f(x, b) = g(x) + L(x) b. Partial sums can only
// pass through such inputs.
class AffineInputs {
 public:
  AffineInputs(BlackBox& box, Sampler& sampler, const Family& family)
      : box_(box), sampler_(sampler), family_(family) {}

  // False: the operator is not affine in this float input. The answer is cached.
  bool MayBe(int input);

 private:
  // The results for values on a line through one input: all equal, on a line, or neither.
  enum class Line { kPoint, kStraight, kBent };

  Line Test(size_t input, InputMode mode);

  BlackBox& box_;
  Sampler& sampler_;
  const Family& family_;
  std::vector<std::optional<bool>> known_;  // by input
};

}  // namespace metadist
