// SPDX-License-Identifier: Apache-2.0
//
// Removes nodes whose result is their first input, unchanged. Types and attributes decide this: a
// view that keeps its type; a conversion to the same element type; a broadcast to the same shape;
// an identity permutation; a concatenation of one array; a slice that keeps all elements, with
// steps of one; dropout outside training.
#include <algorithm>

#include "metair/passes/passes.h"
#include "metair/passes/replace_value.h"

namespace metadist::passes {
namespace {

bool IsInOrder(const std::vector<int64_t>& permutation) {
  for (size_t i = 0; i < permutation.size(); ++i)
    if (permutation[i] != static_cast<int64_t>(i)) return false;
  return true;
}

// A slice of the full size keeps its input unless a step reverses it.
bool HasUnitSteps(const Graph& graph, const Node& node) {
  if (node.inputs.size() < 5 || node.inputs[4] == kNone) return true;
  const Value& steps = graph.value(node.inputs[4]);
  if (!steps.is_known()) return false;
  const std::vector<int64_t> values = steps.data.ToInts();
  return std::all_of(values.begin(), values.end(), [](int64_t step) { return step == 1; });
}

// Dropout keeps its input unless its training input is set.
bool Trains(const Graph& graph, const Node& node) {
  if (node.inputs.size() < 3 || node.inputs[2] == kNone) return false;
  const Value& training = graph.value(node.inputs[2]);
  return !training.data.has_data() || training.data.ToInts()[0] != 0;
}

bool IsNoOp(const Graph& graph, const Node& node, const OpDef& op) {
  if (node.outputs.size() != 1 || node.outputs[0] == kNone || node.inputs.empty()) return false;
  if (node.inputs[0] == kNone) return false;
  const TensorType& before = graph.value(node.inputs[0]).type;
  if (before != graph.value(node.outputs[0]).type) return false;
  if (op.view) return true;
  if (!op.domain.empty()) return false;
  if (op.name == "Cast" || op.name == "CastLike" || op.name == "Expand") return true;
  if (op.name == "Dropout") return !Trains(graph, node);
  if (op.name == "Concat") return node.inputs.size() == 1;
  if (op.name == "Slice") return HasUnitSteps(graph, node);
  if (op.name != "Transpose") return false;
  return before.shape.size() < 2 ||
         (node.attributes.has("perm") && IsInOrder(node.attributes.Ints("perm")));
}

Result<Graph> RemoveNoOps(const Graph& graph, const PassInput& input) {
  ValueReplacement replaced(graph);
  for (const Node& node : graph.nodes) {
    const OpDef* op = input.ops.Find(node);
    if (op != nullptr && IsNoOp(graph, node, *op))
      replaced.Add(graph, node.outputs[0], node.inputs[0]);
  }
  return WithoutDeadCode(replaced.Apply(graph));
}

}  // namespace

extern const PassDef kPass_remove_no_ops = {
    .name = "remove_no_ops",
    .summary = "drop nodes that return their input unchanged",
    .run = RemoveNoOps};

}  // namespace metadist::passes
