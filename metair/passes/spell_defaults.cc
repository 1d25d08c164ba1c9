// SPDX-License-Identifier: Apache-2.0
//
// Integers that a model may leave out are written where they are: an integer that is there can move
// with a part of an array, as the diagonal of a triangle must when its rows are cut.
#include "metair/passes/passes.h"

namespace metadist::passes {
namespace {

Result<Graph> Run(const Graph& graph, const OpTable& ops) {
  Graph out = graph;
  for (Node& node : out.nodes) {
    if (!node.domain.empty()) continue;
    if (node.op == "EyeLike" && !node.attributes.has("k")) node.attributes.set("k", int64_t{0});
    if (node.op != "Trilu" || (node.inputs.size() > 1 && node.inputs[1] != kNone)) continue;
    const Tensor diagonal = Tensor::Scalar<int64_t>(0);
    std::string name = node.name + "/k";
    while (out.FindValue(name) != kNone) name += "_";
    node.inputs.resize(2);
    node.inputs[1] = out.AddValue({name, diagonal.type(), ValueKind::kConstant, diagonal, kNone});
  }
  return out;
}

}  // namespace

extern const PassDef kPass_spell_defaults;
const PassDef kPass_spell_defaults = {
    .name = "spell_defaults",
    .summary = "write integers that are left out and that parts of an array must move",
    .run = Run};

}  // namespace metadist::passes
