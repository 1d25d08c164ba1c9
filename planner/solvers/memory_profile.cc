// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/memory_profile.h"

#include <algorithm>
#include <limits>

namespace metadist {

MemoryProfile::MemoryProfile(const Reduced& reduced, const Choice& choice)
    : reduced_(reduced), times_(static_cast<int64_t>(reduced.base.size())) {
  if (times_ == 0) return;
  while (leaves_ < times_) leaves_ *= 2;
  const std::vector<int64_t> usage = UsageOf(reduced, choice);
  most_.assign(2 * leaves_, std::numeric_limits<int64_t>::min() / 2);
  added_.assign(2 * leaves_, 0);
  std::copy(usage.begin(), usage.end(), most_.begin() + leaves_);
  for (int64_t v = leaves_ - 1; v > 0; --v) most_[v] = std::max(most_[2 * v], most_[2 * v + 1]);
}

void MemoryProfile::Move(int node, int from, int to) {
  for (const MemoryRow& row : reduced_.rows[node]) {
    const int64_t change = row.usage[to] - row.usage[from];
    if (change != 0) Add(1, 0, leaves_, row.lo, row.hi, change);
  }
}

void MemoryProfile::Add(
    size_t vertex, int64_t begin, int64_t end, int64_t lo, int64_t hi, int64_t value) {
  if (lo <= begin && end <= hi) {
    most_[vertex] += value;
    added_[vertex] += value;
    return;
  }
  const int64_t middle = (begin + end) / 2;
  if (lo < middle) Add(2 * vertex, begin, middle, lo, hi, value);
  if (hi > middle) Add(2 * vertex + 1, middle, end, lo, hi, value);
  most_[vertex] = std::max(most_[2 * vertex], most_[2 * vertex + 1]) + added_[vertex];
}

int MemoryProfile::peak_time() const {
  int64_t vertex = 1;
  while (vertex < leaves_) {
    vertex = most_[2 * vertex] >= most_[2 * vertex + 1] ? 2 * vertex : 2 * vertex + 1;
  }
  return static_cast<int>(vertex - leaves_);
}

std::vector<int64_t> MemoryProfile::usage() const {
  if (times_ == 0) return {};
  // What is pending above each vertex.
  std::vector<int64_t> above(2 * leaves_, 0);
  for (int64_t v = 2; v < 2 * leaves_; ++v) above[v] = above[v / 2] + added_[v / 2];
  std::vector<int64_t> out(times_);
  for (int64_t t = 0; t < times_; ++t) out[t] = most_[leaves_ + t] + above[leaves_ + t];
  return out;
}

int64_t UsageAt(const Reduced& reduced, int node, int p, int time) {
  int64_t sum = 0;
  for (const MemoryRow& row : reduced.rows[node]) {
    if (row.lo <= time && time < row.hi) sum += row.usage[p];
  }
  return sum;
}

std::vector<int64_t> UsageOf(const Reduced& reduced, const Choice& choice) {
  const size_t times = reduced.base.size();
  std::vector<int64_t> usage(times + 1, 0);
  for (int i = 0; i < reduced.count(); ++i) {
    for (const MemoryRow& row : reduced.rows[i]) {
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
