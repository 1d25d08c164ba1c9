// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/simulate/step_tasks.h"

namespace metadist {

// A step whose collectives run beside its compute.
struct Overlapped {
  double step_seconds = 0;
  double exposed_seconds = 0;  // what the step takes beyond its compute
  double hidden_seconds = 0;   // of communication: the rest
  bool operator==(const Overlapped&) const = default;
};

// When a task runs, counted from the beginning of its micro-batch.
struct TaskTimes {
  int task = 0;
  double start_seconds = 0;
  double seconds = 0;
};

// The times in a micro-batch of tasks in their order, each stream its own: a collective
// begins when all nodes before it are done, a node when all that it needs is done. Kernels are
// slower while a collective runs, which shares memory and processors with them. last: of the last
// micro-batch; others go without what runs once.
std::vector<TaskTimes> TimesOfBatch(const std::vector<StepTask>& tasks, double slowdown, bool last);

// Of a program whose collectives are marked as overlapping nodes. Micro-batches do not overlap.
Overlapped OverlappedOf(const StepParts& step);

}  // namespace metadist
