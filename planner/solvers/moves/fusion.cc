// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/fusion.h"

#include <algorithm>
#include <span>

namespace metadist {

// Good choices differ locally: each is better in some places. When two of them are combined, every
// node has at most two strategies, and such tables are small: bucket elimination can cover the
// whole graph at once, whereas with all strategies it is limited to a ball of a few hundred nodes.
// The result is, at the given prices, the best choice that combines the two node by node, or close
// to it if even that graph is too wide and some nodes keep their strategies (block.h).
//
// Source: fusion moves, Lempitsky, Rother, Roth, Blake, PAMI 2010, there by graph cuts.

FusionMover::FusionMover(const Reduced& reduced, BlockMover& block)
    : reduced_(reduced), block_(block), narrowed_(reduced.costs, 0) {}

MoveResult FusionMover::Run(const Jagged<double>& penalties,
                            const Choice& other,
                            double cap,
                            Random& random,
                            Choice& choice) {
  region_.clear();
  for (int i = 0; i < reduced_.count(); ++i) {
    if (choice[i] == other[i]) continue;
    region_.push_back(i);
    const std::span<double> narrowed = narrowed_[i];
    std::ranges::fill(narrowed, kLeftOut);
    for (const int p : {choice[i], other[i]}) narrowed[p] = penalties[i][p];
  }
  return block_.Run(narrowed_, region_, cap, random, choice);
}

}  // namespace metadist
