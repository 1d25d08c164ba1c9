// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/reduce/minimized_node.h"

#include <cstring>
#include <utility>

#include "metair/ir/multiversion.h"
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

constexpr size_t kLanes = 4;
using Lanes [[gnu::vector_size(kLanes * sizeof(int64_t))]] = int64_t;

// What a strategy of the node costs so far; infinite ones are left out.
struct OwnCost {
  int64_t strategy = 0;
  int64_t cost = 0;
};

METADIST_INLINE void Lower(const OwnCost& own, int64_t sum, int64_t& least, int64_t& best) {
  const bool lower = sum < least;
  least = lower ? sum : least;
  best = lower ? own.strategy : best;
}

METADIST_INLINE void LowerLanes(const OwnCost& own, const int64_t* row, Lanes& least, Lanes& best) {
  Lanes sum;
  std::memcpy(&sum, row, sizeof sum);
  sum += own.cost;
  const auto lower = sum < least;
  least = lower ? sum : least;
  best = lower ? own.strategy - Lanes{} : best;
}

// Sets the least sum of own and edge costs in every column, kInfinite or less, and the first
// strategy with it, 0 if all are infinite. A few columns stay in registers down all rows; the last
// group of columns overlaps the one before. edge: a row for each strategy of the node.
METADIST_MULTIVERSION
void LeastOfColumns(const OwnCost* own,
                    size_t rows,
                    const int64_t* edge,
                    size_t columns,
                    int64_t* least,
                    int64_t* best) {
  for (size_t y = 0; y < columns; y += kLanes) {
    if (y + kLanes > columns && columns >= kLanes) y = columns - kLanes;
    if (y + kLanes <= columns) {
      Lanes low = kInfinite - Lanes{};
      Lanes which = {};
      for (size_t r = 0; r < rows; ++r)
        LowerLanes(own[r], edge + static_cast<size_t>(own[r].strategy) * columns + y, low, which);
      std::memcpy(least + y, &low, sizeof low);
      std::memcpy(best + y, &which, sizeof which);
      continue;
    }
    for (size_t q = y; q < columns; ++q) {
      least[q] = kInfinite;
      best[q] = 0;
      for (size_t r = 0; r < rows; ++r)
        Lower(own[r],
              own[r].cost + edge[static_cast<size_t>(own[r].strategy) * columns + q],
              least[q],
              best[q]);
    }
  }
}

MinimizedNode Minimize(const std::vector<int64_t>& costs,
                       const NodeMinimizer::Side& a,
                       const NodeMinimizer::Side& b) {
  MinimizedNode out;
  out.least.resize(a.size * b.size);
  const std::vector<int64_t> none(b.costs.empty() ? costs.size() : 0, 0);
  const int64_t* const edge = b.costs.empty() ? none.data() : b.costs.data();
  std::vector<OwnCost> own;
  std::vector<int64_t> best(a.size * b.size);
  for (size_t x = 0; x < a.size; ++x) {
    own.clear();
    for (size_t p = 0; p < costs.size(); ++p) {
      const int64_t cost = a.costs.empty() ? costs[p] : AddCosts(costs[p], a.costs[p * a.size + x]);
      if (!IsInfinite(cost)) own.push_back({static_cast<int64_t>(p), cost});
    }
    LeastOfColumns(own.data(),
                   own.size(),
                   edge,
                   b.size,
                   out.least.data() + x * b.size,
                   best.data() + x * b.size);
  }
  out.best.assign(best.begin(), best.end());
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
