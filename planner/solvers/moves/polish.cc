// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "planner/solvers/bounds/memory_profile.h"
#include "planner/solvers/moves/primal.h"

namespace metadist {

// Finds a feasible local optimum over single nodes; this recovers what repair gave away
// unnecessarily. A segment tree over time with range addition and global maximum decides in O(rows
// x log times) whether a move fits. After the first pass, a node is visited again only if a
// neighbour changed or if a better strategy of it did not fit before.

bool Primal::PolishNode(int node, MemoryProfile& profile, bool& blocked) {
  const double* costs = conditional_.Costs(node);
  const int current = conditional_.choice()[node];
  better_.clear();
  for (int q = 0; q < reduced_.size(node); ++q) {
    if (costs[q] < costs[current] - resolution_) better_.push_back(q);
  }
  work_ += reduced_.size(node);
  std::ranges::stable_sort(better_, {}, [costs](int q) { return costs[q]; });
  for (int q : better_) {
    work_ += MemoryProfile::kWorkPerRow * static_cast<int64_t>(reduced_.rows[node].size());
    profile.Move(node, current, q);
    if (profile.fits()) {
      conditional_.Change(node, q);
      return true;
    }
    profile.Move(node, q, current);
    blocked = true;
  }
  return false;
}

void Primal::Polish(Choice& choice, Random& random) {
  conditional_.Reset(choice);
  MemoryProfile profile(reduced_, choice);
  work_ += rows_ + static_cast<int64_t>(2 * reduced_.base.size());
  std::vector<int> order = Indices(reduced_.count());
  std::vector<char> due(reduced_.count(), 1);
  std::vector<int> blocked_nodes;
  for (bool changed = true; changed;) {
    changed = false;
    blocked_nodes.clear();
    random.ShuffleInPieces(order);
    for (int node : order) {
      if (!due[node]) continue;
      due[node] = 0;
      bool blocked = false;
      if (PolishNode(node, profile, blocked)) {
        changed = true;
        for (const Link& link : tables_.links()[node]) due[link.other] = 1;
      }
      if (blocked) blocked_nodes.push_back(node);
    }
    for (int node : blocked_nodes) due[node] = 1;
    order.clear();
    for (int i = 0; i < reduced_.count(); ++i) {
      if (due[i]) order.push_back(i);
    }
  }
  choice = conditional_.choice();
}

}  // namespace metadist
