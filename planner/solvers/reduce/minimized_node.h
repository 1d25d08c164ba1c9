// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace metadist {

// The result of minimising out a node between two neighbours.
struct MinimizedNode {
  // [x][y]: the least cost when the neighbours take x and y (kInfinite: none), and the first
  // strategy with that cost.
  std::vector<int64_t> least;
  std::vector<int> best;
};

// Minimises nodes out and remembers recent results for equal costs.
class NodeMinimizer {
 public:
  // One neighbour's side of an edge: [own][neighbour]; empty if there is no such neighbour, which
  // counts as one with a single strategy.
  struct Side {
    const std::vector<int64_t>& costs;
    size_t size = 1;
  };

  // costs: one per strategy of the node. The result is valid until the next call.
  const MinimizedNode& Run(const std::vector<int64_t>& costs, const Side& a, const Side& b);

  // Number of results computed, not remembered.
  int64_t computed() const { return computed_; }

 private:
  struct Known {
    std::vector<int64_t> question;
    MinimizedNode answer;
  };

  // By the question's hash; a later question with the same hash replaces the earlier one.
  std::unordered_map<uint64_t, Known> known_;
  // Total of numbers in known_.
  size_t held_ = 0;
  int64_t computed_ = 0;
  std::vector<int64_t> question_;
};

}  // namespace metadist
