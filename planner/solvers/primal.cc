// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/primal.h"

#include <algorithm>
#include <numeric>

#include "planner/solvers/memory_profile.h"

namespace metadist {

namespace {

// Levels of the segment tree that a changed row visits, on average.
constexpr int64_t kWorkPerRow = 16;

}  // namespace

Primal::Primal(const Reduced& reduced) : reduced_(reduced), links_(MakeLinks(reduced)) {
  for (const std::vector<MemoryRow>& rows : reduced.rows) {
    rows_ += static_cast<int64_t>(rows.size());
  }
}

Choice Primal::LeastMemory() const {
  Choice out(reduced_.count(), 0);
  for (int i = 0; i < reduced_.count(); ++i) {
    double least = 0;
    for (int p = 0; p < reduced_.size(i); ++p) {
      double area = 0;
      for (const MemoryRow& row : reduced_.rows[i]) {
        area += static_cast<double>(row.usage[p]) * static_cast<double>(row.hi - row.lo);
      }
      const bool cheaper = reduced_.costs[i][p] < reduced_.costs[i][out[i]];
      if (p == 0 || area < least || (area == least && cheaper)) {
        least = area;
        out[i] = p;
      }
    }
  }
  return out;
}

bool Primal::Repair(Choice& choice, int max_steps) {
  return !reduced_.limit || RepairTo(choice, *reduced_.limit, max_steps);
}

bool Primal::RepairTo(Choice& choice, int64_t limit, int max_steps) {
  MemoryProfile profile(reduced_, choice);
  for (int step = 0; step < max_steps && profile.peak() > limit; ++step) {
    const int time = profile.peak_time();
    const double excess = static_cast<double>(profile.peak() - limit);
    work_ += rows_;
    double best_score = 0;
    int best_node = -1;
    int best_strategy = -1;
    for (int i = 0; i < reduced_.count(); ++i) {
      const int64_t now = profile.UsageAt(i, choice[i], time);
      if (now == 0) continue;
      const std::vector<int64_t> costs = ConditionalCosts(reduced_, links_, i, choice);
      work_ += static_cast<int64_t>(costs.size() * (links_[i].size() + 1));
      for (int q = 0; q < reduced_.size(i); ++q) {
        const int64_t freed = now - profile.UsageAt(i, q, time);
        if (freed <= 0 || IsInfinite(costs[q])) continue;
        const double increase = static_cast<double>(costs[q] - costs[choice[i]]);
        // A move that costs nothing is worth more the more it frees.
        const double useful = std::min(static_cast<double>(freed), excess);
        const double score = increase > 0 ? increase / useful : increase / excess - useful / excess;
        if (best_node >= 0 && score >= best_score) continue;
        best_score = score;
        best_node = i;
        best_strategy = q;
      }
    }
    if (best_node < 0) return false;
    profile.Move(best_node, choice[best_node], best_strategy);
    choice[best_node] = best_strategy;
  }
  return profile.peak() <= limit;
}

void Primal::Polish(Choice& choice, Random& random) {
  MemoryProfile profile(reduced_, choice);
  std::vector<int> order(reduced_.count());
  std::iota(order.begin(), order.end(), 0);
  std::vector<int> better;
  for (bool changed = true; changed;) {
    changed = false;
    random.Shuffle(order);
    for (int i : order) {
      const std::vector<int64_t> costs = ConditionalCosts(reduced_, links_, i, choice);
      work_ += static_cast<int64_t>(costs.size() * (links_[i].size() + 1));
      better.clear();
      for (int q = 0; q < reduced_.size(i); ++q) {
        if (costs[q] < costs[choice[i]]) better.push_back(q);
      }
      std::stable_sort(
          better.begin(), better.end(), [&](int a, int b) { return costs[a] < costs[b]; });
      for (int q : better) {
        work_ += kWorkPerRow * static_cast<int64_t>(reduced_.rows[i].size());
        profile.Move(i, choice[i], q);
        if (profile.fits()) {
          choice[i] = q;
          changed = true;
          break;
        }
        profile.Move(i, q, choice[i]);
      }
    }
  }
}

}  // namespace metadist
