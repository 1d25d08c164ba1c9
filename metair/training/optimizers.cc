// SPDX-License-Identifier: Apache-2.0
#include "metair/training/optimizers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace metadist {
namespace {

Node UpdateNode(std::string op, Attributes attributes) {
  Node node;
  node.domain = "metadist";
  node.op = std::move(op);
  node.attributes = std::move(attributes);
  return node;
}

// Without those at the end that are left out.
void AddOptional(const std::vector<ValueId>& optional, std::vector<ValueId>& inputs) {
  inputs.insert(inputs.end(), optional.begin(), optional.end());
  while (inputs.back() == kNone) inputs.pop_back();
}

std::vector<std::string> MomentStates(const TrainingOptions& /*options*/) {
  return {"mean", "square"};
}

Node MomentNode(const TrainingOptions& options, bool decoupled) {
  return UpdateNode("AdamW",
                    {{"beta1", options.beta1},
                     {"beta2", options.beta2},
                     {"epsilon", options.epsilon},
                     {"decay", options.weight_decay},
                     {"decoupled", decoupled ? 1 : 0}});
}

std::vector<ValueId> MomentInputs(const UpdateOperands& x) {
  std::vector<ValueId> inputs{x.parameter, x.gradient, x.states[0], x.states[1], x.rate, x.step};
  AddOptional({x.master, x.scale}, inputs);
  return inputs;
}

std::vector<std::string> SgdStates(const TrainingOptions& options) {
  if (options.momentum == 0) return {};
  return {"momentum"};
}

std::vector<ValueId> SgdInputs(const UpdateOperands& x) {
  std::vector<ValueId> inputs{x.parameter, x.gradient, x.rate};
  const ValueId step = x.master == kNone ? kNone : x.step;
  AddOptional({x.states.empty() ? kNone : x.states[0], step, x.master, x.scale}, inputs);
  return inputs;
}

}  // namespace

const std::vector<OptimizerDef>& Optimizers() {
  static const std::vector<OptimizerDef> all{
      {"adam",
       "adaptive moments, weight decay added to the gradient",
       0,
       true,
       MomentStates,
       [](const TrainingOptions& options) { return MomentNode(options, /*decoupled=*/false); },
       MomentInputs},
      {"adamw",
       "adaptive moments, weight decay apart from the gradient",
       0.01,
       true,
       MomentStates,
       [](const TrainingOptions& options) { return MomentNode(options, /*decoupled=*/true); },
       MomentInputs},
      {"sgd",
       "gradient descent, with --momentum M",
       0,
       false,
       SgdStates,
       [](const TrainingOptions& options) {
         return UpdateNode("Sgd",
                           {{"momentum", options.momentum}, {"decay", options.weight_decay}});
       },
       SgdInputs}};
  return all;
}

std::string OptimizerNames() {
  std::vector<std::string> names;
  for (const OptimizerDef& optimizer : Optimizers()) names.emplace_back(optimizer.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

const OptimizerDef* FindOptimizer(const std::string& name) {
  for (const OptimizerDef& optimizer : Optimizers())
    if (name == optimizer.name) return &optimizer;
  return nullptr;
}

}  // namespace metadist
