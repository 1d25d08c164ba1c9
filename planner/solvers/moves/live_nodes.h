// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Finds the nodes that can hold memory at a given time without looking at all nodes: lists of
// nodes, few of which belong to any one time.
class LiveNodes {
 public:
  explicit LiveNodes(const Reduced& reduced);

  int count() const { return static_cast<int>(nodes_.size()); }
  // Ascending.
  std::span<const int> list(int list) const { return nodes_[list]; }
  // The lists that together contain all nodes with a row over that kept time, and some nodes with
  // rows only near it.
  void Over(int64_t time, std::vector<int>& lists) const;
  // Appends the lists that contain the node of `row` because of it, at most three.
  void Of(const RowTable::Row& row, std::vector<int>& lists) const;

 private:
  // By binary logarithm of the row length: the first list, -1 if there are no such rows.
  std::vector<int> lists_of_;
  // Per list.
  Jagged<int> nodes_;
};

}  // namespace metadist
