// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/graph.h"

namespace metadist {

// What a value is for, by its place in the graph.
enum class ValueRole : uint8_t {
  kOther,           // activations, constants, results
  kData,            // an input, unless an optimizer keeps it
  kWeight,          // a parameter, or made of parameters and constants alone
  kGradient,        // what a trained parameter is updated by, before and after scaling; sums
                    // over micro-batches
  kOptimizerState,  // an input that an update of a trained parameter replaces
  kUpdated,         // the new value of a trained parameter or of an optimizer state
};

// By value. A trained parameter is one with a state pair. If there is none, nothing is a gradient
// or belongs to an optimizer. passes_on: whether a node makes the same value as its first input, in
// another place; nullptr: no node does.
std::vector<ValueRole> RolesOf(const Graph& graph, bool (*passes_on)(const Node& node) = nullptr);

// Whether a parameter is trained.
bool IsTrainingStep(const Graph& graph);

// By node: whether it makes the new value of a state.
std::vector<bool> UpdateNodes(const Graph& graph);

}  // namespace metadist
