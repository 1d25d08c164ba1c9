// SPDX-License-Identifier: Apache-2.0
// x cropped or zero-padded on both sides of `axes` to the sizes in input 1; if the difference is
// odd, the extra element is cropped or added at the end.
#include <algorithm>
#include <numeric>

#include "metair/ops/axes.h"
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/mapped_copy.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferCenterCropPad(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Integers(1).Rank(1, 1, 1).Done());
  std::vector<int64_t> axes = call.attributes->Ints("axes");
  if (!call.attributes->has("axes")) {
    axes.resize(call.shape(0).size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  axes = TRY(NormalizeAxes(axes, call.rank(0)));
  const std::vector<int64_t> sizes = TRY(call.Ints(1));
  if (sizes.size() != axes.size())
    return BadCall("{} axes need as many sizes, got {}", axes.size(), sizes.size());
  TensorType type = call.type(0);
  for (size_t i = 0; i < axes.size(); ++i) type.shape[static_cast<size_t>(axes[i])] = sizes[i];
  TRY(CheckedElements(type.shape, type.element));
  return std::vector<TensorType>{type};
}

Result<void> CenterCropPadReference(const OpCall& call,
                                    std::span<const Tensor> in,
                                    std::span<Tensor> out) {
  std::vector<std::vector<int64_t>> maps;
  for (size_t d = 0; d < out[0].shape().size(); ++d) {
    const int64_t from = in[0].shape()[d];
    const int64_t to = out[0].shape()[d];
    const int64_t shift = from >= to ? (from - to) / 2 : -((to - from) / 2);
    maps.emplace_back();
    for (int64_t i = 0; i < to; ++i) {
      const int64_t at = i + shift;
      maps.back().push_back(at < from ? std::max<int64_t>(at, -1) : -1);
    }
  }
  CopyMapped(in[0], maps, out[0]);
  return {};
}

std::vector<OpExample> CenterCropPadExamples() {
  return {{.inputs = {F32({2, 7, 4}), Ints({2, 3, 7})}},
          {.inputs = {F32({3, 6, 5}), Ints({4, 8})}, .attributes = {{"axes", List{-2, -1}}}}};
}

Result<void> CenterCropPadGradient(GradientCall& g) {
  std::vector<int64_t> before;
  std::vector<int64_t> after;
  for (size_t d = 0; d < g.call().shape(0).size(); ++d) {
    const int64_t from = g.call().shape(0)[d];
    const int64_t to = g.dy().shape()[d];
    before.push_back(from >= to ? (from - to) / 2 : -((to - from) / 2));
    after.push_back(from - to - before.back());
  }
  g.Give(0, g.dy().Padded(before, after));
  return {};
}

}  // namespace

OpDef MakeCenterCropPad() {
  return {.name = "CenterCropPad",
          .since_version = 18,
          .infer = InferCenterCropPad,
          .reference = CenterCropPadReference,
          .gradient = CenterCropPadGradient,
          .work = MoveWork,
          .examples = CenterCropPadExamples};
}

}  // namespace metadist::ops
