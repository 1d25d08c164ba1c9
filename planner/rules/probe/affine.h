// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "planner/rules/probe/family.h"
#include "planner/rules/probe/sampler.h"

namespace metadist {

// In which inputs an operator may be affine: f(x, b) = g(x) + L(x) b. Only of those can sums pass.
class AffineInputs {
 public:
  AffineInputs(BlackBox& box, Sampler& sampler, const Family& family)
      : box_(box), sampler_(sampler), family_(family) {}

  // False: the operator is not affine in this float input. Asked once; nothing is run again.
  bool MayBe(int input);

 private:
  // What the results are on a line of values of one input: all one, on a line, or neither.
  enum class Line { kPoint, kStraight, kBent };

  Line Test(size_t input, InputMode mode);

  BlackBox& box_;
  Sampler& sampler_;
  const Family& family_;
  std::vector<std::optional<bool>> known_;  // by input
};

}  // namespace metadist
