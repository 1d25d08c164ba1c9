// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <queue>

#include "planner/solvers/memory_profile.h"
#include "planner/solvers/primal.h"

namespace metadist {

// A choice that is good at the prices is usually over the limit somewhere. Repair goes to the worst
// time and frees memory there by changing one node at a time: the change with the least cost
// increase per byte freed, where bytes beyond the excess do not count. That is the greedy rule of
// the knapsack problem; what it gets wrong the polish after it or the next price corrects.
//
// All changes at one time come from one queue: a change touches the costs of its neighbours only,
// and those enter the queue again. An entry whose score has changed when it is drawn goes back.
// Where rows are short, many times far from one another are over the limit, so nothing here may
// look at all nodes or all times: the nodes that live at a time come from an index (live_nodes.h),
// the worst time from a segment tree. O(rows live) per time visited plus O(degree x strategies +
// rows x log times) per change.

int64_t Primal::UsageAt(int node, int strategy, int time) const {
  int64_t sum = 0;
  for (const MemoryRow& row : reduced_.rows[node]) {
    if (row.lo <= time && time < row.hi) sum += row.usage[strategy];
  }
  return sum;
}

Primal::Move Primal::BestRelief(int node, int time, int64_t excess) {
  Move best;
  const int current = conditional_.choice()[node];
  const int64_t now = UsageAt(node, current, time);
  if (now == 0) return best;
  const double* costs = conditional_.Costs(node);
  const double over = static_cast<double>(excess);
  for (int q = 0; q < reduced_.size(node); ++q) {
    if (costs[q] >= kForbiddenCost) continue;
    const int64_t freed = now - UsageAt(node, q, time);
    if (freed <= 0) continue;
    const double increase = costs[q] - costs[current];
    // A move that costs nothing is worth more the more it frees.
    const double useful = std::min(static_cast<double>(freed), over);
    const double score = increase > 0 ? increase / useful : (increase - useful) / over;
    if (best.node < 0 || score < best.score) best = {score, node, q};
  }
  work_ += reduced_.size(node) * static_cast<int64_t>(1 + reduced_.rows[node].size());
  return best;
}

int Primal::Relieve(int time, int64_t limit, int max_steps, MemoryProfile& profile) {
  int64_t excess = profile.peak() - limit;
  std::priority_queue<Move, std::vector<Move>, std::greater<>> queue;
  auto push = [&](int node) {
    const Move move = BestRelief(node, time, excess);
    if (move.node >= 0) queue.push(move);
  };
  const std::span<const int> live = live_.At(time);
  for (int node : live) push(node);
  work_ += static_cast<int64_t>(live.size());
  int steps = 0;
  while (excess > 0 && steps < max_steps && !queue.empty()) {
    const Move drawn = queue.top();
    queue.pop();
    const Move move = BestRelief(drawn.node, time, excess);
    if (move.node < 0) continue;
    if (move.score > drawn.score) {
      queue.push(move);
      continue;
    }
    const int from = conditional_.choice()[move.node];
    profile.Move(move.node, from, move.strategy);
    work_ += MemoryProfile::kWorkPerRow * static_cast<int64_t>(reduced_.rows[move.node].size());
    excess -= UsageAt(move.node, from, time) - UsageAt(move.node, move.strategy, time);
    conditional_.Change(move.node, move.strategy);
    ++steps;
    push(move.node);
    for (const Link& link : tables_.links()[move.node]) push(link.other);
  }
  return steps;
}

bool Primal::Repair(Choice& choice, int max_steps) {
  return !reduced_.limit || RepairTo(choice, *reduced_.limit, max_steps);
}

bool Primal::RepairTo(Choice& choice, int64_t limit, int max_steps) {
  if (reduced_.base.empty()) return true;
  conditional_.Reset(choice);
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
