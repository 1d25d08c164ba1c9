// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/device/device.h"
#include "metair/ir/graph.h"
#include "metair/ir/tensor.h"

namespace metadist {

// A call of a rank's step, as reports name it.
struct CallName {
  int position = 0;  // of the schedule
  int stage = 0;
  int micro_batch = 0;
  NodeId node = kNone;  // kNone: a channel from the stage
  std::vector<NodeId> others;
  std::string kernel;
  bool collective = false;
};

// What a rank holds of an output: of each micro-batch, or of the last.
struct OutputParts {
  int stage = 0;
  size_t position = 0;  // among the stage's outputs
  std::vector<Tensor> parts;
};

// When a step began on a rank, and when each of its calls ended, by the host's clock.
struct StepTimes {
  double start = 0;
  std::vector<double> ends;
};

// All that a rank tells of a run.
struct RankReport {
  std::vector<CallName> calls;   // in the order in which they run
  std::vector<StepTimes> steps;  // measured ones
  RankMemory memory;
  std::vector<OutputParts> outputs;  // of which no other rank tells
};

}  // namespace metadist
