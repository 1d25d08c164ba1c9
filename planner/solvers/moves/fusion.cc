// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/fusion.h"

#include <utility>

namespace metadist {

// Good choices differ locally: each is better in some places. When two of them are combined, every
// node has at most two strategies (with k parents, at most k), and such tables are small: bucket
// elimination can cover the whole graph at once, whereas with all strategies it is limited to a
// ball of a few hundred nodes. The result is, at the given prices, the best choice that combines
// the parents node by node, or close to it if even that graph is too wide and some nodes keep their
// strategies (block.h).
//
// Source: fusion moves, Lempitsky, Rother, Roth, Blake, PAMI 2010, there by graph cuts.

FusionMover::FusionMover(const Reduced& reduced, BlockMover& block)
    : reduced_(reduced), block_(block), narrowed_(reduced.costs, 0) {}

void FusionMover::SetParents(std::vector<const Choice*> parents) {
  parents_ = std::move(parents);
  region_.clear();
  const Choice& first = *parents_.front();
  for (int i = 0; i < reduced_.count(); ++i) {
    bool differs = false;
    for (const Choice* parent : parents_) differs = differs || (*parent)[i] != first[i];
    if (differs) region_.push_back(i);
  }
}

MoveResult FusionMover::Run(
    const Jagged<double>& penalties, double factor, double cap, Random& random, Choice& choice) {
  for (int node : region_) {
    const std::span<double> narrowed = narrowed_[node];
    std::ranges::fill(narrowed, kLeftOut);
    auto let_in = [&](int p) { narrowed[p] = factor * penalties[node][p]; };
    for (const Choice* parent : parents_) let_in((*parent)[node]);
    let_in(choice[node]);
  }
  return block_.Run(narrowed_, region_, cap, random, choice);
}

}  // namespace metadist
