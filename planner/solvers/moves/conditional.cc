// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/conditional.h"

namespace metadist {

// Repair and polish query the same few nodes again and again while single nodes change. A change
// affects only the neighbours, so they are marked; a marked node is recomputed from the rows of its
// edge tables when it is queried: degree x strategies, in contiguous reads.

Conditional::Conditional(const Reduced& reduced, const Dual& tables)
    : reduced_(reduced),
      tables_(tables),
      choice_(reduced.count(), 0),
      costs_(reduced.costs, 0),
      stale_(reduced.count(), 1) {}

void Conditional::Reset(const Choice& choice) {
  work_ += reduced_.count();
  for (int i = 0; i < reduced_.count(); ++i) {
    if (choice_[i] != choice[i]) Change(i, choice[i]);
  }
}

void Conditional::Change(int node, int strategy) {
  choice_[node] = strategy;
  for (const Link& link : tables_.links()[node]) stale_[link.other] = 1;
  work_ += static_cast<int64_t>(tables_.links()[node].size());
}

const double* Conditional::Costs(int node) {
  double* costs = costs_[node].data();
  if (!stale_[node]) return costs;
  const size_t size = reduced_.size(node);
  for (size_t p = 0; p < size; ++p) costs[p] = static_cast<double>(reduced_.costs[node][p]);
  for (const Link& link : tables_.links()[node]) {
    const double* add = tables_.columns(link) + choice_[link.other] * size;
    for (size_t p = 0; p < size; ++p) costs[p] += add[p];
  }
  work_ += static_cast<int64_t>(size * (1 + tables_.links()[node].size()));
  stale_[node] = 0;
  return costs;
}

}  // namespace metadist
