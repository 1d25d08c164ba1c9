// SPDX-License-Identifier: Apache-2.0
#include "cli/node_work.h"

#include <vector>

namespace metadist::cli {

Work WorkOfNode(const OpTable& ops, const Graph& graph, const Node& node) {
  const OpDef* op = ops.Find(node);
  if (op == nullptr) return {};
  std::vector<TensorType> outputs;
  for (ValueId id : node.outputs)
    outputs.push_back(id == kNone ? TensorType{ElementType::kF32, {0}} : graph.value(id).type);
  return WorkOf(CallOf(*op, graph, node), outputs);
}

}  // namespace metadist::cli
