// SPDX-License-Identifier: Apache-2.0
// x sampled at the points of a grid: grid[n, position] is a point in [-1, 1] along each spatial dim
// of x, the last dim first. Sampled at the nearest element, linearly or cubically. Outside x,
// samples are zero, the edge value, or a reflection of x.
// Source: ONNX operator specification, GridSample-22.
#include "metair/ops/grid_sample.h"

#include <algorithm>
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

constexpr double kFarthest = 1e15;  // larger coordinates are clamped to it

Result<std::vector<TensorType>> InferGridSample(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Done());
  return std::vector<TensorType>{TRY(GridSampleType(call))};
}

// A coordinate, and how it changes with that of the grid.
struct Place {
  double at = 0;
  double slope = 0;
};

// Reflects a coordinate at both ends until it is between them.
Place Reflect(Place place, double low, double high) {
  const double range = high - low;
  if (range <= 0) return {low, 0};
  const double past = place.at < low ? low - place.at : place.at > high ? place.at - high : 0;
  if (past == 0) return place;
  const double turns = std::floor(past / range);
  const double rest = past - turns * range;
  const bool even = std::fmod(turns, 2) == 0;
  return {(place.at < low) == even ? low + rest : high - rest, even ? -place.slope : place.slope};
}

void SetTap(GridTaps& taps, int64_t tap, double weight, double slope) {
  taps.weight[tap] = weight;
  taps.slope[tap] = slope;
}

// Weights of the elements around a place, `part` after the second of four or the first of two.
GridTaps WeightsAt(GridMode mode, double part, double slope) {
  GridTaps taps;
  if (mode == GridMode::kNearest) {
    taps.count = 1;
    taps.weight[0] = 1;
  } else if (mode == GridMode::kLinear) {
    taps.count = 2;
    SetTap(taps, 0, 1 - part, -slope);
    SetTap(taps, 1, part, slope);
  } else {
    constexpr double kA = -0.75;
    const auto near = [](double x) { return ((kA + 2) * x - (kA + 3)) * x * x + 1; };
    const auto far = [](double x) { return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA; };
    const auto near_slope = [](double x) { return (3 * (kA + 2) * x - 2 * (kA + 3)) * x; };
    const auto far_slope = [](double x) { return (3 * kA * x - 10 * kA) * x + 8 * kA; };
    taps.count = 4;
    SetTap(taps, 0, far(part + 1), slope * far_slope(part + 1));
    SetTap(taps, 1, near(part), slope * near_slope(part));
    SetTap(taps, 2, near(1 - part), -slope * near_slope(1 - part));
    SetTap(taps, 3, far(2 - part), -slope * far_slope(2 - part));
  }
  return taps;
}

GridTaps TapsAt(const GridSampling& sampling, double normalized, int64_t size) {
  const double length = static_cast<double>(size);
  const double low = sampling.align_corners ? 0 : -0.5;
  const double high = sampling.align_corners ? length - 1 : length - 0.5;
  const double at = sampling.align_corners ? (normalized + 1) / 2 * (length - 1)
                                           : ((normalized + 1) * length - 1) / 2;
  Place place{at, (sampling.align_corners ? length - 1 : length) / 2};
  if (std::isnan(at)) place = {-1, 0};
  if (std::abs(at) > kFarthest) place = {std::copysign(kFarthest, at), 0};
  if (sampling.mode == GridMode::kNearest) place = {std::nearbyint(place.at), 0};
  if (place.at < low || place.at > high) {
    if (sampling.beyond == BeyondGrid::kBorder) place = {std::clamp(place.at, 0.0, length - 1), 0};
    if (sampling.beyond == BeyondGrid::kReflection) place = Reflect(place, low, high);
  }
  const double base = std::floor(place.at);
  GridTaps taps = WeightsAt(sampling.mode, place.at - base, place.slope);
  const double first = sampling.mode == GridMode::kNearest ? std::trunc(place.at)
                       : sampling.mode == GridMode::kCubic ? base - 1
                                                           : base;
  for (int64_t i = 0; i < taps.count; ++i) {
    double index = first + static_cast<double>(i);
    if (sampling.beyond == BeyondGrid::kBorder) index = std::clamp(index, 0.0, length - 1);
    if (sampling.beyond == BeyondGrid::kReflection)
      index = std::clamp(std::trunc(Reflect({index, 0}, low, high).at), 0.0, length - 1);
    taps.index[i] = index < 0 || index >= length ? -1 : static_cast<int64_t>(index);
  }
  return taps;
}

// The weighted sum over the taps of dims from `d` on; plane: the elements of these dims.
double GridSampleSum(const double* plane,
                     const Shape& x,
                     const std::vector<GridTaps>& taps,
                     size_t d) {
  if (d == taps.size()) return *plane;
  const int64_t inner = NumElements({x.begin() + 2 + static_cast<std::ptrdiff_t>(d) + 1, x.end()});
  double sum = 0;
  for (int64_t i = 0; i < taps[d].count; ++i)
    if (taps[d].index[i] >= 0)
      sum += taps[d].weight[i] * GridSampleSum(plane + taps[d].index[i] * inner, x, taps, d + 1);
  return sum;
}

