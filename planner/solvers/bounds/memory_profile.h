// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Usage per kept time of one choice, updated after single moves: a segment tree with range addition
// and the global maximum. O(log times) per changed row, less where the peak is elsewhere.
class MemoryProfile {
 public:
  // `reduced` must outlive the profile.
  MemoryProfile(const Reduced& reduced, const Choice& choice);

  // Work units per changed row: the levels of the tree that it visits, on average.
  static constexpr int64_t kWorkPerRow = 16;

  // `node` changes from one strategy to another.
  void Move(int node, int from, int to);
  // Adds `change` at the times lo <= t < hi.
  void AddRange(int64_t lo, int64_t hi, int64_t change);
  // Largest usage, 0 if no time can bind.
  int64_t peak() const { return times_ == 0 ? 0 : tree_[1]; }
  // First time of the largest usage; there must be a kept time.
  int peak_time() const;
  bool fits() const { return !reduced_.limit || peak() <= *reduced_.limit; }

 private:
  int64_t Settle(int64_t vertex);

  const Reduced& reduced_;
  int64_t times_;
  int64_t leaves_ = 1;
  // Heap order, root 1; time t is leaf t + 1, because there is a sentinel at both ends. The root
  // holds the peak; every other vertex holds the maximum below it minus that of its parent, which
  // is at most 0. Siblings are adjacent, and adding to a whole range needs no second value.
  std::vector<int64_t> tree_;
};

// Usage of strategy p of `node` at a kept time.
int64_t UsageAt(const Reduced& reduced, int node, int p, int time);

// Usage of a choice at every time: a difference array, O(rows + times).
std::vector<int64_t> UsageOf(const Reduced& reduced, const Choice& choice);

// Largest usage of a choice; 0 if no time can bind.
int64_t PeakOf(const Reduced& reduced, const Choice& choice);

// The time of the (first) largest usage of each run of times above the limit; runs are split every
// 200 times.
std::vector<int> ViolatedPeaks(const std::vector<int64_t>& usage, int64_t limit);

}  // namespace metadist
