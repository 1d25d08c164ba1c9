// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/fusion.h"

#include <utility>

namespace metadist {

// Good choices differ in places: one is better here, another there. Where two of them differ every
// node has two strategies to take (of k parents, at most k), and tables of twos are small: bucket
// elimination reaches over the whole graph at once where over all strategies it is confined to a
// ball of a few hundred nodes. The result is, at the given prices, the best choice that can be put
// together from the parents, node by node, or near it where even that graph is too wide and some
// nodes keep their strategy (block.h).
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
