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
// O(rows) per time visited plus O(degree x strategies) per change.

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

int Primal::Relieve(int time, int64_t limit, int max_steps, std::vector<int64_t>& usage) {
  std::priority_queue<Move, std::vector<Move>, std::greater<>> queue;
  auto push = [&](int node) {
    const Move move = BestRelief(node, time, usage[time] - limit);
    if (move.node >= 0) queue.push(move);
  };
  for (int i = 0; i < reduced_.count(); ++i) push(i);
  work_ += rows_;
  int steps = 0;
  while (usage[time] > limit && steps < max_steps && !queue.empty()) {
    const Move drawn = queue.top();
    queue.pop();
    const Move move = BestRelief(drawn.node, time, usage[time] - limit);
    if (move.node < 0) continue;
    if (move.score > drawn.score) {
      queue.push(move);
      continue;
    }
    const int from = conditional_.choice()[move.node];
    for (const MemoryRow& row : reduced_.rows[move.node]) {
      const int64_t change = row.usage[move.strategy] - row.usage[from];
      if (change == 0) continue;
      for (int64_t t = row.lo; t < row.hi; ++t) usage[t] += change;
      work_ += (row.hi - row.lo) / 4;
    }
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
  std::vector<int64_t> usage = UsageOf(reduced_, choice);
  work_ += rows_;
  bool fits = false;
  for (int step = 0;;) {
    const auto worst = std::max_element(usage.begin(), usage.end());
    work_ += static_cast<int64_t>(usage.size()) / 2;
    fits = *worst <= limit;
    if (fits || step >= max_steps) break;
    const int time = static_cast<int>(worst - usage.begin());
    const int moves = Relieve(time, limit, max_steps - step, usage);
    if (moves == 0) break;
    step += moves;
  }
  choice = conditional_.choice();
  return fits;
}

}  // namespace metadist
