// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/spmd/program.h"
#include "profiles/priced.h"

namespace metadist {

// A step whose collectives run beside its compute.
struct Overlapped {
  double step_seconds = 0;
  double exposed_seconds = 0;  // what the step takes beyond its compute
  double hidden_seconds = 0;   // of communication: the rest
  bool operator==(const Overlapped&) const = default;
};

// What a step is made of.
struct StepParts {
  const Program& program;            // one stage
  const std::vector<Priced>& nodes;  // by node, for one micro-batch
  double slowdown = 1;               // of kernels while a collective runs
  double start_seconds = 0;          // before the first node
};

// Two streams on every rank, nodes on one and collectives on the other. Each takes what is ready,
// in about the order of the program; few collectives wait for their readers at a time. Never longer
// than one after the other: where overlap is no gain, nothing is hidden.
Overlapped OverlappedOf(const StepParts& step);

}  // namespace metadist
