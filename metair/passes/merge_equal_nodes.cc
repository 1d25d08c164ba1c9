// SPDX-License-Identifier: Apache-2.0
//
// Common subexpression elimination: nodes with the same operator, attributes and (replaced) inputs
// compute the same values. One walk in node order with a table of nodes seen; equal constants are
// merged first, since exporters repeat them. Tensors in attributes compare by bytes. Nodes with
// regions, random operators and unknown operators are not merged. O(n log n) comparisons of keys.
// Source: value numbering; Cocke and Schwartz 1970, "Programming Languages and Their Compilers".
#include <fmt/format.h>

#include <map>
#include <string>

#include "metair/ops/drawing.h"
#include "metair/passes/passes.h"
#include "metair/passes/replace_value.h"

namespace metadist::passes {
namespace {

// Constants above this size are not compared.
constexpr int64_t kComparedBytes = 1 << 16;

void MergeConstants(const Graph& graph, ValueReplacement* replaced) {
  std::map<std::pair<std::string, std::string>, ValueId> seen;
  for (ValueId id : graph.OfKind(ValueKind::kConstant)) {
    const Tensor& data = graph.value(id).data;
    if (!data.has_data() || data.type().bytes() > kComparedBytes) continue;
    const std::string bytes(reinterpret_cast<const char*>(data.bytes()),
                            static_cast<size_t>(data.type().bytes()));
    const auto [place, fresh] = seen.emplace(std::pair(TypeText(data.type()), bytes), id);
    if (!fresh) replaced->Add(graph, id, place->second);
  }
}

std::string KeyOf(const Node& node, const ValueReplacement& replaced) {
  std::string key = fmt::format("{}.{}/{}", node.domain, node.op, node.outputs.size());
  for (ValueId input : node.inputs) key += fmt::format(",{}", replaced.of(input));
  for (const auto& [name, value] : node.attributes.all())
    key += fmt::format(";{}:{}", name, value.index());
  return key;
}

// Whether every result of `node` may be replaced by that of `earlier`; checked before any is
// replaced.
bool CanReplace(const Graph& graph, const Node& node, const Node& earlier) {
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const bool wanted = node.outputs[i] != kNone;
    if (wanted && earlier.outputs[i] == kNone) return false;
    if (wanted && graph.value(node.outputs[i]).type != graph.value(earlier.outputs[i]).type)
      return false;
  }
  return Identical(node.attributes, earlier.attributes);
}

Result<Graph> MergeEqualNodes(const Graph& graph, const PassInput& input) {
  ValueReplacement replaced(graph);
  MergeConstants(graph, &replaced);
  std::multimap<std::string, const Node*> seen;
  for (const Node& node : graph.nodes) {
    const OpDef* op = input.ops.Find(node);
    if (op == nullptr || !node.regions.empty() || Draws(CallOf(*op, graph, node))) continue;
    const std::string key = KeyOf(node, replaced);
    const auto [first, last] = seen.equal_range(key);
    auto found = first;
    while (found != last && !CanReplace(graph, node, *found->second)) ++found;
    if (found == last) {
      seen.emplace(key, &node);
      continue;
    }
    // A result that cannot be replaced (for example, it and the earlier one are graph outputs)
    // keeps its node, but the node's other results are still replaced.
    for (size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i] != kNone) replaced.Add(graph, node.outputs[i], found->second->outputs[i]);
  }
  return WithoutDeadCode(replaced.Apply(graph));
}

}  // namespace

extern const PassDef kPass_merge_equal_nodes = {
    .name = "merge_equal_nodes",
    .summary = "compute equal expressions and store equal constants once",
    .run = MergeEqualNodes};

}  // namespace metadist::passes
