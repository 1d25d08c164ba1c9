// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "planner/redistribute/route_problem.h"

namespace metadist {

// A problem on plain dims, with both ends in the syntax of ParseOn; owns its mesh.
struct TestProblem {
  PrimeMesh mesh;
  RouteProblem problem;

  TestProblem(std::string_view mesh,
              const Shape& shape,
              const std::string& from,
              const std::string& to);
};

// Simulates the moves on sets of elements per rank, using only the positions of blocks (mixed radix
// of coordinates, major first) and what each kind of step may do: a slice keeps a part, a gather
// concatenates what the group holds, an all-to-all takes equally much from each rank of the group,
// a permute gives every block to as many ranks as held it. "" if every move is valid and the last
// one leads to the destination.
std::string CheckRoute(const RouteProblem& problem, const std::vector<Move>& moves);

// The cost of a route, in elements per rank.
struct RouteSize {
  int64_t peak = 0;     // most held at either end or after a step
  double received = 0;  // over all steps
};
RouteSize SizeOf(const RouteProblem& problem, const std::vector<Move>& moves);

// "slice,permute,a2a": kinds in order; consecutive steps of one kind appear once.
std::string KindsOf(const std::vector<Move>& moves);

}  // namespace metadist
