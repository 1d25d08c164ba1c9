// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/memory_profile.h"

#include <algorithm>
#include <limits>

namespace metadist {

namespace {

// Less than every usage, and far enough from the end of the type for differences.
constexpr int64_t kNever = std::numeric_limits<int64_t>::min() / 2;

}  // namespace

MemoryProfile::MemoryProfile(const Reduced& reduced, const Choice& choice)
    : reduced_(reduced), times_(static_cast<int64_t>(reduced.base.size())) {
  if (times_ == 0) return;
  while (leaves_ < times_ + 2) leaves_ *= 2;
  const std::vector<int64_t> usage = UsageOf(reduced, choice);
  tree_.assign(2 * leaves_, 0);
  std::fill(tree_.begin() + leaves_, tree_.end(), kNever);
  std::copy(usage.begin(), usage.end(), tree_.begin() + leaves_ + 1);
  for (int64_t v = 2 * leaves_ - 2; v > 1; v -= 2) Settle(v);
}

void MemoryProfile::Move(int node, int from, int to) {
  for (const RowTable::Row& row : reduced_.rows[node])
    AddRange(row.lo, row.hi, row.usage[to] - row.usage[from]);
}

// Moves the maximum of a vertex and its sibling to their parent; returns it.
int64_t MemoryProfile::Settle(int64_t vertex) {
  int64_t& one = tree_[vertex];
  int64_t& other = tree_[vertex ^ 1];
  const int64_t most = std::max(one, other);
  one -= most;
  other -= most;
  tree_[vertex >> 1] += most;
  return most;
}

// Bottom-up, between two leaves outside the range.
void MemoryProfile::AddRange(int64_t lo, int64_t hi, int64_t change) {
  if (change == 0 || lo >= hi) return;
  int64_t left = leaves_ + lo;
  int64_t right = leaves_ + hi + 1;
  while ((left ^ right) != 1) {
    if ((left & 1) == 0) tree_[left ^ 1] += change;
    if ((right & 1) == 1) tree_[right ^ 1] += change;
    Settle(left);
    Settle(right);
    left >>= 1;
    right >>= 1;
  }
  while (left > 1 && Settle(left) != 0) left >>= 1;
}

int MemoryProfile::peak_time() const {
  int64_t vertex = 1;
  while (vertex < leaves_) {
    vertex = tree_[2 * vertex] >= tree_[2 * vertex + 1] ? 2 * vertex : 2 * vertex + 1;
  }
  return static_cast<int>(vertex - leaves_ - 1);
}

int64_t UsageAt(const Reduced& reduced, int node, int p, int time) {
  int64_t sum = 0;
  for (const RowTable::Row& row : reduced.rows[node]) {
    if (row.lo <= time && time < row.hi) sum += row.usage[p];
  }
  return sum;
}

std::vector<int64_t> UsageOf(const Reduced& reduced, const Choice& choice) {
  const size_t times = reduced.base.size();
  std::vector<int64_t> usage(times + 1, 0);
  for (int i = 0; i < reduced.count(); ++i) {
    for (const RowTable::Row& row : reduced.rows[i]) {
      usage[row.lo] += row.usage[choice[i]];
      usage[row.hi] -= row.usage[choice[i]];
    }
  }
  usage.resize(times);
  int64_t live = 0;
  for (size_t t = 0; t < times; ++t) {
    live += usage[t];
    usage[t] = reduced.base[t] + live;
  }
  return usage;
}

int64_t PeakOf(const Reduced& reduced, const Choice& choice) {
  const std::vector<int64_t> usage = UsageOf(reduced, choice);
  return usage.empty() ? 0 : *std::max_element(usage.begin(), usage.end());
}

std::vector<int> ViolatedPeaks(const std::vector<int64_t>& usage, int64_t limit) {
  constexpr size_t kLongestRun = 200;
  std::vector<int> peaks;
  for (size_t t = 0; t < usage.size();) {
    if (usage[t] <= limit) {
      ++t;
      continue;
    }
    size_t best = t;
    for (size_t start = t; t < usage.size() && usage[t] > limit && t < start + kLongestRun; ++t) {
      if (usage[t] > usage[best]) best = t;
    }
    peaks.push_back(static_cast<int>(best));
  }
  return peaks;
}

}  // namespace metadist
