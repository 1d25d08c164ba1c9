// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/simulate/step_tasks.h"

namespace metadist {

// How far an order may deviate from that of the program. The further, the more memory it may need.
struct OverlapReach {
  int window = 64;  // tasks of a stream to choose from
  int waiting = 4;  // collectives whose results exist and nobody has read yet
};

// An order of the tasks in which collectives start early and compute goes on beside them.
// Complexity: tasks times window.
std::vector<int> OverlapOrder(const std::vector<StepTask>& tasks, const OverlapReach& reach);

// The nodes of the tasks in that order.
std::vector<NodeId> NodesOf(const std::vector<StepTask>& tasks, const std::vector<int>& order);

}  // namespace metadist
