// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "planner/redistribute/moves.h"
#include "planner/redistribute/prime_mesh.h"
#include "planner/redistribute/view.h"

namespace metadist {

// The redistribution of one array, as the input of every route planner.
struct RouteProblem {
  const PrimeMesh* mesh = nullptr;
  View view;  // of both ends, on mesh->fine
  Layout from, to;
  // All pieces must have equal size (steps that violate this are forbidden); otherwise balanced
  // pieces only have to nest.
  bool even = true;

  // The moves a planner may use: grouped moves that keep the axes of every slot's common major
  // part, and the partial axes that stay.
  MoveRule rule(MoveKinds kinds = kAllMoves, bool by_size = false) const;
  // Elements per rank of the larger end; a route within the memory bound never holds more.
  int64_t most_elements() const;
};

// from, to: on mesh.fine, in normal form (Normalize), `to` partial only where `from` is; nullopt if
// the two see a dim as products without a common refinement.
std::optional<RouteProblem> MakeRouteProblem(
    const Shape& shape, const Sharding& from, const Sharding& to, const PrimeMesh& mesh, bool even);

// The moves of a route in order; empty: nothing to do. nullopt: the method has no route.
using Moves = std::optional<std::vector<Move>>;

}  // namespace metadist
