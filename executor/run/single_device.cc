// SPDX-License-Identifier: Apache-2.0
#include "executor/run/run.h"
#include "metair/spmd/fusion.h"

namespace metadist {

Program SingleDevice(const Graph& graph) {
  Stage stage;
  stage.mesh.axes = {{"a", 1}};
  stage.graph = graph;
  for (const Value& value : graph.values)
    stage.shardings.push_back(Sharding::Replicated(value.type.shape.size()));
  stage.fused = FuseElementwise(stage, OpTable::BuiltIn());
  return OneStage(std::move(stage));
}

}  // namespace metadist
