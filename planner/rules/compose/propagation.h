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

// What to minimize first; the other one decides at a tie.
enum class Fewest : uint8_t { kElements, kExchanges };

// Whether both cut a dim in the same way, ignoring the tensor and the halo.
bool SameCut(const Cut& a, const Cut& b);

// Whether a node of a decomposition may work on the factor. Factors whose pieces depend on where
// they begin, or on elements beside them, are excluded.
bool RunsWithin(const Factor& factor);
// Whether it may if each piece includes its halo: a window slides along the dim, and no output is
// dropped.
bool RunsOnWindow(const Factor& factor);

// Propagates cuts of graph inputs through the graph by the rules of its nodes. An uncut value may
// be sliced if a node requires a piece of it; a partial value that a node cannot take is exchanged,
// minimizing `fewest`. most_elements: limit of exchanged elements. nullopt if some node cannot take
// its inputs.
//
// rules: by node. inputs: by position among graph.inputs; not named: not cut. made: values of
// which, if they are made whole, each rank takes a piece.
std::optional<Propagated> Propagate(const Graph& graph,
                                    const std::vector<const Rule*>& rules,
                                    const std::map<int, Cut>& inputs,
                                    int64_t most_elements,
                                    Fewest fewest = Fewest::kElements,
                                    const std::map<ValueId, Cut>& made = {});

}  // namespace metadist
