// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "planner/solvers/bounds/dual.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// A cost of at least this contains a forbidden entry.
inline constexpr double kForbiddenCost = static_cast<double>(kInfinite) / 4;

// For one choice, the cost of every strategy of every node given all others: computed on demand and
// kept until a neighbour changes. Sums are exact in doubles as long as they stay below 2^53.
class Conditional {
 public:
  // Both must outlive the object. tables: used only for its edge entries in doubles.
  Conditional(const Reduced& reduced, const Dual& tables);

  // Switches to another choice; costs of nodes whose neighbours are unchanged are kept.
  void Reset(const Choice& choice);
  // Changes one node.
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
