// SPDX-License-Identifier: Apache-2.0
//
// Everything that a model may omit, or write in several ways, is written in one canonical way
// (OpDef::spell). The sharding rules of a call then do not depend on how its model expresses it.
// And an integer that is written out can differ between the parts of an array, as the diagonal of a
// triangle must when its rows are sharded.
#include <string>
#include <utility>

#include "metair/ops/graph_builder.h"
#include "metair/passes/passes.h"

namespace metadist::passes {
namespace {

// Whether the call's sizes are known and its operator accepts it.
bool IsLegal(const OpCall& call) { return InferTypes(call).ok(); }

bool Holds(const OpCall& call, size_t input, const Tensor& wanted) {
  if (!call.has(input) || call.inputs[input].constant == nullptr) return false;
  const Tensor& now = *call.inputs[input].constant;
  return Identical(now, wanted);
}

void Spell(const OpDef& op, GraphBuilder& b, Node& node) {
  const OpCall call = CallOf(op, b.graph(), node);
  if (!IsLegal(call)) return;
  auto spelled = op.spell(call);
  if (!spelled.ok()) return;
  Spelling spelling = std::move(spelled).value();
  std::erase_if(spelling.inputs,
                [&](const auto& input) { return Holds(call, input.first, input.second); });
  node.attributes = std::move(spelling.attributes);
  if (static_cast<int>(node.outputs.size()) < spelling.num_outputs)
    node.outputs.resize(static_cast<size_t>(spelling.num_outputs), kNone);
  for (auto& [input, constant] : spelling.inputs) {
    if (node.inputs.size() <= input) node.inputs.resize(input + 1, kNone);
    node.inputs[input] = b.Constant(std::move(constant), node.name + "/" + std::to_string(input));
  }
}

Result<Graph> SpellDefaults(const Graph& graph, const PassInput& input) {
  GraphBuilder b = GraphBuilder::Rewrite(graph, input.ops);
  for (Node node : graph.nodes) {
    const OpDef* op = input.ops.Find(node);
    if (op != nullptr && op->spell != nullptr) Spell(*op, b, node);
    b.Keep(std::move(node));
  }
  return WithoutDeadCode(TRY(b.Done()));
}

}  // namespace

extern const PassDef kPass_spell_defaults = {
    .name = "spell_defaults",
    .summary = "write out what a model may leave out or write in several ways",
    .run = SpellDefaults};

}  // namespace metadist::passes
