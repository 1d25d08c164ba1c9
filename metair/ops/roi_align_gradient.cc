// SPDX-License-Identifier: Apache-2.0
// The gradient of x in y = RoiAlign(x, rois, images), given that of y. For a mean, it goes to the
// neighbours of all samples of a cell; for a maximum, to the one neighbour that gives y. Inputs: x,
// rois, images, the gradient of y. Attributes as in RoiAlign.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/roi_align.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferRoiAlignGradient(const OpCall& call) {
  TRY(CallCheck(call).Inputs(4).SameElement(0, 3).Done());
  const TensorType y = TRY(RoiAlignType(call));
  if (call.shape(3) != y.shape)
    return BadCall(
        "the gradient of y must be {}, got {}", ShapeText(y.shape), ShapeText(call.shape(3)));
  return std::vector<TensorType>{call.type(0)};
}

Result<void> RoiAlignGradientReference(const OpCall& call,
                                       std::span<const Tensor> in,
                                       std::span<Tensor> out) {
  const bool average = call.attributes->String("mode", "avg") == "avg";
  const double* dy = in[3].data<double>();
  for (int64_t i = 0; i < in[3].size(); ++i) {
    const RoiCell cell = TRY(RoiCellAt(call, in, in[3].shape(), i));
    double* dx = out[0].mutable_data<double>() + cell.plane;
    const auto add = [&](const RoiCorner& corner, double gradient) {
      if (corner.offset >= 0) dx[corner.offset] += corner.weight * gradient;
    };
    if (!average) {
      add(GreatestRoiCorner(cell, in[0]), dy[i]);
      continue;
    }
    const double share = dy[i] / static_cast<double>(cell.samples());
    for (int64_t sample = 0; sample < cell.samples(); ++sample)
      for (const RoiCorner& corner : RoiCorners(cell, in[0].shape(), sample)) add(corner, share);
  }
  return {};
}

Work WorkForRoiAlignGradient(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, RoiAlignFlops(*call.attributes, call.shape(3)));
}

std::vector<InputDomain> RoiAlignGradientDomain(const OpCall& call) {
  std::vector<InputDomain> domains = RoiAlignDomain(call);
  domains.emplace_back();
  return domains;
}

std::vector<OpExample> RoiAlignGradientExamples() {
  std::vector<OpExample> examples = RoiAlignExamples();
  // As many samples as a region has elements.
  for (const char* mode : {"avg", "max"})
    examples.push_back({.inputs = {F32({2, 3, 4, 5}), F32({3, 4}), I64({3})},
                        .attributes = {{"mode", mode}, {"output_height", 2}}});
  for (OpExample& example : examples) {
    const Attributes& attributes = example.attributes;
    example.inputs.push_back(F32({example.inputs[1].type.shape[0],
                                  example.inputs[0].type.shape[1],
                                  attributes.Int("output_height", 1),
                                  attributes.Int("output_width", 1)}));
  }
  return examples;
}

}  // namespace

OpDef MakeRoiAlignGradient() {
  return {.domain = "metadist",
          .name = "RoiAlignGradient",
          .infer = InferRoiAlignGradient,
          .reference = RoiAlignGradientReference,
          .work = WorkForRoiAlignGradient,
          .domain_of = RoiAlignGradientDomain,
          .examples = RoiAlignGradientExamples};
}

}  // namespace metadist::ops
