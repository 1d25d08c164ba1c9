// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metair/ops/graph_builder.h"
#include "metair/training/training.h"

namespace metadist {

// What the update of one parameter reads.
struct UpdateOperands {
  ValueId parameter = kNone;
  ValueId gradient = kNone;
  std::vector<ValueId> states = {};  // of the optimizer, of the parameter's shape
  ValueId rate = kNone;              // the learning rate
  ValueId step = kNone;              // the number of this step, from 1 on
  ValueId scale = kNone;             // what the gradient is multiplied by; 0: nothing is updated
  ValueId master = kNone;  // the parameter in f32; its new value is the node's last output
};

struct OptimizerDef {
  const char* name;
  const char* summary;
  double weight_decay;  // by default
  bool counts_steps;    // reads UpdateOperands::step even without a master
  // Suffixes of the names of its states.
  std::vector<std::string> (*states)(const TrainingOptions& options);
  // The node that makes the new parameter and the new states, without inputs.
  Node (*node)(const TrainingOptions& options);
  // Its inputs.
  std::vector<ValueId> (*inputs)(const UpdateOperands& update);
};

// In alphabetical order.
const std::vector<OptimizerDef>& Optimizers();
// "adam, adamw, sgd"
std::string OptimizerNames();
// nullptr if there is none.
const OptimizerDef* FindOptimizer(const std::string& name);

}  // namespace metadist
