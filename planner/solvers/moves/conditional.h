// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "planner/solvers/bounds/dual.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Costs from here on take a forbidden entry.
inline constexpr double kForbiddenCost = static_cast<double>(kInfinite) / 4;

// For one choice, the cost of every strategy of every node given all others: computed when asked
// for, kept until a neighbour changes. Sums are exact in doubles as long as they stay below 2^53.
class Conditional {
 public:
  // Both must outlive the object. tables: edge entries in doubles only.
  Conditional(const Reduced& reduced, const Dual& tables);

  // Goes over to another choice; costs whose neighbours agree stay.
  void Reset(const Choice& choice);
  // One node changes.
  void Change(int node, int strategy);
  // One cost per strategy of the node; valid until the next call of any member.
  const double* Costs(int node);

  const Choice& choice() const { return choice_; }
  // Table entries touched so far.
  int64_t work() const { return work_; }

 private:
  const Reduced& reduced_;
  const Dual& tables_;
  Choice choice_;
  Jagged<double> costs_;
  std::vector<char> stale_;
  int64_t work_ = 0;
};

}  // namespace metadist
