// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/comm/site.h"
#include "executor/device/device.h"
#include "metair/ir/graph.h"
#include "metair/ir/tensor.h"

namespace metadist {

// A call of a rank's step, as named in reports.
struct CallName {
  int position = 0;  // in the schedule
  int stage = 0;
  int micro_batch = 0;
  NodeId node = kNone;  // kNone: a channel from the stage
  std::vector<NodeId> others;
  std::string kernel;
  bool collective = false;
  bool beside = false;  // on the second stream
};

// A rank's parts of an output: one for each micro-batch, or only that of the last.
struct OutputParts {
  int stage = 0;
  size_t position = 0;  // among the stage's outputs
  std::vector<Tensor> parts;
};

// An output of one float at every step; the mean over micro-batches.
struct ScalarSeries {
  int stage = 0;
  int64_t position = 0;  // among the stage's outputs
  std::vector<double> values;
};

// When a step and each of its calls ran on a rank, by the clock of its machine.
struct StepTimes {
  double start = 0;
  std::vector<double> begins;
  std::vector<double> ends;
};

// Everything that a rank reports of a run.
struct RankReport {
  Site site;
  std::vector<CallName> calls;   // in the order in which they run
  std::vector<StepTimes> steps;  // measured ones
  RankMemory memory;
  std::vector<OutputParts> outputs;   // only those that no other rank reports
  std::vector<ScalarSeries> scalars;  // of these, if they are watched
};

}  // namespace metadist
