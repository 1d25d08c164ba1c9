// SPDX-License-Identifier: Apache-2.0
// Nodes are in topological order, so one forward pass is enough.
#include "planner/space/partial_flow.h"

#include <algorithm>
#include <cstdint>

namespace metadist {

std::vector<std::vector<bool>> ReachedPasses(const Graph& graph,
                                             const std::vector<const Rule*>& rules) {
  std::vector<uint8_t> partial(graph.values.size(), 0);  // by value: a bit for each reduction
  const auto bit = [](ReduceOp op) { return static_cast<uint8_t>(1U << static_cast<int>(op)); };
  std::vector<std::vector<bool>> reached;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const auto may_be = [&](int output, ReduceOp op) {
      const size_t at = static_cast<size_t>(output);
      if (at < node.outputs.size() && node.outputs[at] != kNone)
        partial[static_cast<size_t>(node.outputs[at])] |= bit(op);
    };
    for (const Factor& factor : rules[n]->factors)
      for (const auto& [output, op] : factor.reductions) may_be(output, op);
    reached.emplace_back();
    for (const PassThrough& pass : rules[n]->pass_through) {
      const bool here = std::any_of(pass.inputs.begin(), pass.inputs.end(), [&](int input) {
        const ValueId id = node.inputs[static_cast<size_t>(input)];
        return id != kNone && (partial[static_cast<size_t>(id)] & bit(pass.op)) != 0;
      });
      reached.back().push_back(here);
      for (size_t o = 0; here && o < node.outputs.size(); ++o) may_be(static_cast<int>(o), pass.op);
    }
  }
  return reached;
}

}  // namespace metadist
