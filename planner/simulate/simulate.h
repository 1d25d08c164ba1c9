// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "metair/ops/op_table.h"
#include "metair/spmd/program.h"
#include "metair/spmd/timeline.h"
#include "planner/redistribute/step_price.h"
#include "planner/simulate/memory_use.h"
#include "planner/simulate/overlap.h"
#include "profiles/cluster.h"
#include "profiles/priced.h"

namespace metadist {

// Collectives of one kind, or along one group of axes.
struct Traffic {
  int64_t count = 0;
  int64_t bytes = 0;  // received by the busiest rank in one step
  double seconds = 0;
  bool operator==(const Traffic&) const = default;
};

// The predicted cost of one step of a program, of all micro-batches. Nodes run one after the other
// on every rank, and so do collectives unless they are marked as overlapping nodes; what such marks
// would change is in `overlap`.
struct Prediction {
  Priced step;
  Priced compute;
  Priced communication;                        // also what compute hides
  std::vector<Priced> nodes;                   // by node of the stage, for one micro-batch
  std::map<std::string, Traffic> collectives;  // by kind, without local steps
  std::map<std::string, Traffic> by_axis;      // by axes ("data", "data,model")
  Overlapped overlap;                          // if collectives run beside compute
  MemoryUse memory;                            // on the fullest rank
};

// By node of the program's stage: its call on the widest rank, in the form of a profile
// (planner/space/call_text.h); empty for collectives and for nodes without a price of their own.
std::vector<std::string> CallsOf(const Program& program, const OpTable& ops);

// What the step of a priced program is made of. All arguments must outlive the result.
StepParts PartsOf(const Program& program,
                  const Cluster& cluster,
                  const OpTable& ops,
                  const std::vector<Priced>& nodes);

// program: one stage. cluster: as many devices as ranks.
Prediction Simulate(const Program& program, const Cluster& cluster, const OpTable& ops);

// When each part of the step runs, of all ranks alike; nodes that take no time are left out.
// prediction: of the same program and cluster.
Timeline PredictedTimeline(const Program& program,
                           const Cluster& cluster,
                           const OpTable& ops,
                           const Prediction& prediction);

}  // namespace metadist
