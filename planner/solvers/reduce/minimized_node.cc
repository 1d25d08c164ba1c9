// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/reduce/minimized_node.h"

#include <span>
#include <utility>

#include "planner/solvers/reduce/cost_graph.h"

namespace metadist {

// Minimising a node out costs the product of the numbers of strategies of three nodes, which is
// most of the reduction time of deep models. But models repeat: the tables of one layer are often
// identical to those of the layer before. Comparing tables is cheaper than minimising by a factor
// of the number of strategies, so every result is stored under the numbers it was computed from.
// These are compared in full; the hash only finds them. The memory for results is bounded; when it
// is full, all are dropped, because most repetitions occur one layer later.

namespace {

// Numbers, 16 MB.
constexpr size_t kMostHeld = 2'000'000;

// Lowers the least cost for every strategy of b by strategy p, whose cost so far is `own`; the
// first of equal strategies is kept. The inner loop runs over contiguous memory.
void Lower(int64_t own,
           const NodeMinimizer::Side& b,
           size_t p,
           std::span<int64_t> least,
           std::span<int> best) {
  if (IsInfinite(own)) return;
  for (size_t y = 0; y < least.size(); ++y) {
    const int64_t cost = b.costs.empty() ? own : AddCosts(own, b.costs[p * b.size + y]);
    const bool lower = cost < least[y];
    least[y] = lower ? cost : least[y];
    best[y] = lower ? static_cast<int>(p) : best[y];
  }
}

MinimizedNode Minimize(const std::vector<int64_t>& costs,
                       const NodeMinimizer::Side& a,
                       const NodeMinimizer::Side& b) {
  MinimizedNode out;
  out.least.assign(a.size * b.size, kInfinite);
  out.best.assign(a.size * b.size, 0);
  for (size_t p = 0; p < costs.size(); ++p) {
    for (size_t x = 0; x < a.size; ++x) {
      const int64_t edge = a.costs.empty() ? 0 : a.costs[p * a.size + x];
      Lower(AddCosts(costs[p], edge),
            b,
            p,
            std::span(out.least).subspan(x * b.size, b.size),
            std::span(out.best).subspan(x * b.size, b.size));
    }
  }
  return out;
}

}  // namespace

const MinimizedNode& NodeMinimizer::Run(const std::vector<int64_t>& costs,
                                        const Side& a,
                                        const Side& b) {
  question_.assign({static_cast<int64_t>(costs.size()),
                    static_cast<int64_t>(a.costs.size()),
                    static_cast<int64_t>(b.costs.size())});
  for (const std::vector<int64_t>* part : {&costs, &a.costs, &b.costs}) {
    question_.insert(question_.end(), part->begin(), part->end());
  }
  const uint64_t hash = HashOf(question_);
  const auto found = known_.find(hash);
  if (found != known_.end() && found->second.question == question_) return found->second.answer;
  ++computed_;
  if (held_ > kMostHeld) {
    known_.clear();
    held_ = 0;
  }
  MinimizedNode answer = Minimize(costs, a, b);
  held_ += question_.size() + answer.least.size() + answer.best.size();
  Known& known = known_[hash];
  known = {question_, std::move(answer)};
  return known.answer;
}

}  // namespace metadist
