// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "planner/rules/probe/black_box.h"
#include "planner/rules/probe/coupled_sizes.h"
#include "planner/rules/probe/sampler.h"

namespace metadist {

// Finds the legal values of integer inputs of which the operator states none, by overrunning them.
class Overrun {
 public:
  // `coupled` has been run on box.values().
  Overrun(BlackBox& box, const CoupledSizes& coupled, Sampler& sampler)
      : box_(box), coupled_(coupled), sampler_(sampler) {}

  // Tells the box of every input that has a bound; says nothing of those that take any integer.
  void Run();

 private:
  // Whether the kernel takes `value` in all places of the input, and 0 in those of others that may
  // have a bound too.
  bool Accepts(std::span<const int64_t> values, int input, int64_t value);
  // Whether exactly the values below `count` (and not below `low`) are taken.
  bool EndsAt(std::span<const int64_t> values, int input, int64_t count);
  // The least refused value above 0; 0 where 0 is refused.
  int64_t CountOf(int input);
  std::optional<FoundDomain> DomainOf(int input);

  BlackBox& box_;
  const CoupledSizes& coupled_;
  Sampler& sampler_;
  std::vector<int> unstated_;
};

}  // namespace metadist
