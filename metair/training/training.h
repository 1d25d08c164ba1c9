// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ops/op_table.h"
#include "metair/training/tied_weights.h"

namespace metadist {

// How a model is trained.
struct TrainingOptions {
  std::string optimizer = "adamw";          // a name of Optimizers()
  std::string loss = {};                    // see AddLoss
  std::vector<std::string> trainable = {};  // see TrainedParameters
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
  double momentum = 0;
  double clip = 0;  // limit of the global norm of all gradients; 0: none
  // The type that f32 parameters are converted to (precision.h): "f16", "bf16"; "": they stay f32.
  std::string precision = {};
  std::string loss_scale = {};  // see LossScale
  // Keep parameters of fewer than 32 bits in f32 as well, as states that updates start from.
  bool masters = true;
  // Which blocks of the forward pass run again for the backward pass (recompute.h): "none", "full",
  // "auto" (the planner decides), how many, from the first on, or a pattern of names.
  std::string recompute = "auto";

  // A step takes this many batches of the model's size, one after the other; loss and gradients are
  // means over them.
  int64_t micro_batches = 1;

  bool operator==(const TrainingOptions&) const = default;
};

// A parameter that is trained: values of a step's graph.
struct Trained {
  std::string name;
  ValueId parameter = kNone;
  ValueId gradient = kNone;  // of the step, before clipping
};

struct TrainingStep {
  Graph graph;
  ValueId loss = kNone;
  std::vector<Trained> trained;             // in value order
  std::vector<std::string> without_effect;  // chosen parameters on which the loss does not depend
  TiedWeights tied;
};

// One step of training as a graph: the forward pass, the loss, its gradients by reverse-mode
// differentiation (gradient.h), and the update of every trained parameter. Its first output is the
// loss, the others are new states: trained parameters and what the optimizer keeps for them, which
// starts at zero, form state pairs. The learning rate is an input with a default. Outputs of the
// model other than the loss are dropped. With several micro-batches, loss and gradients are means
// over them, in f32 or wider. Copies of tied weights become one (tied_weights.h).
//
// model: typed, with all constants folded. Errors: kUsage for unknown names and patterns, a loss
// that is none, and when nothing is left to train; kBadInput with all nodes that cannot be
// differentiated.
Result<TrainingStep> MakeTrainingStep(const Graph& model,
                                      const TrainingOptions& options,
                                      const OpTable& ops);

}  // namespace metadist
