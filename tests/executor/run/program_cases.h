// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/spmd/program.h"

// Programs written as text, and their expected results: for every way to run programs.
namespace metadist::programs {

// y = gelu(gelu(x a) b) c in two or three stages, on `ranks` ranks (2, 4 or 6); with 6 ranks the
// stages have different sizes.
struct PipelineCase {
  int ranks = 2;
  int stages = 2;
  int micro_batches = 1;
};
std::vector<PipelineCase> PipelineCases();
std::string PipelineText(const PipelineCase& one);
// The same on one device, for all micro-batches at once.
Graph WholePipeline(const PipelineCase& one);

// A training step of a two-layer perceptron by stochastic gradient descent with momentum: weights
// and their momenta are states. On 1, 2 or 4 ranks: the batch is sharded, and with 4 ranks also the
// hidden columns.
std::string TrainingText(int ranks);
// The step without collectives.
Graph TrainingStep();

}  // namespace metadist::programs
