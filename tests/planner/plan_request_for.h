// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/planner.h"
#include "tests/planner/test_cluster.h"

namespace metadist {

// Of a graph on a mesh of the test cluster, without alternatives.
inline PlanRequest RequestFor(const Graph& graph, RuleBook& rules, const char* mesh) {
  PlanRequest request;
  request.graph = &graph;
  request.ops = &OpTable::BuiltIn();
  request.rules = &rules;
  request.mesh = ParseMesh(mesh).value();
  request.cluster = TestCluster(static_cast<int>(request.mesh->ranks()));
  request.alternatives = false;
  return request;
}

}  // namespace metadist
