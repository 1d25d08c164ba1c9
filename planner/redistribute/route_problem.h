// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "planner/redistribute/moves.h"
#include "planner/redistribute/prime_mesh.h"
#include "planner/redistribute/view.h"

namespace metadist {

// One array that must change its sharding: what every planner of routes gets.
struct RouteProblem {
  const PrimeMesh* mesh = nullptr;
  View view;  // of both ends, on mesh->fine
  Layout from, to;
  // Pieces must have one size (a step that would make others is forbidden); else a step needs only
  // that balanced pieces nest.
  bool even = true;

  // What a planner may do: grouped moves that leave alone the axes of every slot's common major
  // part, and partial axes that stay.
  MoveRule rule(MoveKinds kinds = kAllMoves, bool by_size = false) const;
  // No step of a route within the memory bound holds more elements a rank: the larger end.
  int64_t most_elements() const;
};

// from, to: on mesh.fine, in normal form (Normalize), `to` partial only where `from` is; nullopt
// where the two see a dim as products without a common refinement.
std::optional<RouteProblem> MakeRouteProblem(
    const Shape& shape, const Sharding& from, const Sharding& to, const PrimeMesh& mesh, bool even);

// The moves of a route in order; empty: nothing to do. nullopt: the method has no route.
using Moves = std::optional<std::vector<Move>>;

}  // namespace metadist
