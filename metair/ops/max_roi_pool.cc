// SPDX-License-Identifier: Apache-2.0
// y[r, c] = the maxima in each cell of a grid over region r of x[image of r, c]. A row of rois is
// (image, left, top, right, bottom), corners included; an empty cell gives 0, NaN propagates.
#include "metair/ops/max_roi_pool.h"

#include <algorithm>
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferMaxRoiPool(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Done());
  return std::vector<TensorType>{TRY(MaxRoiPoolType(call))};
}

struct RoiSpan {
  int64_t begin = 0;
  int64_t end = 0;
};

// Cell `i` of `cells` between two corners, clamped to [0, size).
RoiSpan RoiSpanOf(int64_t first, int64_t last, int64_t cells, int64_t i, int64_t size) {
  const double step =
      static_cast<double>(std::max<int64_t>(last - first + 1, 1)) / static_cast<double>(cells);
  const int64_t begin = first + static_cast<int64_t>(std::floor(static_cast<double>(i) * step));
  const int64_t end = first + static_cast<int64_t>(std::ceil(static_cast<double>(i + 1) * step));
  return {std::clamp<int64_t>(begin, 0, size), std::clamp<int64_t>(end, 0, size)};
}

Result<void> MaxRoiPoolReference(const OpCall& call,
                                 std::span<const Tensor> in,
                                 std::span<Tensor> out) {
  double* y = out[0].mutable_data<double>();
  for (int64_t i = 0; i < out[0].size(); ++i) {
    const int64_t greatest = TRY(GreatestInRoi(call, in, out[0].shape(), i));
    y[i] = greatest < 0 ? 0 : in[0].data<double>()[greatest];
  }
  return {};
}

// Regions have no gradient, as in PyTorch.
Result<void> MaxRoiPoolGradient(GradientCall& g) {
  g.Give(0, g.x(0).Apply("metadist.MaxRoiPoolGradient", {g.x(1), g.dy()}, g.attributes()));
  return {};
}

}  // namespace

Result<TensorType> MaxRoiPoolType(const OpCall& call) {
  const Shape grid = call.attributes->Ints("pooled_shape");
  TRY(CallCheck(call)
          .Floats(0)
          .SameElement(0, 1)
          .Rank(0, 4, 4)
          .Rank(1, 2, 2)
          .That(grid.size() == 2 && grid[0] > 0 && grid[1] > 0,
                "pooled_shape must have two positive entries")
          .Done());
  if (call.shape(1)[1] != 5) return BadCall("a region must have 5 numbers");
  const Shape shape{call.shape(1)[0], call.shape(0)[1], grid[0], grid[1]};
  TRY(CheckedElements(shape, call.type(0).element));
  return TensorType{call.type(0).element, shape};
}

Result<int64_t> GreatestInRoi(const OpCall& call,
                              std::span<const Tensor> in,
                              const Shape& y,
                              int64_t i) {
  constexpr double kFarthest = 1e9;
  const double scale = call.attributes->Float("spatial_scale", 1);
  const Shape& x = in[0].shape();
  const double* values = in[0].data<double>();
  const int64_t channel = i / y[3] / y[2] % y[1];
  const double* roi = in[1].data<double>() + i / y[3] / y[2] / y[1] * 5;
  if (!(roi[0] >= 0 && roi[0] < static_cast<double>(x[0])))
    return BadCall("a region lies in image {} of {}", roi[0], x[0]);
  int64_t corner[4];
  for (int k = 0; k < 4; ++k) {
    if (!(std::fabs(roi[k + 1] * scale) < kFarthest))
      return BadCall("a region reaches to {}", roi[k + 1]);
    corner[k] = std::llround(roi[k + 1] * scale);
  }
  const RoiSpan columns = RoiSpanOf(corner[0], corner[2], y[3], i % y[3], x[3]);
  const RoiSpan rows = RoiSpanOf(corner[1], corner[3], y[2], i / y[3] % y[2], x[2]);
  const int64_t plane = (static_cast<int64_t>(roi[0]) * x[1] + channel) * x[2] * x[3];
  int64_t greatest = -1;
  for (int64_t r = rows.begin; r < rows.end; ++r)
    for (int64_t c = columns.begin; c < columns.end; ++c) {
      const int64_t at = plane + r * x[3] + c;
      if (greatest < 0 || values[at] > values[greatest] || std::isnan(values[at])) greatest = at;
    }
  return greatest;
}

std::vector<InputDomain> MaxRoiPoolDomain(const OpCall& call) {
  const double scale = std::max(std::fabs(call.attributes->Float("spatial_scale", 1)), 1e-3);
  const double images = static_cast<double>(call.shape(0)[0]) - 0.01;
  const double height = static_cast<double>(call.shape(0)[2]) / scale;
  const double width = static_cast<double>(call.shape(0)[3]) / scale;
  return {{},
          {.kind = InputDomain::Kind::kRange,
           .low = 0,
           .high = images,
           .columns = {{0, images},
                       {0, 0.7 * width},
                       {0, 0.7 * height},
                       {0.3 * width, width},
                       {0.3 * height, height}}}};
}

std::vector<OpExample> MaxRoiPoolExamples() {
  return {{.inputs = {F32({1, 3, 6, 8}), F32({4, 5})},
           .attributes = {{"pooled_shape", List{2, 2}}, {"spatial_scale", 5.0}}},
          {.inputs = {F32({2, 4, 5, 5}), F32({3, 5})},
           .attributes = {{"pooled_shape", List{1, 3}}, {"spatial_scale", 4.0}}}};
}

OpDef MakeMaxRoiPool() {
  return {.name = "MaxRoiPool",
          .since_version = 22,
          .infer = InferMaxRoiPool,
          .reference = MaxRoiPoolReference,
          .gradient = MaxRoiPoolGradient,
          .domain_of = MaxRoiPoolDomain,
          .examples = MaxRoiPoolExamples,
          .untrained = 0b10};
}

}  // namespace metadist::ops
