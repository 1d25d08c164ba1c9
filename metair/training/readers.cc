// SPDX-License-Identifier: Apache-2.0
#include "metair/training/readers.h"

namespace metadist {

Readers ReadersOf(const Graph& graph, const std::vector<Use>& uses, const OpTable& ops) {
  Readers out;
  for (const Use& use : uses) {
    const OpDef* op = use.node == kNone ? nullptr : ops.Find(graph.node(use.node));
    if (op == nullptr) {
      out.all_products = false;
      continue;
    }
    const OpCall call = CallOf(*op, graph, graph.node(use.node));
    const auto types = InferTypes(call);
    const auto input = static_cast<size_t>(use.input);
    const bool keeps =
        types.ok() && input < call.inputs.size() && types.value()[0] == call.type(input);
    const bool product = types.ok() && WorkOf(call, types.value()).batch > 0;
    out.all_elementwise &= op->elementwise || keeps;
    out.all_products &= product;
    out.any_product |= product;
  }
  return out;
}

}  // namespace metadist
