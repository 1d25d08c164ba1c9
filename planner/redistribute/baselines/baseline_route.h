// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "planner/redistribute/route_problem.h"

namespace metadist {

// Collects the moves of a baseline, whose method does not check whether pieces stay even: after a
// move that the problem forbids, there is no route.
class BaselineRoute {
 public:
  explicit BaselineRoute(const RouteProblem& problem) : BaselineRoute(problem, problem.from) {}
  BaselineRoute(const RouteProblem& problem, const Layout& from) : problem_(&problem), at_(from) {}

  // The layout after the moves so far.
  const Layout& at() const { return at_; }
  const std::vector<Move>& moves() const { return moves_; }
  bool broken() const { return broken_; }

  // Each of these does nothing if there is nothing to move.
  void Slice(size_t slot, const AxisList& free_axes);
  // Gathers the minor-most `count` axes of a slot.
  void Gather(size_t slot, size_t count);
  void AllToAll(size_t from, size_t count, size_t to);
  void Permute(const Layout& to);
  void AllReduce(const AxisList& partial_axes);
  void ReduceScatter(const AxisList& partial_axes, size_t slot);
  // One all-reduce of all partial axes that the destination does not keep.
  void ReduceAll();

  // nullopt if the route is broken or does not end at the destination.
  Moves Finish() const;

 private:
  // The last `count` axes of the slot, for a move that takes them. The route is broken if they do
  // not divide every piece of the rest.
  AxisList LastAxes(size_t slot, size_t count);
  // Moves the axes to the end of `slot`; nullopt: frees them.
  void Take(CollectiveKind kind, const AxisList& axes, std::optional<size_t> slot);
  void Emit(CollectiveKind kind, const AxisList& axes, const Layout& to);
  // The route is broken if cutting the slot, already cut in `pieces`, further does not divide every
  // piece.
  void CheckCut(size_t slot, int64_t pieces, int64_t added);

  const RouteProblem* problem_;
  Layout at_;
  std::vector<Move> moves_;
  bool broken_ = false;
};

}  // namespace metadist
