// SPDX-License-Identifier: Apache-2.0
// The gradient of x in y = MaxRoiPool(x, rois), given that of y: each element goes to the first
// largest element of its cell; to none if the cell is empty. Inputs: x, rois, the gradient of y.
// Attributes as in MaxRoiPool.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/max_roi_pool.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferMaxRoiPoolGradient(const OpCall& call) {
  TRY(CallCheck(call).Inputs(3).SameElement(0, 2).Done());
  const TensorType y = TRY(MaxRoiPoolType(call));
  if (call.shape(2) != y.shape)
    return BadCall(
        "the gradient of y must be {}, got {}", ShapeText(y.shape), ShapeText(call.shape(2)));
  return std::vector<TensorType>{call.type(0)};
}

Result<void> MaxRoiPoolGradientReference(const OpCall& call,
                                         std::span<const Tensor> in,
                                         std::span<Tensor> out) {
  const double* dy = in[2].data<double>();
  double* dx = out[0].mutable_data<double>();
  for (int64_t i = 0; i < in[2].size(); ++i) {
    const int64_t greatest = TRY(GreatestInRoi(call, in, in[2].shape(), i));
    if (greatest >= 0) dx[greatest] += dy[i];
  }
  return {};
}

Work WorkForMaxRoiPoolGradient(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, NumElements(call.shape(2)));
}

std::vector<InputDomain> MaxRoiPoolGradientDomain(const OpCall& call) {
  std::vector<InputDomain> domains = MaxRoiPoolDomain(call);
  domains.emplace_back();
  return domains;
}

std::vector<OpExample> MaxRoiPoolGradientExamples() {
  std::vector<OpExample> examples = MaxRoiPoolExamples();
  for (OpExample& example : examples) {
    const Shape grid = example.attributes.Ints("pooled_shape");
    const Shape& x = example.inputs[0].type.shape;
    example.inputs.push_back(F32({example.inputs[1].type.shape[0], x[1], grid[0], grid[1]}));
  }
  return examples;
}

}  // namespace

OpDef MakeMaxRoiPoolGradient() {
  return {.domain = "metadist",
          .name = "MaxRoiPoolGradient",
          .infer = InferMaxRoiPoolGradient,
          .reference = MaxRoiPoolGradientReference,
          .work = WorkForMaxRoiPoolGradient,
          .domain_of = MaxRoiPoolGradientDomain,
          .examples = MaxRoiPoolGradientExamples};
}

}  // namespace metadist::ops
