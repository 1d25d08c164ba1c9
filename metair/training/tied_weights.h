// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ops/op_table.h"

namespace metadist {

// Weights that layers share, of which constant folding made copies; each with the weight, by name.
struct TiedWeights {
  std::vector<std::pair<std::string, std::string>> transposed;
  // Of the same elements in the same order: shared, or layers that start with equal weights.
  std::vector<std::pair<std::string, std::string>> equal;
};

// Finds them among the float matrices of which at least 8 elements differ. Where one matrix has
// transposed copies, each is computed from it; of a pair the one is the weight that others
// than matrix products read, otherwise the first. Equal matrices stay as they are.
Graph WithTiedWeights(Graph model, const OpTable& ops, TiedWeights* found);

}  // namespace metadist
