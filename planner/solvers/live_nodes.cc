// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/live_nodes.h"

#include <algorithm>
#include <utility>

namespace metadist {

// Time is cut into stretches as long as a row is on average, and each stretch lists the nodes whose
// rows meet it. A row of length l meets at most l / length + 2 stretches, so all lists together
// hold at most three entries per row, and the list of a time is longer than it must be by nodes
// that live just before or after. (An interval tree answers exactly, from memory that is not in
// one piece.) Time and memory: linear in rows and kept times.

namespace {

int64_t MeanLength(const Reduced& reduced) {
  int64_t times = 0;
  int64_t rows = 0;
  for (const std::vector<MemoryRow>& of_node : reduced.rows) {
    for (const MemoryRow& row : of_node) times += row.hi - row.lo;
    rows += static_cast<int64_t>(of_node.size());
  }
  return std::max<int64_t>(1, times / std::max<int64_t>(1, rows));
}

}  // namespace

LiveNodes::LiveNodes(const Reduced& reduced) : length_(MeanLength(reduced)), first_{0, 0} {
  if (reduced.base.empty()) return;
  const int64_t stretches = static_cast<int64_t>(reduced.base.size()) / length_ + 1;
  std::vector<std::pair<int64_t, int>> meets;
  std::vector<int> latest(stretches, -1);
  for (int i = 0; i < reduced.count(); ++i) {
    for (const MemoryRow& row : reduced.rows[i]) {
      for (int64_t s = row.lo / length_; s <= (row.hi - 1) / length_; ++s) {
        if (latest[s] == i) continue;
        latest[s] = i;
        meets.emplace_back(s, i);
      }
    }
  }
  first_.assign(stretches + 1, 0);
  for (const auto& [stretch, node] : meets) ++first_[stretch + 1];
  for (int64_t s = 0; s < stretches; ++s) first_[s + 1] += first_[s];
  nodes_.resize(meets.size());
  std::vector<size_t> end = first_;
  for (const auto& [stretch, node] : meets) nodes_[end[stretch]++] = node;
}

}  // namespace metadist
