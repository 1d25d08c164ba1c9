// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/live_nodes.h"

#include <bit>
#include <utility>

namespace metadist {

// Weights are live for the whole program and activations for a part of it, so rows are first
// grouped by length: 2^k to 2^(k+1) - 1 times. For each k, time is divided into intervals of 2^k
// times, and each interval lists the nodes with a row of that length that overlaps it. A row
// overlaps at most three intervals; about half of a list is live at a given time of its interval.
// (An interval tree would be exact, but its memory is not contiguous.) Time and memory: linear in
// rows and kept times.

namespace {

int Scale(const RowTable::Row& row) {
  return std::bit_width(static_cast<uint64_t>(row.hi - row.lo)) - 1;
}

}  // namespace

LiveNodes::LiveNodes(const Reduced& reduced) {
  int lists = 0;
  for (int i = 0; i < reduced.count(); ++i) {
    for (const RowTable::Row& row : reduced.rows[i]) {
      const size_t scale = Scale(row);
      if (lists_of_.size() <= scale) lists_of_.resize(scale + 1, -1);
      lists_of_[scale] = 0;
    }
  }
  for (size_t scale = 0; scale < lists_of_.size(); ++scale) {
    if (lists_of_[scale] < 0) continue;
    lists_of_[scale] = lists;
    lists += static_cast<int>(reduced.base.size() >> scale) + 1;
  }
  nodes_ = Jagged<int>::Grouped(lists, [&](auto add) {
    std::vector<int> latest(lists, -1);
    std::vector<int> of_row;
    for (int i = 0; i < reduced.count(); ++i) {
      for (const RowTable::Row& row : reduced.rows[i]) {
        of_row.clear();
        Of(row, of_row);
        for (int list : of_row) {
          if (std::exchange(latest[list], i) != i) add(list, i);
        }
      }
    }
  });
}

void LiveNodes::Over(int64_t time, std::vector<int>& lists) const {
  lists.clear();
  for (size_t scale = 0; scale < lists_of_.size(); ++scale) {
    if (lists_of_[scale] < 0) continue;
    const int list = lists_of_[scale] + static_cast<int>(time >> scale);
    if (!nodes_[list].empty()) lists.push_back(list);
  }
}

void LiveNodes::Of(const RowTable::Row& row, std::vector<int>& lists) const {
  const int scale = Scale(row);
  for (int64_t s = row.lo >> scale; s <= (row.hi - 1) >> scale; ++s) {
    lists.push_back(lists_of_[scale] + static_cast<int>(s));
  }
}

}  // namespace metadist
