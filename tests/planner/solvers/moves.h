// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "planner/solvers/bounds/links.h"
#include "planner/solvers/problem/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"
#include "tests/planner/solvers/instances.h"

namespace metadist {

// Finite costs, a binding limit, up to seven nodes with up to five strategies.
inline constexpr InstanceShape kForMoves{
    .most_nodes = 7, .most_strategies = 5, .forbidden = 0, .followers = 0, .ties = 0};

// The instance of a seed, reduced only by rules that keep all choices; without nodes if it is
// infeasible.
inline Reduced ReducedForMoves(uint64_t seed) {
  Reduced reduced = Reduce(RandomProblem(seed, kForMoves), ReduceMode::kKeepAllChoices);
  return reduced.infeasible ? Reduced() : reduced;
}

// As many nodes as times, each live at one time, at which its first strategy alone exceeds the
// limit.
inline Reduced OneNodePerTime(int times) {
  Reduced reduced;
  for (int64_t t = 0; t < times; ++t) {
    reduced.costs.Add({0, 4});
    reduced.rows.Add({{t, t + 1, {8, 0}}});
  }
  reduced.limit = 7;
  reduced.base.assign(times, 0);
  return reduced;
}

inline Jagged<double> RandomPenalties(const Reduced& reduced, Random& random) {
  Jagged<double> penalties(reduced.costs, 0);
  for (double& value : penalties.values()) value = random.Below(20);
  return penalties;
}

inline double PricedCost(const Reduced& reduced,
                         const Jagged<double>& penalties,
                         const Choice& choice) {
  double cost = static_cast<double>(ReducedCost(reduced, choice));
  for (int i = 0; i < reduced.count(); ++i) cost += penalties[i][choice[i]];
  return cost;
}

inline Choice RandomChoice(const Reduced& reduced, Random& random) {
  Choice choice;
  for (int i = 0; i < reduced.count(); ++i) choice.push_back(random.Below(reduced.size(i)));
  return choice;
}

// Calls visit with every choice of the reduced problem.
template <typename Visit>
void ForEveryChoice(const Reduced& reduced, Visit visit) {
  Choice choice(reduced.count(), 0);
  for (int k = 0; k < reduced.count();) {
    visit(choice);
    for (k = 0; k < reduced.count(); ++k) {
      if (++choice[k] < reduced.size(k)) break;
      choice[k] = 0;
    }
  }
}

inline double LeastPricedCost(const Reduced& reduced, const Jagged<double>& penalties) {
  double least = 1e300;
  ForEveryChoice(reduced, [&](const Choice& choice) {
    least = std::min(least, PricedCost(reduced, penalties, choice));
  });
  return least;
}

}  // namespace metadist
