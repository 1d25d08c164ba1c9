// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/adapt_gradients.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "metair/ops/gradient.h"

namespace metadist {
namespace {

Result<void> Expand(const Node& node, const OpTable& ops, GraphBuilder& b) {
  const ValueId y = node.inputs.back();
  const std::vector<ValueId> xs(node.inputs.begin(),
                                node.inputs.begin() + std::ssize(node.outputs));
  const Term by(b, y);
  const ValueId ones = by.Number(1).Expanded(by.shape()).value();
  const std::vector<ValueId> gradients = TRY(AddGradients(b, ops, {{y, ones}}, xs));
  for (size_t i = 0; i < xs.size(); ++i) {
    if (node.outputs[i] == kNone) continue;
    const Term x(b, xs[i]);
    const ValueId gradient = gradients[i] != kNone ? gradients[i] : x.Zeros(x.shape()).value();
    Node same;
    same.name = b.Fresh(fmt::format("{}.{}", node.name, i));
    same.op = "Identity";
    same.inputs = {gradient};
    same.outputs = {node.outputs[i]};
    b.Keep(std::move(same));
  }
  return {};
}

}  // namespace

bool IsGradient(const Node& node) {
  return node.domain == "ai.onnx.preview.training" && node.op == "Gradient";
}

Result<std::string> DifferentiatedBy(const Node& node,
                                     const std::vector<std::string>& inputs,
                                     size_t results) {
  std::vector<std::string> named = node.attributes.Strings("xs");
  if (results > named.size())
    return BadInput(
        "",
        fmt::format("it has {} results for {} values in attribute 'xs'", results, named.size()));
  const std::vector<std::string> others = node.attributes.Strings("zs");
  named.insert(named.end(), others.begin(), others.end());
  if (named != inputs)
    return BadInput(
        "",
        fmt::format("its inputs must be the values that 'xs' and 'zs' name ({}), got {}",
                    fmt::join(named, ", "),
                    fmt::join(inputs, ", ")));
  std::string y = node.attributes.String("y", "");
  if (y.empty() || std::ranges::count(named, "") > 0)
    return BadInput("", "attributes 'xs', 'zs' and 'y' must name values");
  return y;
}

Result<std::vector<TensorType>> InferGradient(const Graph& graph, const Node& node) {
  std::vector<TensorType> types;
  for (size_t i = 0; i < node.outputs.size(); ++i)
    types.push_back(graph.value(node.inputs[i]).type);
  return types;
}

Result<Graph> WithGradients(const Graph& graph, const OpTable& ops) {
  if (std::ranges::none_of(graph.nodes, IsGradient)) return graph;
  GraphBuilder b = GraphBuilder::Rewrite(graph, ops);
  for (const Node& node : graph.nodes) {
    if (!IsGradient(node))
      b.Keep(node);
    else
      TRY(Expand(node, ops, b).in(fmt::format("node '{}' ({})", node.name, node.op)));
  }
  return b.Done();
}

}  // namespace metadist
