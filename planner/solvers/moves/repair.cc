// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/memory_profile.h"
#include "planner/solvers/moves/primal.h"

namespace metadist {

// A choice that is good at the prices usually exceeds the limit somewhere. Repair goes to the worst
// time and frees memory there by changing one node at a time: the change with the least cost
// increase per byte freed, where bytes beyond the excess do not count. That is the greedy rule for
// the knapsack problem; its mistakes are corrected by the polish that follows or by the next
// prices.
//
// Where rows are short, many distant times exceed the limit, so nothing here may examine all nodes
// or all times: changes are drawn in order of their score (relief.h), and the worst time comes from
// a segment tree. Per change: O(degree x strategies + rows x log times).

int Primal::Relieve(int time, int max_steps, MemoryProfile& profile) {
  int64_t excess = profile.peak() - *reduced_.limit;
  relief_.Visit(time);
  int steps = 0;
  while (excess > 0 && steps < max_steps) {
    const ReliefMove move = relief_.Cheapest(excess);
    if (move.node < 0) break;
    const int from = conditional_.choice()[move.node];
    profile.Move(move.node, from, move.strategy);
    work_ += MemoryProfile::kWorkPerRow * static_cast<int64_t>(reduced_.rows[move.node].size());
    excess -= UsageAt(reduced_, move.node, from, time) -
              UsageAt(reduced_, move.node, move.strategy, time);
    conditional_.Change(move.node, move.strategy);
    relief_.Changed(move.node, excess);
    ++steps;
  }
  return steps;
}

bool Primal::Repair(Choice& choice, int max_steps) {
  if (!reduced_.limit || reduced_.base.empty()) return true;
  conditional_.Reset(choice);
  relief_.Begin();
  MemoryProfile profile(reduced_, choice);
  work_ += rows_ + static_cast<int64_t>(2 * reduced_.base.size());
  for (int step = 0; !profile.fits() && step < max_steps;) {
    const int moves = Relieve(profile.peak_time(), max_steps - step, profile);
    if (moves == 0) break;
    step += moves;
  }
  choice = conditional_.choice();
  return profile.fits();
}

}  // namespace metadist
