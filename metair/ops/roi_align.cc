// SPDX-License-Identifier: Apache-2.0
// y[r, c] = x[image of r, c] sampled bilinearly on a grid over region r; each cell is the mean or
// the maximum of its samples. A row of rois is (left, top, right, bottom).
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferRoiAlign(const OpCall& call) {
  const int64_t rows = call.attributes->Int("output_height", 1);
  const int64_t columns = call.attributes->Int("output_width", 1);
  const std::string mode = call.attributes->String("mode", "avg");
  const std::string corners =
      call.attributes->String("coordinate_transformation_mode", "half_pixel");
  TRY(CallCheck(call)
          .Inputs(3)
          .Floats(0)
          .SameElement(0, 1)
          .Integers(2)
          .Rank(0, 4, 4)
          .Rank(1, 2, 2)
          .Rank(2, 1, 1)
          .That(rows > 0 && columns > 0, "output_height and output_width must be positive")
          .That(call.attributes->Int("sampling_ratio", 0) >= 0, "sampling_ratio must be at least 0")
          .That(mode == "avg" || mode == "max", "mode must be avg or max, got {}", mode)
          .That(corners == "half_pixel" || corners == "output_half_pixel",
                "coordinate_transformation_mode must be half_pixel or "
                "output_half_pixel, got {}",
                corners)
          .Done());
  const Shape regions{call.shape(2)[0], 4};
  if (call.shape(1) != regions)
    return BadCall("{} regions need corners {}, got {}",
                   regions[0],
                   ShapeText(regions),
                   ShapeText(call.shape(1)));
  const Shape shape{call.shape(2)[0], call.shape(0)[1], rows, columns};
  TRY(CheckedElements(shape, call.type(0).element));
  return std::vector<TensorType>{{call.type(0).element, shape}};
}

// Samples along one side of a region.
struct Side {
  double start = 0;
  double cell = 0;      // length of a cell
  int64_t samples = 0;  // per cell

  double at(int64_t i, int64_t sample) const {
    return start + static_cast<double>(i) * cell +
           (static_cast<double>(sample) + 0.5) * cell / static_cast<double>(samples);
  }
};

Result<Side> SideOf(const OpCall& call, double from, double to, int64_t cells) {
  constexpr double kMostSamples = 1 << 20;
  const double scale = call.attributes->Float("spatial_scale", 1);
  const bool half =
      call.attributes->String("coordinate_transformation_mode", "half_pixel") == "half_pixel";
  double length = (to - from) * scale;
  if (!half) length = std::max(length, 1.0);
  Side side{from * scale - (half ? 0.5 : 0.0), length / static_cast<double>(cells), 0};
  side.samples = call.attributes->Int("sampling_ratio", 0);
  if (!(std::fabs(side.cell) < kMostSamples))
    return BadCall("a region reaches from {} to {}", from, to);
  if (side.samples == 0) side.samples = static_cast<int64_t>(std::ceil(side.cell));
  return side;
}

// The two neighbours of a coordinate and its distance from the first; none if it is beyond the
// edge.
struct Neighbours {
  int64_t low = 0;
  int64_t high = 0;
  double part = 0;
  bool inside = false;
};

Neighbours NeighboursOf(double at, int64_t size) {
  if (at < -1 || at > static_cast<double>(size)) return {};
  at = std::max(at, 0.0);
  const int64_t low = static_cast<int64_t>(at);
  if (low >= size - 1) return {size - 1, size - 1, 0, true};
  return {low, low + 1, at - static_cast<double>(low), true};
}

// The weighted corners around one sample; zeros if it is beyond the edge.
std::array<double, 4> Corners(const double* plane, const Shape& x, double row, double column) {
  const Neighbours r = NeighboursOf(row, x[2]);
  const Neighbours c = NeighboursOf(column, x[3]);
  if (!r.inside || !c.inside) return {};
  const double* low = plane + r.low * x[3];
  const double* high = plane + r.high * x[3];
  return {(1 - r.part) * (1 - c.part) * low[c.low],
          (1 - r.part) * c.part * low[c.high],
          r.part * (1 - c.part) * high[c.low],
          r.part * c.part * high[c.high]};
}

