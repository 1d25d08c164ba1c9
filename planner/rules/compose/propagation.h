// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "metair/ir/graph.h"
#include "planner/rules/factor/rule.h"

namespace metadist {

// The placement of a value of a decomposition under one factor.
struct Placed {
  enum class Kind : uint8_t { kWhole, kCut, kPartial };
  Kind kind = Kind::kWhole;
  Cut cut = {};  // its tensor counts for nothing
  ReduceOp op = ReduceOp::kSum;
  bool operator==(const Placed&) const = default;
};

// A way of a cut through a graph.
struct Propagated {
  InnerUse use;
  std::vector<Placed> values;  // by value, exchanges done
  int64_t elements = 0;        // of all exchanged values
};

// Whether both cut a dim in the same way, of whatever tensors.
bool SameCut(const Cut& a, const Cut& b);

// Whether a node of a decomposition may run by the factor. Pieces that must know where they begin,
// or what is beside them, are left to nodes that run as they are.
bool RunsWithin(const Factor& factor);
// Whether it may where what is beside a piece comes with it: a window slides along the dim, and
// nothing is made that is dropped.
bool RunsOnWindow(const Factor& factor);

// Carries cuts of graph inputs through the graph by the rules of its nodes. A whole value may be
// sliced where a node wants a piece of it; a partial one that a node cannot carry is exchanged. Of
// all ways that which exchanges fewest elements, then in fewest exchanges. most_elements: ways that
// move more are not looked for. None if some node cannot take what reaches it.
//
// rules: by node. inputs: by position among graph.inputs; whole where not named. made: values of
// which, where they are made whole, each rank takes a piece.
std::optional<Propagated> Propagate(const Graph& graph,
                                    const std::vector<const Rule*>& rules,
                                    const std::map<int, Cut>& inputs,
                                    int64_t most_elements,
                                    const std::map<ValueId, Cut>& made = {});

}  // namespace metadist
