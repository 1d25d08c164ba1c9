// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/spmd/buffer_plan.h"
#include "metair/spmd/program.h"

namespace metadist {

// What a rank holds for a stage beside the buffers of the stage's graph (buffer_plan.h), in steps
// of several micro-batches and steps that carry state. The executor allocates what this says and
// the planner predicts memory with it. Channels need nothing: they move data from the buffer of an
// output to that of an input.
struct StepBuffers {
  // An input or an output: of one micro-batch, or of all, one behind the other.
  struct Batches {
    size_t position = 0;  // among the graph's inputs or outputs
    ValueId value = kNone;
    int64_t bytes = 0;  // of one
    int64_t count = 1;

    int64_t all_bytes() const { return count * bytes; }
  };
  // A state that ends in another buffer than it begins in.
  struct Carry {
    StatePair state;
    int64_t bytes = 0;
    // It ends where another state begins, and is moved away before anything is written.
    bool staged = false;
  };

  // Batched inputs; the graph's own buffer has the micro-batch at work.
  std::vector<Batches> inputs;
  // Outputs of several micro-batches, and those that look at a state, which is another one when the
  // step has ended.
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
