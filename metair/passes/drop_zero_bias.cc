// SPDX-License-Identifier: Apache-2.0
//
// Removes a bias of zeros, which some exporters write and others omit. kBiased lists operators with
// an optional input, always the last one, that is added to the result.
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "metair/passes/passes.h"

namespace metadist::passes {
namespace {

constexpr std::array<std::string_view, 3> kBiased = {"Conv", "ConvTranspose", "Gemm"};
constexpr size_t kBias = 2;  // index of that input

bool IsZero(const Value& value) {
  if (!value.is_known()) return false;
  const std::vector<double> elements = value.data.ToDoubles();
  return std::all_of(elements.begin(), elements.end(), [](double x) { return x == 0; });
}

Result<Graph> DropZeroBias(const Graph& graph, const PassInput&) {
  Graph out = graph;
  for (Node& node : out.nodes) {
    if (!node.domain.empty()) continue;
    if (std::find(kBiased.begin(), kBiased.end(), node.op) != kBiased.end() &&
        node.inputs.size() == kBias + 1 && node.inputs[kBias] != kNone &&
        IsZero(graph.value(node.inputs[kBias])))
      node.inputs.pop_back();
  }
  return WithoutDeadCode(out);
}

}  // namespace

extern const PassDef kPass_drop_zero_bias = {.name = "drop_zero_bias",
                                             .summary = "leave out biases that are constant zeros",
                                             .run = DropZeroBias};

}  // namespace metadist::passes
