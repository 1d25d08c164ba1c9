// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/relief.h"

#include <algorithm>
#include <limits>

#include "planner/solvers/bounds/memory_profile.h"

namespace metadist {

// Problem: find the node with the least  increase / min(freed, excess)  at a time, again and again
// at many times. Repair would have to examine all nodes that are live at each of them, and weights
// are live at all times: quadratic work. But the score is the larger of  increase / freed  and
// increase / excess, and for both each node has lower bounds that hold at every time. So each list
// of nodes (live_nodes.h) has a heap for each bound, maintained while the choice changes; the best
// nodes of both are taken and evaluated exactly until the bounds at the tops show that nothing
// better is left. That is the threshold algorithm for a monotone function of two sorted lists
// (Fagin, Lotem, Naor 2003): no algorithm that is certain to find the least examines much fewer
// nodes. Nodes taken are put back when another time is visited.
//
// While a time is visited, its excess falls and scores rise, so an earlier score remains a lower
// bound. A changed node and its neighbours get a new version and new entries; entries of old
// versions are dropped when they reach the top. Moves without a cost increase have the rate minus
// infinity and the score  increase - min(freed, excess); then the increase alone gives the bound.

namespace {

constexpr double kFree = -std::numeric_limits<double>::infinity();

}  // namespace

Relief::Relief(const Reduced& reduced, const Dual& tables, Conditional& conditional)
    : reduced_(reduced),
      tables_(tables),
      conditional_(conditional),
      live_(reduced),
      heaps_(live_.count()),
      version_(reduced.count(), 0),
      seen_(reduced.count(), 0) {}

Relief::Least Relief::LeastOf(int node) {
  Least least;
  const int current = conditional_.choice()[node];
  const double* costs = conditional_.Costs(node);
  for (int q = 0; q < reduced_.size(node); ++q) {
    if (costs[q] >= kForbiddenCost) continue;
    // An upper bound for any time: the sum over all rows.
    int64_t freed = 0;
    for (const RowTable::Row& row : reduced_.rows[node]) {
      freed += std::max<int64_t>(0, row.usage[current] - row.usage[q]);
    }
    if (freed == 0) continue;
    const double increase = costs[q] - costs[current];
    const double rate = increase > 0 ? increase / static_cast<double>(freed) : kFree;
    if (!least.frees || rate < least.rate) least.rate = rate;
    if (!least.frees || increase < least.increase) least.increase = increase;
    least.frees = true;
  }
  work_ += reduced_.size(node) * static_cast<int64_t>(1 + reduced_.rows[node].size());
  return least;
}

ReliefMove Relief::BestAt(int node, int64_t excess) {
  ReliefMove best;
  const int current = conditional_.choice()[node];
  const int64_t now = UsageAt(reduced_, node, current, time_);
  if (now == 0) return best;
  const double* costs = conditional_.Costs(node);
  const double over = static_cast<double>(excess);
  for (int q = 0; q < reduced_.size(node); ++q) {
    if (costs[q] >= kForbiddenCost) continue;
    const int64_t freed = now - UsageAt(reduced_, node, q, time_);
    if (freed <= 0) continue;
    const double increase = costs[q] - costs[current];
    // Of moves without a cost increase, one that frees more is better.
    const double useful = std::min(static_cast<double>(freed), over);
    const double score = increase > 0 ? increase / useful : increase - useful;
    if (best.node < 0 || score < best.score) best = {score, node, q};
  }
  work_ += reduced_.size(node) * static_cast<int64_t>(1 + reduced_.rows[node].size());
  return best;
}

void Relief::Begin() {
  aside_.clear();
  for (int list : built_) {
    heaps_[list].built = false;
    for (std::vector<Entry>& heap : heaps_[list].of) heap.clear();
  }
  built_.clear();
}

void Relief::Append(int node, const Least& least, Heaps& heaps) const {
  heaps.of[kByRate].push_back({least.rate, node, version_[node]});
  heaps.of[kByIncrease].push_back({least.increase, node, version_[node]});
}

void Relief::Build(int list) {
  Heaps& heaps = heaps_[list];
  heaps.built = true;
  built_.push_back(list);
  for (int node : live_.list(list)) {
    const Least least = LeastOf(node);
    if (!least.frees) continue;
    Append(node, least, heaps);
  }
  for (std::vector<Entry>& heap : heaps.of) std::ranges::make_heap(heap, std::greater<>());
  work_ += static_cast<int64_t>(live_.list(list).size());
}

void Relief::Insert(int node) {
  const Least least = LeastOf(node);
  if (!least.frees) return;
  lists_.clear();
  for (const RowTable::Row& row : reduced_.rows[node]) live_.Of(row, lists_);
  for (int list : lists_) {
    Heaps& heaps = heaps_[list];
    if (!heaps.built) continue;
    Append(node, least, heaps);
    for (std::vector<Entry>& heap : heaps.of) std::ranges::push_heap(heap, std::greater<>());
  }
  work_ += static_cast<int64_t>(lists_.size());
}

void Relief::SetTopAside(int list, Order order) {
  std::vector<Entry>& heap = heaps_[list].of[order];
  aside_.push_back({list, order, heap.front()});
  std::ranges::pop_heap(heap, std::greater<>());
  heap.pop_back();
  ++work_;
}

void Relief::PutBack() {
  for (const Aside& aside : aside_) {
    if (aside.entry.version != version_[aside.entry.node]) continue;
    std::vector<Entry>& heap = heaps_[aside.list].of[aside.order];
    heap.push_back(aside.entry);
    std::ranges::push_heap(heap, std::greater<>());
  }
  work_ += static_cast<int64_t>(aside_.size());
  aside_.clear();
}

void Relief::Visit(int time) {
  PutBack();
  time_ = time;
  ++visit_;
  queue_ = {};
  live_.Over(time, here_);
  for (int list : here_) {
    if (!heaps_[list].built) Build(list);
  }
}

bool Relief::Uncover(int list, Order order) {
  std::vector<Entry>& heap = heaps_[list].of[order];
  while (!heap.empty()) {
    const Entry& top = heap.front();
    if (top.version != version_[top.node]) {
      std::ranges::pop_heap(heap, std::greater<>());
      heap.pop_back();
    } else if (seen_[top.node] == visit_) {
      SetTopAside(list, order);
    } else {
      return true;
    }
  }
  return false;
}

int Relief::Promising(int64_t excess) {
  const double over = static_cast<double>(excess);
  double least = queue_.empty() ? std::numeric_limits<double>::infinity() : queue_.top().score;
  int promising = -1;
  for (int list : here_) {
    if (!Uncover(list, kByRate) || !Uncover(list, kByIncrease)) continue;
    const double rate = heaps_[list].of[kByRate].front().key;
    const double increase = heaps_[list].of[kByIncrease].front().key;
    const double bound = increase > 0 ? std::max(rate, increase / over) : increase - over;
    if (bound >= least) continue;
    least = bound;
    promising = list;
  }
  work_ += static_cast<int64_t>(here_.size());
  return promising;
}

void Relief::Consider(int node, int64_t excess) {
  seen_[node] = visit_;
  const ReliefMove move = BestAt(node, excess);
  if (move.node >= 0) queue_.push(move);
}

ReliefMove Relief::Cheapest(int64_t excess) {
  for (;;) {
    for (int list = Promising(excess); list >= 0; list = Promising(excess)) {
      for (Order order : {kByRate, kByIncrease}) {
        if (!Uncover(list, order)) continue;
        Consider(heaps_[list].of[order].front().node, excess);
      }
    }
    if (queue_.empty()) return {};
    const ReliefMove drawn = queue_.top();
    queue_.pop();
    const ReliefMove move = BestAt(drawn.node, excess);
    if (move.node < 0) continue;
    if (move.score <= drawn.score) return move;
    queue_.push(move);
  }
}

void Relief::Changed(int node, int64_t excess) {
  auto renew = [&](int changed) {
    ++version_[changed];
    Insert(changed);
    if (excess > 0) Consider(changed, excess);
  };
  renew(node);
  for (const Link& link : tables_.links()[node]) renew(link.other);
}

}  // namespace metadist
