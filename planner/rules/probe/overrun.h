// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "planner/rules/probe/black_box.h"
#include "planner/rules/probe/coupled_sizes.h"
#include "planner/rules/probe/sampler.h"

namespace metadist {

// Finds the legal values of integer inputs for which the operator states none, by trying values
// that are too large.
class Overrun {
 public:
  // `coupled` has been run on box.values().
  Overrun(BlackBox& box, const CoupledSizes& coupled, Sampler& sampler)
      : box_(box), coupled_(coupled), sampler_(sampler) {}

  // Adds a domain to the box for every input that has a bound; none for inputs that accept any
  // integer.
  void Run();

 private:
  // Whether the kernel accepts `value` in all elements of the input, with 0 in the other inputs
  // that may have a bound.
  bool Accepts(std::span<const int64_t> values, int input, int64_t value);
  // Whether the largest accepted value is count - 1.
  bool EndsAt(std::span<const int64_t> values, int input, int64_t count);
  // The least rejected value; 0 if 0 is rejected.
  int64_t CountOf(int input);
  std::optional<FoundDomain> DomainOf(int input);

  BlackBox& box_;
  const CoupledSizes& coupled_;
  Sampler& sampler_;
  std::vector<int> unstated_;
};

}  // namespace metadist
