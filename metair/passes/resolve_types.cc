// SPDX-License-Identifier: Apache-2.0
//
// A conversion to the element type of another value, whose type is known here, becomes a conversion
// to that type: it then does not read the other value, and a converted constant can be folded.
#include "metair/ops/onnx_types.h"
#include "metair/passes/passes.h"

namespace metadist::passes {
namespace {

Result<Graph> ResolveTypes(const Graph& graph, const PassInput& input) {
  Node cast;
  cast.op = "Cast";
  if (input.ops.Find(cast) == nullptr) return graph;
  Graph out = graph;
  for (Node& node : out.nodes) {
    if (!node.domain.empty() || node.op != "CastLike" || node.inputs.size() != 2) continue;
    if (node.inputs[0] == kNone || node.inputs[1] == kNone) continue;
    node.op = cast.op;
    node.attributes.set("to", OnnxNumberOf(graph.value(node.inputs[1]).type.element));
    node.inputs.pop_back();
  }
  return WithoutDeadCode(out);
}

}  // namespace

extern const PassDef kPass_resolve_types = {
    .name = "resolve_types",
    .summary = "conversions to the type of a value name the type",
    .run = ResolveTypes};

}  // namespace metadist::passes
