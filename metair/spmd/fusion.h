// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "metair/ops/op_table.h"
#include "metair/spmd/program.h"

namespace metadist {

// The longest groups of consecutive elementwise nodes (OpDef::elementwise) that make equally many
// elements on every rank, of which some read what others make (so no operand made in the group is
// broadcast), and which run for the same micro-batches. Views may stand between; every other node
// ends a group. shardings: by value; empty: all values are whole. Cost: linear in the nodes, times
// the ranks where the shapes in a group differ.
std::vector<FusedNodes> FuseElementwise(const Graph& graph,
                                        std::span<const Sharding> shardings,
                                        const Mesh& mesh,
                                        const OpTable& ops);
inline std::vector<FusedNodes> FuseElementwise(const Stage& stage, const OpTable& ops) {
  return FuseElementwise(stage.graph, stage.shardings, stage.mesh, ops);
}

// What a node of a group leaves in the cache of its device.
struct FusedOperands {
  std::vector<bool> made_inside;  // by input: another node of the group makes it
  bool read_outside = true;       // the result is an output, or another node reads it too

  auto operator<=>(const FusedOperands&) const = default;
};

// By node; empty for nodes that are in no group.
std::vector<FusedOperands> FusedOperandsOf(const Graph& graph,
                                           std::span<const FusedNodes> fused,
                                           const OpTable& ops);

}  // namespace metadist
