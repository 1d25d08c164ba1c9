// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "planner/redistribute/route_problem.h"

namespace metadist {

// A problem on plain dims, both ends as ParseOn reads them; the mesh it is on stays alive with it.
struct TestProblem {
  PrimeMesh mesh;
  RouteProblem problem;

  TestProblem(std::string_view mesh,
              const Shape& shape,
              const std::string& from,
              const std::string& to);
};

// Carries out the moves as sets of elements a rank, knowing nothing but where blocks lie (mixed
// radix of coordinates, major first) and what each kind of step may do: a slice keeps a part, a
// gather unites what the group holds, an all-to-all takes as much from each of the group, a permute
// hands every block to as many ranks as held it. "" if every move is what it says and the last
// leads to the destination.
std::string CheckRoute(const RouteProblem& problem, const std::vector<Move>& moves);

// What a route costs, in elements a rank.
struct RouteSize {
  int64_t peak = 0;     // most held at either end or after a step
  double received = 0;  // over all steps
};
RouteSize SizeOf(const RouteProblem& problem, const std::vector<Move>& moves);

// "slice,permute,a2a": kinds in order, those of one kind in a row once.
std::string KindsOf(const std::vector<Move>& moves);

}  // namespace metadist
