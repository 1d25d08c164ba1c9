// SPDX-License-Identifier: Apache-2.0
//
// If a node is given sizes for all axes and some axes keep their size, it is given sizes for the
// others only. A node that states the size of an axis could be sharded along it only if that size
// and the axis shrank together, and such a node cannot be distinguished from one that resizes the
// axis.
#include <utility>

#include "metair/ops/axes.h"
#include "metair/ops/graph_builder.h"
#include "metair/passes/passes.h"

namespace metadist::passes {
namespace {

// The input that lists sizes; kNone if the node is not changed.
int64_t SizesInput(const Graph& graph, const Node& node) {
  const auto is_constant = [&](size_t input) {
    return input < node.inputs.size() && node.inputs[input] != kNone &&
           graph.value(node.inputs[input]).is_known();
  };
  const Attributes& attributes = node.attributes;
  if (!node.domain.empty() || node.inputs.empty() || node.inputs[0] == kNone) return kNone;
  if (node.op == "CenterCropPad" && is_constant(1)) return 1;
  const bool plain =
      attributes.String("keep_aspect_ratio_policy", "stretch") == "stretch" &&
      attributes.String("coordinate_transformation_mode", "half_pixel") != "tf_crop_and_resize";
  return node.op == "Resize" && plain && is_constant(3) ? 3 : kNone;
}

// Errors: kBadInput for invalid axes; the node itself is then invalid.
Result<void> Narrow(size_t input, GraphBuilder& b, Node& node) {
  const Shape& x = b.shape(node.inputs[0]);
  const std::vector<int64_t> sizes = b.graph().value(node.inputs[input]).data.ToInts();
  std::vector<int64_t> axes;
  for (size_t d = 0; d < x.size(); ++d) axes.push_back(static_cast<int64_t>(d));
  if (node.attributes.has("axes"))
    axes = TRY(NormalizeAxes(node.attributes.Ints("axes"), static_cast<int64_t>(x.size())));
  if (axes.size() != sizes.size()) return {};
  std::vector<int64_t> kept, kept_sizes;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (x[static_cast<size_t>(axes[i])] == sizes[i]) continue;
    kept.push_back(axes[i]);
    kept_sizes.push_back(sizes[i]);
  }
  if (kept.empty() || kept.size() == axes.size()) return {};
  node.attributes.set("axes", kept);
  node.inputs[input] = b.Constant(
      Tensor::Of<int64_t>({static_cast<int64_t>(kept.size())}, kept_sizes), node.name + "/sizes");
  return {};
}

Result<Graph> NarrowSizes(const Graph& graph, const PassInput& pass) {
  GraphBuilder b = GraphBuilder::Rewrite(graph, pass.ops);
  for (Node node : graph.nodes) {
    const int64_t input = SizesInput(graph, node);
    if (input != kNone) TRY(Narrow(static_cast<size_t>(input), b, node));
    b.Keep(std::move(node));
  }
  return WithoutDeadCode(TRY(b.Done()));
}

}  // namespace

extern const PassDef kPass_narrow_sizes = {.name = "narrow_sizes",
                                           .summary = "give sizes only for the axes that change",
                                           .run = NarrowSizes};

}  // namespace metadist::passes
