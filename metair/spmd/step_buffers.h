// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/spmd/buffer_plan.h"
#include "metair/spmd/program.h"

namespace metadist {

// Memory that a rank needs for a stage besides the buffers of the stage's graph (buffer_plan.h),
// for several micro-batches and for state. The executor allocates by it and the planner predicts
// memory with it. Channels need none: they move data from the buffer of an output to that of an
// input.
struct StepBuffers {
  // An input or an output, of one micro-batch or of all in sequence.
  struct Batches {
    size_t position = 0;  // among the graph's inputs or outputs
    ValueId value = kNone;
    int64_t bytes = 0;  // of one
    int64_t count = 1;

    int64_t all_bytes() const { return count * bytes; }
  };
  // A state whose new value is in another buffer than the state itself. Carried after every
  // micro-batch if it is a sum or there are no sums, else after the last.
  struct Carry {
    StatePair state;
    int64_t bytes = 0;
    // The new value is in a buffer that another carry may overwrite: it is copied aside first.
    bool staged = false;
  };

  // Batched inputs; the graph's own buffer holds the current micro-batch.
  std::vector<Batches> inputs;
  // Outputs of several micro-batches, and outputs that read a state, whose buffer holds the next
  // state after the step.
  std::vector<Batches> outputs;
  std::vector<Carry> carries;

  int64_t input_bytes() const;
  int64_t result_bytes() const;  // of outputs and staged states
};

// local: the stage's graph on a rank (Instantiate). plan: its buffers.
StepBuffers PlanStepBuffers(const Program& program,
                            int stage,
                            const Graph& local,
                            const BufferPlan& plan);

}  // namespace metadist
