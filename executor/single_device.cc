// SPDX-License-Identifier: Apache-2.0
#include "executor/run.h"

namespace metadist {

Program SingleDevice(const Graph& graph) {
  Program program;
  program.mesh.axes = {{"a", 1}};
  Stage stage;
  stage.ranks = {0};
  stage.graph = graph;
  for (const Value& value : graph.values)
    stage.shardings.push_back(Sharding::Replicated(value.type.shape.size()));
  program.stages.push_back(std::move(stage));
  program.schedule = {{}};
  return program;
}

}  // namespace metadist
