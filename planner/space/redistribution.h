// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/spmd/collective.h"
#include "planner/redistribute/redistribute.h"
#include "planner/space/assignment.h"
#include "profiles/priced.h"

namespace metadist {

// The redistribution of one value, at one point of the program.
struct Redistribution {
  enum class Place : uint8_t {
    kKept,    // right after the value is made, for all its uses
    kUse,     // right before `node` uses it
    kOutput,  // at the end, for graph output `output`
  };

  ValueId value = kNone;
  Place place = Place::kUse;
  NodeId node = kNone;  // the producer for kKept, the consumer for kUse
  int output = -1;
  std::vector<CollectiveStep> steps = {};
  // By step: steps with the same number are one collective, -1: alone; or empty.
  std::vector<int> bundles = {};
  Priced price = {};
  int64_t received_bytes = 0;
};

// All redistributions that the assignment needs, in program order.
std::vector<Redistribution> RedistributionsOf(const Graph& graph,
                                              const Assignment& assignment,
                                              Redistributor& routes);

// The reason for it: "'Add_3' makes [][x], it is kept as [x][] for its uses".
std::string Why(const Redistribution& redistribution, const Graph& graph, const Mesh& mesh);

}  // namespace metadist
