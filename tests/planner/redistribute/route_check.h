// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "planner/redistribute/route_problem.h"

namespace metadist {

// A problem on plain dims, with both ends in the form of ParseOn; owns the mesh it refers to.
struct TestProblem {
  PrimeMesh mesh;
  RouteProblem problem;

  TestProblem(std::string_view mesh,
              const Shape& shape,
              const std::string& from,
              const std::string& to);
};

// Executes the moves on sets of elements per rank, knowing only the placement of blocks (mixed
// radix of coordinates, major first) and the definition of each kind of step: a slice keeps a part,
// a gather unites the group's parts, an all-to-all takes equally much from each rank of the group,
// a permute sends every block to as many ranks as held it. "" if every move matches its definition
// and the last one leads to the destination.
std::string CheckRoute(const RouteProblem& problem, const std::vector<Move>& moves);

// The cost of a route, in elements per rank.
struct RouteSize {
  int64_t peak = 0;     // largest at either end or after a step
  double received = 0;  // over all steps
};
RouteSize SizeOf(const RouteProblem& problem, const std::vector<Move>& moves);

// "slice,permute,a2a": the kinds in order, consecutive equal ones once.
std::string KindsOf(const std::vector<Move>& moves);

}  // namespace metadist
