// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ops/op_table.h"
#include "metair/spmd/program.h"
#include "profiles/priced.h"

namespace metadist {

// What a step is made of.
struct StepParts {
  const Program& program;  // one stage
  const OpTable& ops;
  const std::vector<Priced>& nodes;  // by node, for one micro-batch
  double slowdown = 1;               // of kernels while a collective runs
  double start_seconds = 0;          // before the first node
};

// What runs at one time: a node, a bundle of collectives, or nodes that run as one.
struct StepTask {
  NodeId first = 0;  // nodes, both included
  NodeId last = 0;
  bool moves = false;  // a collective on its own stream
  bool once = false;   // for the last micro-batch only
  double seconds = 0;
  std::vector<int> needs = {};    // tasks that must be done before
  std::vector<int> readers = {};  // tasks that need it
};

// The tasks of a micro-batch, in program order. On the stream of collectives run those marked as
// overlapping nodes; of a program without marks, all. A new value of a state needs all tasks that
// read the old one.
std::vector<StepTask> TasksOf(const StepParts& step);

}  // namespace metadist
