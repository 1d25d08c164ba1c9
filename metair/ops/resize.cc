// SPDX-License-Identifier: Apache-2.0
// x resized: each output coordinate is mapped to a coordinate of x, and the elements around it are
// weighted, axis by axis, according to attribute `mode`: nearest, linear or cubic.
//
// For each axis there is a table of (index, weight) for each output coordinate. A filter w is
// evaluated at the distances of the elements around the coordinate; if the axis shrinks and
// antialias = 1, the filter is stretched so that all elements contribute. Elements beyond the edge
// have the edge's value, or (exclude_outside = 1) weight 0. Integers are rounded to nearest.
// Source: ONNX operator specification, Resize-19.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "metair/ops/axes.h"
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/mapped_copy.h"
#include "metair/ops/maps.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist {
namespace ops {
namespace {

enum Input : size_t { kX, kRoi, kScales, kSizes };

constexpr double kLargestResize = 1LL << 31;

// How one axis is resized.
struct Axis {
  int64_t from = 0;  // sizes
  int64_t to = 0;
  double scale = 1;
  double begin = 0;  // of the resized region, as a fraction of the axis
  double end = 1;
};

using Tap = ResizeTap;

bool Crops(const Attributes& attributes) {
  return attributes.String("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
}

bool HasElements(const OpCall& call, size_t input) {
  return call.has(input) && NumElements(call.shape(input)) > 0;
}

Result<void> CheckMode(const Attributes& attributes,
                       const std::string& name,
                       const std::string& absent,
                       const std::vector<std::string>& known) {
  const std::string mode = attributes.String(name, absent);
  if (std::find(known.begin(), known.end(), mode) != known.end()) return {};
  return BadCall("{} '{}' is unknown", name, mode);
}

// One scale for all axes, so that no size is larger (or smaller) than requested.
void KeepAspectRatio(bool not_larger, const std::vector<int64_t>& axes, std::vector<Axis>& all) {
  double scale = not_larger ? kLargestResize : 0;
  for (int64_t a : axes) {
    const double own = all[static_cast<size_t>(a)].scale;
    scale = not_larger ? std::min(scale, own) : std::max(scale, own);
  }
  for (int64_t a : axes) {
    Axis& axis = all[static_cast<size_t>(a)];
    axis.scale = scale;
    axis.to = static_cast<int64_t>(std::floor(scale * static_cast<double>(axis.from) + 0.5));
  }
}

// All axes of x. roi: nullptr if there are no regions.
Result<std::vector<Axis>> AxesOfResize(const OpCall& call, const double* roi) {
  const Shape& x = call.shape(kX);
  const int64_t rank = call.rank(kX);
  std::vector<int64_t> axes = call.attributes->Ints("axes");
  if (!call.attributes->has("axes")) {
    axes.resize(x.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  axes = TRY(NormalizeAxes(axes, rank));
  std::vector<Axis> all;
  for (int64_t size : x) all.push_back({size, size});
  const bool sized = HasElements(call, kSizes);
  const std::vector<double> asked = TRY(call.Doubles(sized ? kSizes : kScales));
  if (asked.size() != axes.size())
    return BadCall(
        "{} axes need as many {}, got {}", axes.size(), sized ? "sizes" : "scales", asked.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    Axis& axis = all[static_cast<size_t>(axes[i])];
    const double from = static_cast<double>(axis.from);
    const double to = sized ? asked[i] : std::floor(from * asked[i]);
    if (!(asked[i] > 0 && to >= 0 && to <= kLargestResize) || (axis.from == 0 && to > 0))
      return BadCall("no size {} times {} can be made", from, asked[i]);
    axis.to = static_cast<int64_t>(to);
    axis.scale = sized ? asked[i] / std::max(from, 1.0) : asked[i];
    if (roi == nullptr) continue;
    axis.begin = roi[i];
    axis.end = roi[axes.size() + i];
  }
  const std::string policy = call.attributes->String("keep_aspect_ratio_policy", "stretch");
  if (sized && policy != "stretch") KeepAspectRatio(policy == "not_larger", axes, all);
  return all;
}

Result<std::vector<TensorType>> InferResize(const OpCall& call) {
  const Attributes& attributes = *call.attributes;
  TRY(CallCheck(call)
          .Inputs(1, 4)
          .Floats(kRoi)
          .Floats(kScales)
          .Integers(kSizes)
          .Rank(kRoi, 1, 1)
          .Rank(kScales, 1, 1)
          .Rank(kSizes, 1, 1)
          .Done());
  TRY(CheckMode(attributes, "mode", "nearest", {"nearest", "linear", "cubic"}));
  TRY(CheckMode(attributes,
                "nearest_mode",
                "round_prefer_floor",
                {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}));
  TRY(CheckMode(attributes,
                "coordinate_transformation_mode",
                "half_pixel",
                {"half_pixel",
                 "half_pixel_symmetric",
                 "pytorch_half_pixel",
                 "align_corners",
                 "asymmetric",
                 "tf_crop_and_resize"}));
  TRY(CheckMode(
      attributes, "keep_aspect_ratio_policy", "stretch", {"stretch", "not_larger", "not_smaller"}));
  const bool nearest = attributes.String("mode", "nearest") == "nearest";
  TRY(CallCheck(call)
          .That(HasElements(call, kScales) != HasElements(call, kSizes),
                "either scales or sizes must be given")
          .That(nearest || ClassOf(call.type(kX).element) != ElementClass::kBool,
                "bools can only be resized to the nearest")
          .That(!Crops(attributes) || HasElements(call, kRoi), "the region is missing")
          .Done());
  TensorType type{call.type(kX).element, {}};
  const std::vector<Axis> axes = TRY(AxesOfResize(call, nullptr));
  for (const Axis& axis : axes) type.shape.push_back(axis.to);
  if (Crops(attributes)) {
    const int64_t entries = NumElements(call.shape(HasElements(call, kSizes) ? kSizes : kScales));
    if (call.shape(kRoi) != Shape{2 * entries})
      return BadCall("the region must have {} entries", 2 * entries);
  }
  TRY(CheckedElements(type.shape, type.element));
  return std::vector<TensorType>{type};
}

// The coordinate in x of output coordinate `i`.
double CoordinateOf(const std::string& mode, const Axis& axis, int64_t i) {
  const double at = static_cast<double>(i);
  const double from = static_cast<double>(axis.from);
  const double width = axis.scale * from;  // before rounding to a whole number
  if (mode == "align_corners") return width == 1 ? 0 : at * (from - 1) / (width - 1);
  if (mode == "asymmetric") return at / axis.scale;
  if (mode == "pytorch_half_pixel" && axis.to <= 1) return 0;
  if (mode == "tf_crop_and_resize") {
    const double part = axis.end - axis.begin;
    return (width == 1 ? part * (from - 1) / 2 : at * part * (from - 1) / (width - 1)) +
           axis.begin * (from - 1);
  }
  double shift = 0;
  if (mode == "half_pixel_symmetric") shift = from / 2 * (1 - static_cast<double>(axis.to) / width);
  return shift + (at + 0.5) / axis.scale - 0.5;
}

int64_t NearestOf(const std::string& mode, double at) {
  if (mode == "floor") return static_cast<int64_t>(std::floor(at));
  if (mode == "ceil") return static_cast<int64_t>(std::ceil(at));
  return static_cast<int64_t>(mode == "round_prefer_ceil" ? std::floor(at + 0.5)
                                                          : std::ceil(at - 0.5));
}

double Linear(double distance) { return std::max(0.0, 1 - std::fabs(distance)); }

// Source: Keys 1981, "Cubic Convolution Interpolation for Digital Image Processing", equation 4.
double Cubic(double distance, double a) {
  const double x = std::fabs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// The elements that contribute to output coordinate `i`; none if it is outside the region.
std::vector<Tap> TapsFor(const Attributes& attributes, const Axis& axis, int64_t i) {
  const double at =
      CoordinateOf(attributes.String("coordinate_transformation_mode", "half_pixel"), axis, i);
  const int64_t last = axis.from - 1;
  if (Crops(attributes) && !(at >= 0 && at <= static_cast<double>(last))) return {};
  const std::string mode = attributes.String("mode", "nearest");
  if (mode == "nearest") {
    const int64_t index = NearestOf(attributes.String("nearest_mode", "round_prefer_floor"), at);
    return {{std::clamp<int64_t>(index, 0, last), 1}};
  }
  const double a = attributes.Float("cubic_coeff_a", -0.75);
  const bool narrow = attributes.Int("antialias", 0) == 0;
  const bool exclude = attributes.Int("exclude_outside", 0) != 0;
  const double stretch = narrow ? 1 : std::min(axis.scale, 1.0);
  const double support = mode == "linear" ? 1 : 2;
  const int64_t start = static_cast<int64_t>(std::floor(-support / stretch)) + 1;
  const int64_t base = static_cast<int64_t>(std::floor(at));
  std::vector<Tap> taps;
  double sum = 0;
  for (int64_t j = base + start; j <= base + 1 - start; ++j) {
    const double distance = (static_cast<double>(j) - at) * stretch;
    const bool outside = j < 0 || j > last;
    const double weight = exclude && outside ? 0
                          : support == 1     ? Linear(distance)
                                             : Cubic(distance, a);
    taps.push_back({std::clamp<int64_t>(j, 0, last), weight});
    sum += weight;
  }
  if ((exclude || !narrow) && sum != 0)
    for (Tap& tap : taps) tap.weight /= sum;
  return taps;
}

// Resizes axis `d` of x by the table; results without taps are `absent`.
std::vector<double> ResizeAxis(const std::vector<double>& x,
                               const Shape& shape,
                               size_t d,
                               const std::vector<std::vector<Tap>>& table,
                               double absent) {
  const int64_t inner =
      NumElements({shape.begin() + static_cast<std::ptrdiff_t>(d) + 1, shape.end()});
  const int64_t outer =
      NumElements({shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(d)});
  std::vector<double> y(static_cast<size_t>(outer * inner) * table.size(), 0.0);
  double* to = y.data();
  for (int64_t o = 0; o < outer; ++o)
    for (const std::vector<Tap>& taps : table) {
      if (taps.empty()) std::fill(to, to + inner, absent);
      for (const Tap& tap : taps)
        for (int64_t i = 0; i < inner; ++i)
          to[i] += tap.weight * x[static_cast<size_t>((o * shape[d] + tap.index) * inner + i)];
      to += inner;
    }
  return y;
}

}  // namespace
}  // namespace ops

Result<ResizeTables> ResizeTablesOf(const OpCall& call, const double* roi) {
  ResizeTables tables;
  for (const ops::Axis& axis : TRY(ops::AxesOfResize(call, roi))) {
    tables.emplace_back();
    for (int64_t i = 0; i < axis.to; ++i)
      tables.back().push_back(axis.from == 0 ? std::vector<ResizeTap>{}
                                             : ops::TapsFor(*call.attributes, axis, i));
  }
  return tables;
}

namespace ops {
namespace {

Result<void> ResizeReference(const OpCall& call,
                             std::span<const Tensor> in,
                             std::span<Tensor> out) {
  const Attributes& attributes = *call.attributes;
  const bool crops = Crops(attributes);
  const double* const roi = crops ? in[kRoi].data<double>() : nullptr;
  const std::vector<Axis> axes = TRY(AxesOfResize(call, roi));
  const ResizeTables tables = TRY(ResizeTablesOf(call, roi));
  const bool nearest = attributes.String("mode", "nearest") == "nearest";
  const double absent = attributes.Float("extrapolation_value", 0);
  if (nearest && !crops) {
    std::vector<std::vector<int64_t>> maps;
    for (const auto& table : tables) {
      maps.emplace_back();
      for (const auto& taps : table) maps.back().push_back(taps.empty() ? -1 : taps[0].index);
    }
    CopyMapped(in[kX], maps, out[0]);
    return {};
  }
  std::vector<double> values = in[kX].ToDoubles();
  Shape shape = in[kX].shape();
  for (size_t d = 0; d < axes.size(); ++d) {
    if (axes[d].to == axes[d].from && axes[d].scale == 1 && axes[d].begin == 0 && axes[d].end == 1)
      continue;
    values = ResizeAxis(values, shape, d, tables[d], absent);
    shape[d] = axes[d].to;
  }
  const bool whole = ClassOf(out[0].element()) != ElementClass::kFloat;
  if (whole)
    for (double& value : values) value = std::nearbyint(value);
  const Tensor result = Tensor::Of(out[0].shape(), values).Cast(out[0].element());
  out[0] = result;
  return {};
}

// Two flops for each tap of each axis that changes.
Work WorkForResize(const OpCall& call, std::span<const TensorType> outputs) {
  const std::string mode = call.attributes->String("mode", "nearest");
  const int64_t taps = mode == "nearest" ? 0 : mode == "linear" ? 2 : 4;
  int64_t flops = 0;
  for (size_t d = 0; d < outputs[0].shape.size(); ++d)
    if (outputs[0].shape[d] != call.shape(kX)[d]) flops += 2 * taps * NumElements(outputs[0].shape);
  return FlopsWork(call, outputs, flops);
}

std::vector<OpExample> ResizeExamples() {
  const auto scales = [](std::vector<int64_t> values) {
    return OpExample::Input{.type = {ElementType::kF32, {static_cast<int64_t>(values.size())}},
                            .constant = std::move(values)};
  };
  return {{.inputs = {F32({2, 3, 4, 5}), Absent(), scales({1, 1, 2, 2})}},
          {.inputs = {F32({2, 3, 4, 5}), Absent(), scales({1, 1, 2, 3})},
           .attributes = {{"mode", "linear"}}},
          {.inputs = {F32({2, 3, 4, 5}), Absent(), Absent(), Ints({2, 3, 7, 3})},
           .attributes = {{"mode", "cubic"}, {"coordinate_transformation_mode", "align_corners"}}},
          {.inputs = {F32({1, 2, 8, 6}), Absent(), Absent(), Ints({3, 5})},
           .attributes = {{"mode", "linear"}, {"antialias", 1}, {"axes", List{2, 3}}}},
          {.inputs = {F32({1, 2, 4, 6}), Absent(), Absent(), Ints({6, 8})},
           .attributes = {{"nearest_mode", "floor"},
                          {"coordinate_transformation_mode", "asymmetric"},
                          {"keep_aspect_ratio_policy", "not_larger"},
                          {"axes", List{2, 3}}}}};
}

Result<void> ResizeGradient(GradientCall& g) {
  constexpr int64_t kMostElements = 1 << 26;  // of a matrix
  // Each axis is a product with the matrix of its taps.
  const std::vector<double> roi =
      Crops(g.attributes()) ? TRY(g.call().Doubles(kRoi)) : std::vector<double>();
  const ResizeTables tables = TRY(ResizeTablesOf(g.call(), roi.empty() ? nullptr : roi.data()));
  Term dx = g.dy().Wide();
  for (size_t d = 0; d < tables.size(); ++d) {
    const int64_t from = g.call().shape(kX)[d];
    const auto to = static_cast<int64_t>(tables[d].size());
    if (from > kMostElements / std::max<int64_t>(to, 1))
      return BadCall("no gradient along a dim of {} elements made from {}", to, from);
    std::vector<double> matrix(static_cast<size_t>(from * to), 0.0);
    bool same = from == to;
    for (int64_t i = 0; i < to; ++i)
      for (const ResizeTap& tap : tables[d][static_cast<size_t>(i)]) {
        if (tap.weight == 0) continue;
        matrix[static_cast<size_t>(tap.index * to + i)] += tap.weight;
        same = same && tap.index == i && tap.weight == 1;
      }
    if (same) continue;
    const Term taps(g.b(),
                    g.b().Constant(Tensor::Of<double>({from, to}, matrix).Cast(dx.element())));
    std::string letters;
    for (size_t i = 0; i < tables.size(); ++i) letters += static_cast<char>('a' + i);
    std::string result = letters;
    result[d] = 'z';
    dx = Einsum(fmt::format("{},z{}->{}", letters, letters[d], result), {dx, taps});
  }
  g.Give(kX, dx);
  return {};
}

}  // namespace

OpDef MakeResize() {
  return {.name = "Resize",
          .since_version = 19,
          .infer = InferResize,
          .reference = ResizeReference,
          .gradient = ResizeGradient,
          .work = WorkForResize,
          .examples = ResizeExamples,
          .untrained = 0b1110};
}

}  // namespace ops
}  // namespace metadist
