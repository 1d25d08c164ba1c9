// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/allocation.h"

#include <algorithm>

namespace metadist {

// Prices find the choices on the convex hull of cost and memory. Where a few large tensors meet at
// the peak, the optimum is far inside the hull and no price leads to it: memory is used in large
// pieces, and what matters is which tensor gets which. This move therefore reallocates memory
// directly. Every node has a share of memory per row, initially its usage. Some nodes lose their
// shares, partly or wholly; then, in random order, nodes raise theirs to the usage of a random
// strategy, as long as all shares together fit the limit. Within the shares memory needs no further
// attention, so bucket elimination without prices minimises the cost over the region, using only
// strategies within their shares (few, which keeps the tables small). Every result fits the limit.
//
// Time: a block move plus O(rows x log times) per share tried.

namespace {

constexpr int kMostLosers = 3;
constexpr int kTriesPerNode = 3;

}  // namespace

AllocationMover::AllocationMover(const Reduced& reduced, const Dual& tables, BlockMover& block)
    : reduced_(reduced), tables_(tables), block_(block), penalties_(reduced.costs, 0) {
  shares_.resize(reduced.count());
}

bool AllocationMover::Allowed(int node, int strategy) const {
  const RowTable::Rows rows = reduced_.rows[node];
  for (size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].usage[strategy] > shares_[node][r]) return false;
  }
  return true;
}

void AllocationMover::TakeAway(const std::vector<int>& region,
                               Random& random,
                               const Choice& choice) {
  std::vector<int> holders;
  for (int node : region) {
    const RowTable::Rows rows = reduced_.rows[node];
    std::vector<int64_t>& shares = shares_[node];
    shares.resize(rows.size());
    bool holds = false;
    for (size_t r = 0; r < rows.size(); ++r) {
      shares[r] = rows[r].usage[choice[node]];
      holds = holds || shares[r] > 0;
    }
    if (holds) holders.push_back(node);
  }
  if (holders.empty()) return;
  const int losers = 1 + random.Below(kMostLosers);
  for (int k = 0; k < losers; ++k) {
    const int node = holders[random.Below(static_cast<int64_t>(holders.size()))];
    const RowTable::Rows rows = reduced_.rows[node];
    for (int draw = 0; draw < kTriesPerNode; ++draw) {
      const int strategy = random.Below(reduced_.size(node));
      if (!Allowed(node, strategy)) continue;
      for (size_t r = 0; r < rows.size(); ++r) {
        const int64_t change = rows[r].usage[strategy] - shares_[node][r];
        shares_total_->AddRange(rows[r].lo, rows[r].hi, change);
        shares_[node][r] += change;
      }
      work_ += MemoryProfile::kWorkPerRow * static_cast<int64_t>(rows.size());
      break;
    }
  }
}

bool AllocationMover::Raise(int node, int strategy) {
  const RowTable::Rows rows = reduced_.rows[node];
  std::vector<int64_t>& shares = shares_[node];
  auto add = [&](int sign) {
    for (size_t r = 0; r < rows.size(); ++r) {
      const int64_t more = rows[r].usage[strategy] - shares[r];
      if (more > 0) shares_total_->AddRange(rows[r].lo, rows[r].hi, sign * more);
    }
  };
  work_ += 2 * MemoryProfile::kWorkPerRow * static_cast<int64_t>(rows.size());
  add(1);
  if (!shares_total_->fits()) {
    add(-1);
    return false;
  }
  for (size_t r = 0; r < rows.size(); ++r) shares[r] = std::max(shares[r], rows[r].usage[strategy]);
  return true;
}

void AllocationMover::HandOut(const std::vector<int>& region, Random& random) {
  std::vector<int> order = region;
  random.Shuffle(order);
  for (int node : order) {
    if (reduced_.rows[node].empty()) continue;
    for (int k = 0; k < kTriesPerNode; ++k) {
      const int strategy = random.Below(reduced_.size(node));
      if (!Allowed(node, strategy)) Raise(node, strategy);
    }
  }
}

void AllocationMover::Settle(const std::vector<int>& region, Choice& choice) {
  for (int node : region) {
    const std::span<double> penalty = penalties_[node];
    for (int p = 0; p < reduced_.size(node); ++p) penalty[p] = Allowed(node, p) ? 0 : kLeftOut;
    if (penalty[choice[node]] == 0) continue;
    // At least one strategy is allowed: every share is at least the usage of some strategy of the
    // node.
    const std::vector<int64_t> costs = ConditionalCosts(reduced_, tables_.links(), node, choice);
    int best = -1;
    for (int p = 0; p < reduced_.size(node); ++p) {
      if (penalty[p] == 0 && (best < 0 || costs[p] < costs[best])) best = p;
    }
    choice[node] = best;
  }
}

MoveResult AllocationMover::Run(const std::vector<int>& region,
                                double cap,
                                Random& random,
                                Choice& choice) {
  work_ = 0;
  shares_total_.emplace(reduced_, choice);
  TakeAway(region, random, choice);
  HandOut(region, random);
  Settle(region, choice);
  MoveResult result = block_.Run(penalties_, region, cap, random, choice);
  result.work += work_;
  return result;
}

}  // namespace metadist
