// SPDX-License-Identifier: Apache-2.0
// y[r, c] = x[image of r, c] sampled bilinearly on a grid over region r; each cell is the mean or
// the maximum of its samples. A row of rois is (left, top, right, bottom).
#include "metair/ops/roi_align.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

constexpr int64_t kMostSamples = 1 << 20;  // along one side of a cell

Result<std::vector<TensorType>> InferRoiAlign(const OpCall& call) {
  TRY(CallCheck(call).Inputs(3).Done());
  return std::vector<TensorType>{TRY(RoiAlignType(call))};
}

Result<RoiSide> RoiSideOf(const OpCall& call, double from, double to, int64_t cells) {
  const double scale = call.attributes->Float("spatial_scale", 1);
  const bool half =
      call.attributes->String("coordinate_transformation_mode", "half_pixel") == "half_pixel";
  double length = (to - from) * scale;
  if (!half) length = std::max(length, 1.0);
  RoiSide side{from * scale - (half ? 0.5 : 0.0), length / static_cast<double>(cells), 0};
  side.samples = call.attributes->Int("sampling_ratio", 0);
  if (!(std::fabs(side.cell) < kMostSamples))
    return BadCall("a region reaches from {} to {}", from, to);
  if (side.samples == 0) side.samples = static_cast<int64_t>(std::ceil(std::max(side.cell, 0.0)));
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
  if (size == 0 || at < -1 || at > static_cast<double>(size)) return {};
  at = std::max(at, 0.0);
  const int64_t low = static_cast<int64_t>(at);
  if (low >= size - 1) return {size - 1, size - 1, 0, true};
  return {low, low + 1, at - static_cast<double>(low), true};
}

// The mean of the samples of a cell, 0 if there are none.
double RoiMean(const RoiCell& cell, const Tensor& x) {
  const double* plane = x.data<double>() + cell.plane;
  double sum = 0;
  for (int64_t sample = 0; sample < cell.samples(); ++sample) {
    const auto corners = RoiCorners(cell, x.shape(), sample);
    sum += corners[0].value(plane) + corners[1].value(plane) + corners[2].value(plane) +
           corners[3].value(plane);
  }
  return sum / static_cast<double>(std::max<int64_t>(cell.samples(), 1));
}

Result<void> RoiAlignReference(const OpCall& call,
                               std::span<const Tensor> in,
                               std::span<Tensor> out) {
  const bool average = call.attributes->String("mode", "avg") == "avg";
  double* y = out[0].mutable_data<double>();
  for (int64_t i = 0; i < out[0].size(); ++i) {
    const RoiCell cell = TRY(RoiCellAt(call, in, out[0].shape(), i));
    y[i] = average ? RoiMean(cell, in[0])
                   : GreatestRoiCorner(cell, in[0]).value(in[0].data<double>() + cell.plane);
  }
  return {};
}

// Regions have no gradient, as in PyTorch.
Result<void> RoiAlignGradient(GradientCall& g) {
  g.Give(0, g.x(0).Apply("metadist.RoiAlignGradient", {g.x(1), g.x(2), g.dy()}, g.attributes()));
  return {};
}

Work WorkForRoiAlign(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, RoiAlignFlops(*call.attributes, outputs[0].shape));
}

}  // namespace

Result<TensorType> RoiAlignType(const OpCall& call) {
  const int64_t rows = call.attributes->Int("output_height", 1);
  const int64_t columns = call.attributes->Int("output_width", 1);
  const int64_t samples = call.attributes->Int("sampling_ratio", 0);
  const std::string mode = call.attributes->String("mode", "avg");
  const std::string corners =
      call.attributes->String("coordinate_transformation_mode", "half_pixel");
  TRY(CallCheck(call)
          .Floats(0)
          .SameElement(0, 1)
          .Integers(2)
          .Rank(0, 4, 4)
          .Rank(1, 2, 2)
          .Rank(2, 1, 1)
          .That(rows > 0 && columns > 0, "output_height and output_width must be positive")
          .That(samples >= 0 && samples <= kMostSamples,
                "sampling_ratio must be in [0, {}], got {}",
                kMostSamples,
                samples)
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
  return TensorType{call.type(0).element, shape};
}

Result<RoiCell> RoiCellAt(const OpCall& call,
                          std::span<const Tensor> in,
                          const Shape& y,
                          int64_t i) {
  const Shape& x = in[0].shape();
  const int64_t region = i / y[3] / y[2] / y[1];
  const int64_t image = in[2].data<int64_t>()[region];
  if (image < 0 || image >= x[0]) return BadCall("a region lies in image {} of {}", image, x[0]);
  const double* roi = in[1].data<double>() + region * 4;
  RoiCell cell;
  cell.across = TRY(RoiSideOf(call, roi[0], roi[2], y[3]));
  cell.down = TRY(RoiSideOf(call, roi[1], roi[3], y[2]));
  cell.row = i / y[3] % y[2];
  cell.column = i % y[3];
  cell.plane = (image * x[1] + i / y[3] / y[2] % y[1]) * x[2] * x[3];
  return cell;
}

std::array<RoiCorner, 4> RoiCorners(const RoiCell& cell, const Shape& x, int64_t sample) {
  const int64_t row = sample / cell.across.samples;
  const int64_t column = sample % cell.across.samples;
  const Neighbours r = NeighboursOf(cell.down.at(cell.row, row), x[2]);
  const Neighbours c = NeighboursOf(cell.across.at(cell.column, column), x[3]);
  if (!r.inside || !c.inside) return {};
  return {{{r.low * x[3] + c.low, (1 - r.part) * (1 - c.part)},
           {r.low * x[3] + c.high, (1 - r.part) * c.part},
           {r.high * x[3] + c.low, r.part * (1 - c.part)},
           {r.high * x[3] + c.high, r.part * c.part}}};
}

RoiCorner GreatestRoiCorner(const RoiCell& cell, const Tensor& x) {
  const double* plane = x.data<double>() + cell.plane;
  RoiCorner greatest;
  bool first = true;
  for (int64_t sample = 0; sample < cell.samples(); ++sample)
    for (const RoiCorner& corner : RoiCorners(cell, x.shape(), sample)) {
      const double value = corner.value(plane);
      if (std::exchange(first, false) || value > greatest.value(plane) || std::isnan(value))
        greatest = corner;
    }
  return greatest;
}

int64_t RoiAlignFlops(const Attributes& attributes, const Shape& y) {
  constexpr double kMost = 1e18;
  const double ratio = static_cast<double>(attributes.Int("sampling_ratio", 0));
  const double samples = ratio == 0 ? 4 : ratio * ratio;
  return static_cast<int64_t>(std::min(8 * samples * static_cast<double>(NumElements(y)), kMost));
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

OpDef MakeRoiAlign() {
  return {.name = "RoiAlign",
          .since_version = 22,
          .infer = InferRoiAlign,
          .reference = RoiAlignReference,
          .gradient = RoiAlignGradient,
          .work = WorkForRoiAlign,
          .domain_of = RoiAlignDomain,
          .examples = RoiAlignExamples,
          .untrained = 0b10};
}

}  // namespace metadist::ops
