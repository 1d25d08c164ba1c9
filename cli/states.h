// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ir/result.h"
#include "metair/ir/tensor.h"

namespace metadist::cli {

// What a model hands on from step to step: arrays named like the inputs and parameters that are
// replaced. The files of `--save-state` and `--load-state` hold these.
struct States {
  NamedTensors parameters;
  NamedTensors inputs;
};

// The states among a run's outputs, for the next step.
States StatesAfter(const Graph& graph, const std::vector<std::pair<std::string, Tensor>>& outputs);

// Errors: kUsage if the file cannot be read or the model has no state; kBadInput, listing all that
// is missing, unknown or of another type: it is the state of another model.
Result<States> ReadStates(const std::string& path, const Graph& graph);

// The bytes of a file for ReadStates.
std::string StateBytes(const States& states);

}  // namespace metadist::cli
