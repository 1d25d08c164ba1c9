// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
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

  // The rows of one node.
  class Rows {
   public:
    class Iterator {
     public:
      Iterator(const int64_t* at, size_t stride) : at_(at), stride_(stride) {}
      Row operator*() const { return {at_[0], at_[1], {at_ + kBounds, stride_ - kBounds}}; }
      Iterator& operator++() {
        at_ += stride_;
        return *this;
      }
      bool operator!=(const Iterator& other) const { return at_ != other.at_; }

     private:
      const int64_t* at_;
      size_t stride_;
    };

    Rows(const int64_t* at, size_t count, size_t stride)
        : at_(at), count_(count), stride_(stride) {}
    size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }
    Row operator[](size_t r) const { return *Iterator(at_ + r * stride_, stride_); }
    Iterator begin() const { return {at_, stride_}; }
    Iterator end() const { return {at_ + count_ * stride_, stride_}; }

   private:
    const int64_t* at_;
    size_t count_;
    size_t stride_;
  };

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
    return {values_.data() + nodes_[node].at, nodes_[node].count, nodes_[node].stride};
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
