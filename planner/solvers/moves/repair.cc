// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/memory_profile.h"
#include "planner/solvers/moves/primal.h"

namespace metadist {

// A choice that is good at the prices is usually over the limit somewhere. Repair goes to the worst
// time and frees memory there by changing one node at a time: the change with the least cost
// increase per byte freed, where bytes beyond the excess do not count. That is the greedy rule of
// the knapsack problem; what it gets wrong the polish after it or the next price corrects.
//
// Where rows are short, many times far from one another are over the limit, so nothing here may
// look at all nodes or all times: the changes come in order of their score (relief.h), the worst
// time from a segment tree. Per change: O(degree x strategies + rows x log times).

int Primal::Relieve(int time, int64_t limit, int max_steps, MemoryProfile& profile) {
  int64_t excess = profile.peak() - limit;
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
  return !reduced_.limit || RepairTo(choice, *reduced_.limit, max_steps);
}

bool Primal::RepairTo(Choice& choice, int64_t limit, int max_steps) {
  if (reduced_.base.empty()) return true;
  conditional_.Reset(choice);
  relief_.Begin();
  MemoryProfile profile(reduced_, choice);
  work_ += rows_ + static_cast<int64_t>(2 * reduced_.base.size());
  for (int step = 0; profile.peak() > limit && step < max_steps;) {
    const int moves = Relieve(profile.peak_time(), limit, max_steps - step, profile);
    if (moves == 0) break;
    step += moves;
  }
  choice = conditional_.choice();
  return profile.peak() <= limit;
}

}  // namespace metadist
