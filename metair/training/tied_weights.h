// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ops/op_table.h"

namespace metadist {

// Copies that constant folding made of weights that layers share: each with its weight, by name.
struct TiedWeights {
  std::vector<std::pair<std::string, std::string>> transposed;
  // Of the same elements in the same order: shared, or layers that start with equal weights.
  std::vector<std::pair<std::string, std::string>> equal;
};

// Finds copies among float matrices with at least 8 different elements. A transposed copy becomes
// the transpose of its weight: of two matrices, the weight is the one that not only matrix products
// read, or else the first. Equal matrices stay as they are, since layers may start with equal
// weights.
Graph WithTiedWeights(Graph model, const OpTable& ops, TiedWeights* found);

}  // namespace metadist