Result<void> RoiAlignReference(const OpCall& call,
                               std::span<const Tensor> in,
                               std::span<Tensor> out) {
  const bool average = call.attributes->String("mode", "avg") == "avg";
  const Shape& x = in[0].shape();
  const Shape& y = out[0].shape();
  for (int64_t i = 0; i < out[0].size(); ++i) {
    const int64_t region = i / y[3] / y[2] / y[1];
    const int64_t image = in[2].data<int64_t>()[region];
    if (image < 0 || image >= x[0]) return BadCall("a region lies in image {} of {}", image, x[0]);
    const double* roi = in[1].data<double>() + region * 4;
    const Side across = TRY(SideOf(call, roi[0], roi[2], y[3]));
    const Side down = TRY(SideOf(call, roi[1], roi[3], y[2]));
    const double* plane =
        in[0].data<double>() + (image * x[1] + i / y[3] / y[2] % y[1]) * x[2] * x[3];
    double result = 0;
    for (int64_t r = 0; r < down.samples; ++r)
      for (int64_t c = 0; c < across.samples; ++c) {
        const auto corner = Corners(plane, x, down.at(i / y[3] % y[2], r), across.at(i % y[3], c));
        if (average) {
          result += corner[0] + corner[1] + corner[2] + corner[3];
          continue;
        }
        bool first = r == 0 && c == 0;
        for (const double v : corner)  // NaN propagates
          if (std::exchange(first, false) || v > result || std::isnan(v)) result = v;
      }
    const int64_t count = std::max<int64_t>(down.samples * across.samples, 1);
    out[0].mutable_data<double>()[i] = average ? result / static_cast<double>(count) : result;
  }
  return {};
}

// Four corners per sample. Without a sampling ratio the number of samples depends on the regions;
// two per side are assumed.
Work WorkForRoiAlign(const OpCall& call, std::span<const TensorType> outputs) {
  const int64_t ratio = call.attributes->Int("sampling_ratio", 0);
  const int64_t samples = ratio == 0 ? 4 : ratio * ratio;
  return FlopsWork(call, outputs, 8 * samples * NumElements(outputs[0].shape));
}

std::vector<InputDomain> RoiAlignDomain(const OpCall& call) {
  const double scale = std::max(std::fabs(call.attributes->Float("spatial_scale", 1)), 1e-3);
  const double height = static_cast<double>(call.shape(0)[2]) / scale;
  const double width = static_cast<double>(call.shape(0)[3]) / scale;
  return {{},
          {.kind = InputDomain::Kind::kRange,
           .low = -1 / scale,
           .high = std::max(height, width) + 1 / scale,
           .columns = {{-1 / scale, 0.7 * width},
                       {-1 / scale, 0.7 * height},
                       {0.3 * width, width + 1 / scale},
                       {0.3 * height, height + 1 / scale}}},
          {.kind = InputDomain::Kind::kIndex, .bounds = {{.input = 0, .dim = 0}}}};
}

std::vector<OpExample> RoiAlignExamples() {
  return {{.inputs = {F32({2, 3, 6, 8}), F32({4, 4}), I64({4})},
           .attributes = {{"output_height", 2},
                          {"output_width", 3},
                          {"sampling_ratio", 2},
                          {"spatial_scale", 2.0}}},
          {.inputs = {F32({2, 3, 6, 8}), F32({4, 4}), I64({4})},
           .attributes = {{"mode", "max"},
                          {"sampling_ratio", 2},
                          {"coordinate_transformation_mode", "output_half_pixel"}}}};
}

}  // namespace

OpDef MakeRoiAlign() {
  return {.name = "RoiAlign",
          .since_version = 22,
          .infer = InferRoiAlign,
          .reference = RoiAlignReference,
          .work = WorkForRoiAlign,
          .domain_of = RoiAlignDomain,
          .examples = RoiAlignExamples,
          .untrained = 0b10};
}

}  // namespace metadist::ops
