// SPDX-License-Identifier: Apache-2.0
// y[r, c] = the maxima in each cell of a grid over region r of x[image of r, c]. A row of rois is
// (image, left, top, right, bottom), corners included; an empty cell gives 0, NaN propagates.
#include <algorithm>
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferMaxRoiPool(const OpCall& call) {
  const Shape grid = call.attributes->Ints("pooled_shape");
  TRY(CallCheck(call)
          .Inputs(2)
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
  return std::vector<TensorType>{{call.type(0).element, shape}};
}

struct Span {
  int64_t begin = 0;
  int64_t end = 0;
};

// Cell `i` of `cells` between two corners, clamped to [0, size).
Span CellOf(int64_t first, int64_t last, int64_t cells, int64_t i, int64_t size) {
  const double step =
      static_cast<double>(std::max<int64_t>(last - first + 1, 1)) / static_cast<double>(cells);
  const int64_t begin = first + static_cast<int64_t>(std::floor(static_cast<double>(i) * step));
  const int64_t end = first + static_cast<int64_t>(std::ceil(static_cast<double>(i + 1) * step));
  return {std::clamp<int64_t>(begin, 0, size), std::clamp<int64_t>(end, 0, size)};
}

Result<void> MaxRoiPoolReference(const OpCall& call,
                                 std::span<const Tensor> in,
                                 std::span<Tensor> out) {
  constexpr double kFarthest = 1e9;
  const double scale = call.attributes->Float("spatial_scale", 1);
  const Shape& x = in[0].shape();
  const Shape& y = out[0].shape();
  for (int64_t i = 0; i < out[0].size(); ++i) {
    const int64_t column = i % y[3];
    const int64_t row = i / y[3] % y[2];
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
    const Span columns = CellOf(corner[0], corner[2], y[3], column, x[3]);
    const Span rows = CellOf(corner[1], corner[3], y[2], row, x[2]);
    const double* plane =
        in[0].data<double>() + (static_cast<int64_t>(roi[0]) * x[1] + channel) * x[2] * x[3];
    bool any = false;
    double& most = out[0].mutable_data<double>()[i];
    for (int64_t r = rows.begin; r < rows.end; ++r)
      for (int64_t c = columns.begin; c < columns.end; ++c, any = true)
        if (!any || plane[r * x[3] + c] > most || std::isnan(plane[r * x[3] + c]))
          most = plane[r * x[3] + c];
  }
  return {};
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

}  // namespace

OpDef MakeMaxRoiPool() {
  return {.name = "MaxRoiPool",
          .since_version = 22,
          .infer = InferMaxRoiPool,
          .reference = MaxRoiPoolReference,
          .domain_of = MaxRoiPoolDomain,
          .examples = MaxRoiPoolExamples,
          .untrained = 0b10};
}

}  // namespace metadist::ops
