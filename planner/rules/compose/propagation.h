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
  Cut cut = {};  // its `tensor` is ignored
  ReduceOp op = ReduceOp::kSum;
  bool operator==(const Placed&) const = default;
};

// The propagation of a cut through a graph.
struct Propagated {
  InnerUse use;
  std::vector<Placed> values;  // by value, after exchanges
  int64_t elements = 0;        // of all exchanged values
};

// Whether both cut a dim in the same way, whatever their tensors.
bool SameCut(const Cut& a, const Cut& b);

// Whether a node of a decomposition may work on the factor. Factors whose pieces depend on where
// they begin, or on elements beside them, are excluded.
bool RunsWithin(const Factor& factor);
// Whether it may if each piece includes its halo: a window slides along the dim, and no output is
// dropped.
bool RunsOnWindow(const Factor& factor);

// Carries cuts of graph inputs through the graph by the rules of its nodes. A whole value may be
// sliced where a node wants a piece of it; a partial one that a node cannot carry is exchanged. Of
// all ways that which exchanges fewest elements, then in fewest exchanges. most_elements: ways that
// move more are not looked for. None if some node cannot take what reaches it.
//
// rules: by node. inputs: by position among graph.inputs; not named: not cut. made: values of
// which, if they are made whole, each rank takes a piece.
std::optional<Propagated> Propagate(const Graph& graph,
                                    const std::vector<const Rule*>& rules,
                                    const std::map<int, Cut>& inputs,
                                    int64_t most_elements,
                                    const std::map<ValueId, Cut>& made = {});

}  // namespace metadist
