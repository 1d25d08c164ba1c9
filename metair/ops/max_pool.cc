// SPDX-License-Identifier: Apache-2.0
// The largest element under each position of a sliding window, and (output 1) its index in the
// whole of x: row-major, or (storage_order = 1) with the first spatial dim varying fastest in its
// plane.
#include "metair/ops/max_pool.h"

#include <limits>

#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/range.h"
#include "metair/ops/reduce_mean.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferMaxPool(const OpCall& call) {
  const int64_t order = call.attributes->Int("storage_order", 0);
  TRY(CallCheck(call)
          .Inputs(1)
          .Numbers(0)
          .RankAtLeast(0, 3)
          .That(order == 0 || order == 1, "storage_order must be 0 or 1, got {}", order)
          .Done());
  const TensorType type = TRY(PoolType(call));
  if (call.num_outputs < 2) return std::vector<TensorType>{type};
  return std::vector<TensorType>{type, {ElementType::kI64, type.shape}};
}

// The increment of an index within the plane for one step in each spatial dim.
std::vector<int64_t> PlaceStrides(const OpCall& call, const Shape& input) {
  if (call.attributes->Int("storage_order", 0) == 0) return Strides(input);
  std::vector<int64_t> strides;
  int64_t stride = 1;
  for (const int64_t size : input) {
    strides.push_back(stride);
    stride *= size;
  }
  return strides;
}

int64_t PlaceInPlane(const OpCall& call, const Window& window, int64_t place) {
  if (place < 0) return place;
  const std::vector<int64_t> strides = PlaceStrides(call, window.input);
  int64_t turned = 0;
  for (size_t d = window.input.size(); d-- > 0; place /= window.input[d])
    turned += place % window.input[d] * strides[d];
  return turned;
}

template <typename T>
void Pool(const OpCall& call, const Window& window, const Tensor& x, std::span<Tensor> out) {
  using Limits = std::numeric_limits<T>;
  constexpr T kLowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  T* y = out[0].mutable_data<T>();
  ForEachGreatest<T>(window, x, out[0].size(), [&](int64_t i, const Greatest& found) {
    y[i] = found.place >= 0 ? x.data<T>()[found.plane + found.place] : kLowest;
    if (out.size() > 1)
      out[1].mutable_data<int64_t>()[i] = found.plane + PlaceInPlane(call, window, found.place);
  });
}

Result<void> MaxPoolReference(const OpCall& call,
                              std::span<const Tensor> in,
                              std::span<Tensor> out) {
  const Window window = TRY(PoolWindow(call));
  VisitNumberType(in[0].element(),
                  [&](auto zero) { Pool<decltype(zero)>(call, window, in[0], out); });
  return {};
}

// first, first + step, first + 2 step, ... along dim `dim` of the result.
ValueId MaxPoolStepsAlong(
    Composer& compose, const Shape& shape, size_t dim, int64_t first, int64_t step) {
  ValueId steps =
      compose.Add("Mul", {ComposePositions(compose, 0, shape[dim]), compose.Integer(step)});
  steps = compose.Add("Add", {steps, compose.Integer(first)});
  return compose.With("Unsqueeze", steps, AxesBetween(1, static_cast<int64_t>(shape.size() - dim)));
}

// An index is the sum of the start of its plane and, in each dim, the window's position and the tap
// that was selected. Only the tap depends on the elements of x, and it does not depend on the
// window's position.
Result<Graph> DecomposeMaxPool(const OpCall& call) {
  if (call.num_outputs < 2) return BadCall("the call takes no indices");
  const Window window = TRY(PoolWindow(call));
  const Shape shape = TRY(PoolType(call)).shape;
  const std::vector<int64_t> strides = PlaceStrides(call, window.input);
  const std::vector<int64_t> inner = Strides(window.kernel);
  const int64_t plane = NumElements(window.input);
  Composer compose(call);
  const ValueId x = compose.Operand(0);
  const ValueId tap = compose.Add("metadist.MaxPoolTap", {x}, *call.attributes);
  ValueId index = kNone;
  for (size_t d = 0; d < window.input.size(); ++d) {
    ValueId at = compose.Add("Div", {tap, compose.Integer(inner[d])});
    at = compose.Add("Mod", {at, compose.Integer(window.kernel[d])});
    at = compose.Add("Mul", {at, compose.Integer(window.dilations[d] * strides[d])});
    index = d == 0 ? at : compose.Add("Add", {index, at});
    const ValueId stands = MaxPoolStepsAlong(
        compose, shape, d + 2, -window.pads_begin[d] * strides[d], window.strides[d] * strides[d]);
    index = compose.Add("Add", {index, stands});
  }
  index = compose.Add("Add", {index, MaxPoolStepsAlong(compose, shape, 0, 0, shape[1] * plane)});
  index = compose.Add("Add", {index, MaxPoolStepsAlong(compose, shape, 1, 0, plane)});
  return compose.Done({compose.Add("MaxPool", {x}, *call.attributes), index});
}

std::vector<OpExample> MaxPoolExamples() {
  std::vector<OpExample> examples = PoolExamples();
  examples.push_back({.inputs = {F32({1, 3, 6, 6})},
                      .attributes = {{"kernel_shape", List{2, 2}}},
                      .num_outputs = 2});
  examples.push_back({.inputs = {F32({2, 3, 5, 7})},
                      .attributes = {{"kernel_shape", List{2, 2}}, {"storage_order", 1}},
                      .num_outputs = 2});
  return examples;
}

Result<void> MaxPoolGradientOf(GradientCall& g) {
  const Term tap = g.x().Apply("metadist.MaxPoolTap", g.attributes());
  const Attributes attributes = TRY(SpreadAttributes(g.call()));
  g.Give(0, tap.Apply("metadist.MaxPoolGradient", {g.dy()}, attributes));
  return {};
}

}  // namespace

OpDef MakeMaxPool() {
  return {.name = "MaxPool",
          .since_version = 22,
          .infer = InferMaxPool,
          .reference = MaxPoolReference,
          .spell = SpellPool,
          .decompose = DecomposeMaxPool,
          .gradient = MaxPoolGradientOf,
          .work = PoolWork,
          .examples = MaxPoolExamples};
}

}  // namespace metadist::ops
