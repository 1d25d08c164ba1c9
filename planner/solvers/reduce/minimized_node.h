// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace metadist {

// What is left of a node between two others once it is minimised out.
struct MinimizedNode {
  // [x][y]: its least cost where its neighbours take x and y (kInfinite: none), and the first
  // strategy that has it.
  std::vector<int64_t> least;
  std::vector<int> best;
};

// Minimises nodes out; what it computed for equal costs of late is not computed again.
class NodeMinimizer {
 public:
  // One neighbour's side of an edge: [own][neighbour], empty if there is no such neighbour, which
  // then counts as one of a single strategy.
  struct Side {
    const std::vector<int64_t>& costs;
    size_t size = 1;
  };

  // costs: one per strategy of the node. The result is valid until the next call.
  const MinimizedNode& Run(const std::vector<int64_t>& costs, const Side& a, const Side& b);

  // Nodes that were computed, not remembered.
  int64_t computed() const { return computed_; }

 private:
  struct Known {
    std::vector<int64_t> question;
    MinimizedNode answer;
  };

  // By the question's hash; of two questions with one hash the later is known.
  std::unordered_map<uint64_t, Known> known_;
  // Numbers in known_.
  size_t held_ = 0;
  int64_t computed_ = 0;
  std::vector<int64_t> question_;
};

}  // namespace metadist
