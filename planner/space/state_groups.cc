// SPDX-License-Identifier: Apache-2.0
#include "planner/space/state_groups.h"

namespace metadist {

std::vector<StateGroup> StateGroupsOf(const Graph& graph) {
  std::vector<StateGroup> groups;
  std::vector<int> group_of(graph.values.size(), -1);  // by output
  for (const StatePair& pair : graph.state) {
    int& group = group_of[static_cast<size_t>(pair.output)];
    if (group < 0) {
      group = static_cast<int>(groups.size());
      groups.push_back({pair.output, pair.sums, {}, {}});
    }
    groups[static_cast<size_t>(group)].inputs.push_back(pair.input);
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const int group = group_of[static_cast<size_t>(graph.outputs[i])];
    if (group >= 0 && !groups[static_cast<size_t>(group)].sums)
      groups[static_cast<size_t>(group)].positions.push_back(i);
  }
  return groups;
}

}  // namespace metadist
