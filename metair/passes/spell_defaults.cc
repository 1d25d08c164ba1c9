// SPDX-License-Identifier: Apache-2.0
//
// Whatever a model may leave out, or write in several ways, is written in one way (OpDef::spell).
// What is known of a call then does not depend on how its model happens to say it, and an integer
// that is there can move with a part of an array, as the diagonal of a triangle must when its rows
// are cut.
#include <set>
#include <utility>

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

class Speller {
 public:
  explicit Speller(const Graph& graph) : out_(graph) {
    for (const Value& value : graph.values) taken_.insert(value.name);
  }

  void Spell(const OpDef& op, NodeId id) {
    const OpCall call = CallOf(op, out_, out_.node(id));
    if (!IsLegal(call)) return;
    auto spelled = op.spell(call);
    if (!spelled.ok()) return;
    Spelling spelling = std::move(spelled).value();
    std::erase_if(spelling.inputs,
                  [&](const auto& input) { return Holds(call, input.first, input.second); });
    Node& node = out_.node(id);
    node.attributes = std::move(spelling.attributes);
    if (static_cast<int>(node.outputs.size()) < spelling.num_outputs)
      node.outputs.resize(static_cast<size_t>(spelling.num_outputs), kNone);
    for (auto& [input, constant] : spelling.inputs) {
      if (node.inputs.size() <= input) node.inputs.resize(input + 1, kNone);
      const ValueId value = Add(node.name, input, std::move(constant));
      out_.node(id).inputs[input] = value;
    }
  }

  Graph Done() && { return WithoutDeadCode(out_); }

 private:
  ValueId Add(const std::string& node, size_t input, Tensor constant) {
    std::string name = node + "/" + std::to_string(input);
    while (!taken_.insert(name).second) name += "_";
    const TensorType type = constant.type();
    return out_.AddValue({std::move(name), type, ValueKind::kConstant, std::move(constant), kNone});
  }

  Graph out_;
  std::set<std::string> taken_;
};

Result<Graph> Run(const Graph& graph, const PassInput& input) {
  Speller speller(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const OpDef* op = input.ops.Find(graph.nodes[n]);
    if (op != nullptr && op->spell != nullptr) speller.Spell(*op, static_cast<NodeId>(n));
  }
  return std::move(speller).Done();
}

}  // namespace

extern const PassDef kPass_spell_defaults;
const PassDef kPass_spell_defaults = {
    .name = "spell_defaults",
    .summary = "write out what a model may leave out or write in several ways",
    .run = Run};

}  // namespace metadist::passes
