// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Which nodes can hold memory at a time, without looking at all of them: lists of nodes, of which
// few belong to a time.
class LiveNodes {
 public:
  explicit LiveNodes(const Reduced& reduced);

  int count() const { return static_cast<int>(first_.size()) - 1; }
  // Ascending.
  std::span<const int> list(int list) const {
    return {nodes_.data() + first_[list], nodes_.data() + first_[list + 1]};
  }
  // The lists that together hold all nodes with a row over that kept time, and some with rows near
  // it only.
  void Over(int64_t time, std::vector<int>& lists) const;
  // Appends the lists that a row puts its node into, at most three.
  void Of(const RowTable::Row& row, std::vector<int>& lists) const;

 private:
  // By binary logarithm of a row's length: its first list, -1 if there are no such rows.
  std::vector<int> lists_of_;
  // Where each list begins.
  std::vector<size_t> first_;
  std::vector<int> nodes_;
};

}  // namespace metadist
