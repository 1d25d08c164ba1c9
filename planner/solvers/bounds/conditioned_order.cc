// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <queue>

#include "planner/solvers/bounds/elimination.h"

namespace metadist {

// Elimination order for a block move: least weight first (the entries of the table that an
// elimination creates), each weight times a random factor in [1, 1.5) so that every call takes
// another order. If even the smallest table exceeds the cap, the node of highest degree (times a
// random factor in [0.5, 1.5)) is fixed instead: that cuts the most edges per fixed node.
//
// A block has a few hundred nodes and is planned anew each time, so neighbours are bit sets: making
// a clique takes one OR of rows per neighbour. O(nodes^2 / 64 x degree) time and nodes^2 bits.

namespace {

class BitGraph {
 public:
  BitGraph(const std::vector<int>& sizes, const std::vector<std::pair<int, int>>& edges)
      : sizes_(sizes), words_((sizes.size() + 63) / 64), bits_(sizes.size() * words_, 0) {
    for (const auto& [a, b] : edges) {
      Set(a, b);
      Set(b, a);
    }
  }

  template <typename Visit>
  void ForNeighbors(int node, Visit visit) const {
    const uint64_t* row = &bits_[node * words_];
    for (size_t w = 0; w < words_; ++w) {
      for (uint64_t word = row[w]; word != 0; word &= word - 1) {
        visit(static_cast<int>(64 * w) + std::countr_zero(word));
      }
    }
  }

  double Weight(int node) const {
    double weight = sizes_[node];
    ForNeighbors(node, [&](int other) { weight *= sizes_[other]; });
    return std::min(weight, 1e18);
  }

  int Degree(int node) const {
    int degree = 0;
    for (size_t w = 0; w < words_; ++w) degree += std::popcount(bits_[node * words_ + w]);
    return degree;
  }

  // Removes the node; its neighbours, returned in `touched`, become a clique unless it is fixed.
  void Remove(int node, bool fix, std::vector<int>& touched) {
    touched.clear();
    ForNeighbors(node, [&](int other) { touched.push_back(other); });
    const uint64_t* own = &bits_[node * words_];
    for (int other : touched) {
      uint64_t* row = &bits_[other * words_];
      if (!fix) {
        for (size_t w = 0; w < words_; ++w) row[w] |= own[w];
        Clear(other, other);
      }
      Clear(other, node);
    }
    std::fill_n(&bits_[node * words_], words_, 0);
  }

 private:
  void Set(int a, int b) { bits_[a * words_ + b / 64] |= uint64_t{1} << (b % 64); }
  void Clear(int a, int b) { bits_[a * words_ + b / 64] &= ~(uint64_t{1} << (b % 64)); }

  const std::vector<int>& sizes_;
  size_t words_;
  std::vector<uint64_t> bits_;
};

}  // namespace

EliminationPlan PlanConditioned(const std::vector<int>& sizes,
                                const std::vector<std::pair<int, int>>& edges,
                                double cap,
                                Random& random) {
  BitGraph graph(sizes, edges);
  const int count = static_cast<int>(sizes.size());
  // Entries with an outdated key stay in the queue and are skipped.
  std::vector<double> keys(count);
  std::vector<char> gone(count, 0);
  using Item = std::pair<double, int>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
  auto push = [&](int node) {
    keys[node] = graph.Weight(node) * (1 + 0.5 * random.Unit());
    queue.emplace(keys[node], node);
  };
  for (int i = 0; i < count; ++i) push(i);
  EliminationPlan plan;
  std::vector<int> touched;
  while (static_cast<int>(plan.steps.size()) < count) {
    const auto [key, least] = queue.top();
    if (gone[least] || key != keys[least]) {
      queue.pop();
      continue;
    }
    int node = least;
    const double weight = graph.Weight(node);
    const bool fix = weight > cap;
    if (fix) {
      double best = -1;
      for (int i = 0; i < count; ++i) {
        if (gone[i]) continue;
        const double score = graph.Degree(i) * (0.5 + random.Unit());
        if (score <= best) continue;
        best = score;
        node = i;
      }
    } else {
      plan.largest = std::max(plan.largest, weight);
      plan.total += weight;
    }
    plan.steps.push_back({node, fix});
    gone[node] = 1;
    graph.Remove(node, fix, touched);
    for (int other : touched) push(other);
  }
  return plan;
}

}  // namespace metadist
