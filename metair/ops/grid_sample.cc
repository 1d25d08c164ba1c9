// SPDX-License-Identifier: Apache-2.0
// x sampled at the points of a grid: grid[n, position] is a point in [-1, 1] along each spatial dim
// of x, the last dim first. Sampled at the nearest element, linearly or cubically. Outside x,
// samples are zero, the edge value, or a reflection of x.
// Source: ONNX operator specification, GridSample-22.
#include <algorithm>
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

enum class Mode { kNearest, kLinear, kCubic };
enum class Beyond { kZeros, kBorder, kReflection };

constexpr double kFarthest = 1e15;  // larger coordinates are clamped to it

struct Sampling {
  Mode mode = Mode::kLinear;
  Beyond beyond = Beyond::kZeros;
  bool align_corners = false;
};

// The names of modes differ between operator sets.
Result<Sampling> SamplingOf(const Attributes& attributes) {
  const std::string mode = attributes.String("mode", "linear");
  const std::string beyond = attributes.String("padding_mode", "zeros");
  Sampling sampling;
  sampling.align_corners = attributes.Int("align_corners", 0) != 0;
  if (mode == "nearest")
    sampling.mode = Mode::kNearest;
  else if (mode == "cubic" || mode == "bicubic")
    sampling.mode = Mode::kCubic;
  else if (mode != "linear" && mode != "bilinear")
    return BadCall("mode must be nearest, linear or cubic, got {}", mode);
  if (beyond == "border")
    sampling.beyond = Beyond::kBorder;
  else if (beyond == "reflection")
    sampling.beyond = Beyond::kReflection;
  else if (beyond != "zeros")
    return BadCall("padding_mode must be zeros, border or reflection, got {}", beyond);
  return sampling;
}

Result<std::vector<TensorType>> InferGridSample(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Floats(0).Floats(1).RankAtLeast(0, 3).Done());
  TRY(SamplingOf(*call.attributes));
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
  return std::vector<TensorType>{type};
}

// Reflects a coordinate at both ends until it is between them.
double Reflect(double at, double low, double high) {
  const double range = high - low;
  if (range <= 0) return low;
  const double past = at < low ? low - at : at > high ? at - high : 0;
  if (past == 0) return at;
  const double turns = std::floor(past / range);
  const double rest = past - turns * range;
  const bool even = std::fmod(turns, 2) == 0;
  return (at < low) == even ? low + rest : high - rest;
}

// The elements that contribute to a point along one dim.
struct Taps {
  int64_t count = 0;
  int64_t index[4] = {};  // -1: a zero
  double weight[4] = {};
};

Taps TapsAt(const Sampling& sampling, double normalized, int64_t size) {
  const double length = static_cast<double>(size);
  const double low = sampling.align_corners ? 0 : -0.5;
  const double high = sampling.align_corners ? length - 1 : length - 0.5;
  double at = sampling.align_corners ? (normalized + 1) / 2 * (length - 1)
                                     : ((normalized + 1) * length - 1) / 2;
  at = std::isnan(at) ? -1 : std::clamp(at, -kFarthest, kFarthest);
  if (sampling.mode == Mode::kNearest) at = std::nearbyint(at);
  if (at < low || at > high) {
    if (sampling.beyond == Beyond::kBorder) at = std::clamp(at, 0.0, length - 1);
    if (sampling.beyond == Beyond::kReflection) at = Reflect(at, low, high);
  }
  const double base = std::floor(at);
  const double part = at - base;
  Taps taps;
  double first = base;
  if (sampling.mode == Mode::kNearest) {
    taps = {1, {}, {1}};
    first = std::trunc(at);
  } else if (sampling.mode == Mode::kLinear) {
    taps = {2, {}, {1 - part, part}};
  } else {
    constexpr double kA = -0.75;
    const auto near = [](double x) { return ((kA + 2) * x - (kA + 3)) * x * x + 1; };
    const auto far = [](double x) { return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA; };
    taps = {4, {}, {far(part + 1), near(part), near(1 - part), far(2 - part)}};
    first = base - 1;
  }
  for (int64_t i = 0; i < taps.count; ++i) {
    double index = first + static_cast<double>(i);
    if (sampling.beyond == Beyond::kBorder) index = std::clamp(index, 0.0, length - 1);
    if (sampling.beyond == Beyond::kReflection)
      index = std::clamp(std::trunc(Reflect(index, low, high)), 0.0, length - 1);
    taps.index[i] = index < 0 || index >= length ? -1 : static_cast<int64_t>(index);
  }
  return taps;
}

// The weighted sum over the taps of dims from `d` on; plane: the elements of these dims.
double GridSampleSum(const double* plane, const Shape& x, const std::vector<Taps>& taps, size_t d) {
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
  const Sampling sampling = TRY(SamplingOf(*call.attributes));
  const Shape& x = in[0].shape();
  const Shape& y = out[0].shape();
  const size_t dims = x.size() - 2;
  const int64_t spatial = NumElements({x.begin() + 2, x.end()});
  const int64_t places = NumElements({y.begin() + 2, y.end()});
  std::vector<Taps> taps(dims);
  if (spatial == 0) return {};
  for (int64_t n = 0; n < x[0]; ++n)
    for (int64_t place = 0; place < places; ++place) {
      const double* point =
          in[1].data<double>() + (n * places + place) * static_cast<int64_t>(dims);
      for (size_t d = 0; d < dims; ++d) taps[d] = TapsAt(sampling, point[dims - 1 - d], x[d + 2]);
      for (int64_t c = 0; c < x[1]; ++c)
        out[0].mutable_data<double>()[(n * x[1] + c) * places + place] =
            GridSampleSum(in[0].data<double>() + (n * x[1] + c) * spatial, x, taps, 0);
    }
  return {};
}

Work WorkForGridSample(const OpCall& call, std::span<const TensorType> outputs) {
  const auto sampling = SamplingOf(*call.attributes);
  int64_t taps = 1;
  for (int64_t d = 2; d < call.rank(0) && sampling.ok(); ++d)
    taps *= sampling.value().mode == Mode::kNearest  ? 1
            : sampling.value().mode == Mode::kLinear ? 2
                                                     : 4;
  return FlopsWork(call, outputs, 2 * taps * NumElements(outputs[0].shape));
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

}  // namespace

OpDef MakeGridSample() {
  return {.name = "GridSample",
          .since_version = 22,
          .infer = InferGridSample,
          .reference = GridSampleReference,
          .work = WorkForGridSample,
          .examples = GridSampleExamples,
          .untrained = 0b10};
}

}  // namespace metadist::ops
