// SPDX-License-Identifier: Apache-2.0
//
// Gives every operator that draws random numbers its own key, derived from its seed or, if the
// model gives none, from the node's name: two nodes draw different numbers, and the same model
// draws the same numbers each time, on any number of devices. The operator also gets the position
// of its first element, which changes if it computes only a part of the array
// (metair/ops/drawing.h). Applies inside bodies as well; a body that runs many times draws the same
// numbers each time.
#include <fmt/format.h>

#include "metair/ops/drawing.h"
#include "metair/ops/graph_builder.h"
#include "metair/passes/passes.h"

namespace metadist::passes {
namespace {

Result<void> AddKey(const OpDef& op, const std::string& name, GraphBuilder& b, Node& node) {
  if (node.inputs.size() > kKeyInput && node.inputs[kKeyInput] != kNone) return {};
  const std::vector<TensorType> types = TRY(InferTypes(CallOf(op, b.graph(), node)));
  node.inputs.resize(kKeyInput + 1, kNone);
  node.inputs[kKeyInput] =
      b.Constant(Tensor::Of<int64_t>({2}, KeyOfNode(node.attributes, name)), node.name + "/key");
  node.attributes.erase("seed");
  node.attributes.set("start", std::vector<int64_t>(types[0].shape.size(), 0));
  return {};
}

// prefix: names of the enclosing nodes.
Result<Graph> AddKeys(const Graph& graph, const OpTable& ops, const std::string& prefix) {
  GraphBuilder b = GraphBuilder::Rewrite(graph, ops);
  for (Node node : graph.nodes) {
    const std::string name = prefix + node.name;
    for (Region& region : node.regions)
      region.graph = std::make_shared<const Graph>(
          TRY(AddKeys(*region.graph, ops, fmt::format("{}/{}/", name, region.name))));
    const OpDef* op = ops.Find(node);
    if (op != nullptr && Draws(CallOf(*op, b.graph(), node))) TRY(AddKey(*op, name, b, node));
    b.Keep(std::move(node));
  }
  return b.Done();
}

Result<Graph> KeyRandom(const Graph& graph, const PassInput& input) {
  return AddKeys(graph, input.ops, "");
}

}  // namespace

extern const PassDef kPass_key_random = {
    .name = "key_random",
    .summary = "give every node that draws random numbers a key",
    .run = KeyRandom};

}  // namespace metadist::passes