Result<void> GridSampleReference(const OpCall& call,
                                 std::span<const Tensor> in,
                                 std::span<Tensor> out) {
  const GridSampling sampling = TRY(GridSamplingOf(*call.attributes));
  const Shape& x = in[0].shape();
  const Shape& y = out[0].shape();
  const Shape space(x.begin() + 2, x.end());
  const int64_t spatial = NumElements(space);
  const int64_t places = NumElements({y.begin() + 2, y.end()});
  if (spatial == 0) return {};
  for (int64_t n = 0; n < x[0]; ++n)
    for (int64_t place = 0; place < places; ++place) {
      const double* point = in[1].data<double>() + (n * places + place) * std::ssize(space);
      const std::vector<GridTaps> taps = GridTapsAt(sampling, point, space);
      for (int64_t c = 0; c < x[1]; ++c)
        out[0].mutable_data<double>()[(n * x[1] + c) * places + place] =
            GridSampleSum(in[0].data<double>() + (n * x[1] + c) * spatial, x, taps, 0);
    }
  return {};
}

Result<void> GridSampleGradient(GradientCall& g) {
  const std::vector<ValueId> made = g.b().AddAll("metadist.GridSampleGradient",
                                                 {g.x(0).value(), g.x(1).value(), g.dy().value()},
                                                 g.attributes(),
                                                 g.wants(1) ? 2 : 1);
  g.Give(0, {g.b(), made[0]});
  if (g.wants(1)) g.Give(1, {g.b(), made[1]});
  return {};
}

Work WorkForGridSample(const OpCall& call, std::span<const TensorType> outputs) {
  const auto sampling = GridSamplingOf(*call.attributes);
  int64_t taps = 1;
  for (int64_t d = 2; d < call.rank(0) && sampling.ok(); ++d)
    taps *= sampling.value().mode == GridMode::kNearest  ? 1
            : sampling.value().mode == GridMode::kLinear ? 2
                                                         : 4;
  return FlopsWork(call, outputs, 2 * taps * NumElements(outputs[0].shape));
}

}  // namespace

Result<GridSampling> GridSamplingOf(const Attributes& attributes) {
  const std::string mode = attributes.String("mode", "linear");
  const std::string beyond = attributes.String("padding_mode", "zeros");
  GridSampling sampling;
  sampling.align_corners = attributes.Int("align_corners", 0) != 0;
  if (mode == "nearest")
    sampling.mode = GridMode::kNearest;
  else if (mode == "cubic" || mode == "bicubic")
    sampling.mode = GridMode::kCubic;
  else if (mode != "linear" && mode != "bilinear")
    return BadCall("mode must be nearest, linear or cubic, got {}", mode);
  if (beyond == "border")
    sampling.beyond = BeyondGrid::kBorder;
  else if (beyond == "reflection")
    sampling.beyond = BeyondGrid::kReflection;
  else if (beyond != "zeros")
    return BadCall("padding_mode must be zeros, border or reflection, got {}", beyond);
  return sampling;
}

Result<TensorType> GridSampleType(const OpCall& call) {
  TRY(CallCheck(call).Floats(0).Floats(1).RankAtLeast(0, 3).Done());
  TRY(GridSamplingOf(*call.attributes));
  const Shape& x = call.shape(0);
  const Shape& grid = call.shape(1);
  const int64_t dims = call.rank(0) - 2;
  if (grid.size() != x.size() || grid[0] != x[0] || grid.back() != dims)
    return BadCall("the grid for {} must be [{},...,{}] with {} dims, got {}",
                   ShapeText(x),
                   x[0],
                   dims,
                   x.size(),
                   ShapeText(grid));
  TensorType type{call.type(0).element, {x[0], x[1]}};
  type.shape.insert(type.shape.end(), grid.begin() + 1, grid.end() - 1);
  return type;
}

std::vector<GridTaps> GridTapsAt(const GridSampling& sampling,
                                 const double* point,
                                 const Shape& spatial) {
  std::vector<GridTaps> taps;
  for (size_t d = 0; d < spatial.size(); ++d)
    taps.push_back(TapsAt(sampling, point[spatial.size() - 1 - d], spatial[d]));
  return taps;
}

std::vector<OpExample> GridSampleExamples() {
  return {
      {.inputs = {F32({2, 3, 4, 5}), F32({2, 6, 7, 2})}},
      {.inputs = {F32({2, 3, 4, 5}), F32({2, 3, 4, 2})},
       .attributes = {{"mode", "cubic"}, {"padding_mode", "border"}}},
      {.inputs = {F32({2, 3, 4, 5}), F32({2, 3, 4, 2})},
       .attributes = {{"mode", "nearest"}, {"padding_mode", "reflection"}, {"align_corners", 1}}},
      {.inputs = {F32({1, 2, 3, 4, 3}), F32({1, 2, 3, 2, 3})},
       .attributes = {{"align_corners", 1}}}};
}

OpDef MakeGridSample() {
  return {.name = "GridSample",
          .since_version = 22,
          .infer = InferGridSample,
          .reference = GridSampleReference,
          .gradient = GridSampleGradient,
          .work = WorkForGridSample,
          .examples = GridSampleExamples,
          .untrained = 0b10};
}

}  // namespace metadist::ops
