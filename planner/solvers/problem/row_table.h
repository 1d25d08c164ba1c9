// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <span>
#include <vector>

#include "planner/solvers/problem/problem.h"

namespace metadist {

// The memory rows of all nodes in one array: the bounds of a row, its usages, then the next row.
// Moves of single nodes read few rows far apart; this way each row is contiguous.
class RowTable {
 public:
  struct Row {
    int64_t lo = 0;
    int64_t hi = 0;
    std::span<const int64_t> usage;  // per strategy
  };

  // Makes row r of a node.
  struct RowAt {
    const int64_t* first;
    size_t stride;
    Row operator()(int r) const {
      const int64_t* const row = first + r * stride;
      return {row[0], row[1], {row + kBounds, stride - kBounds}};
    }
  };
  // The rows of one node.
  using Rows = std::ranges::transform_view<std::ranges::iota_view<int, int>, RowAt>;

  RowTable() = default;
  RowTable(std::initializer_list<std::vector<MemoryRow>> nodes) {
    for (const std::vector<MemoryRow>& rows : nodes) Add(rows);
  }

  // Adds the rows of one more node; all must have the same number of strategies.
  void Add(const std::vector<MemoryRow>& rows);

  // Removes all rows; the nodes stay.
  void Clear();

  // Number of nodes.
  size_t size() const { return nodes_.size(); }
  Rows operator[](size_t node) const {
    const auto& [at, count, stride] = nodes_[node];
    return Rows(std::views::iota(0, static_cast<int>(count)), {values_.data() + at, stride});
  }
  std::vector<MemoryRow> Copy(size_t node) const;

 private:
  static constexpr size_t kBounds = 2;
  struct Place {
    size_t at = 0;
    uint32_t count = 0;
    uint32_t stride = kBounds;
  };
  std::vector<Place> nodes_;
  std::vector<int64_t> values_;
};

}  // namespace metadist
