// SPDX-License-Identifier: Apache-2.0
// The greatest element under each position of a sliding window, and (output 1) its index in the
// whole of x: row-major, or (storage_order = 1) with the first spatial dim fastest in its plane.
#include "metair/ops/max_pool.h"

#include <fmt/format.h>

#include <limits>

#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/range.h"
#include "metair/ops/reduce_mean.h"

namespace metadist {

int64_t PlaceInPlane(const OpCall& call, const Window& window, int64_t best) {
  if (best < 0 || call.attributes->Int("storage_order", 0) == 0) return best;
  const Shape& shape = window.input;
  int64_t turned = 0;
  for (size_t d = shape.size(); d-- > 0; best /= shape[d])
    turned += best % shape[d] *
              NumElements({shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(d)});
  return turned;
}

}  // namespace metadist

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> Infer(const OpCall& call) {
  const int64_t order = call.attributes->Int("storage_order", 0);
  TRY(CallCheck(call)
          .Inputs(1)
          .Numbers(0)
          .RankAtLeast(0, 3)
          .That(order == 0 || order == 1,
                fmt::format("storage_order must be 0 or 1, got {}", order))
          .Done());
  const TensorType type = TRY(PoolType(call));
  if (call.num_outputs < 2) return std::vector<TensorType>{type};
  return std::vector<TensorType>{type, {ElementType::kI64, type.shape}};
}

template <typename T>
void Pool(const OpCall& call, const Window& window, const Tensor& x, std::span<Tensor> out) {
  using Limits = std::numeric_limits<T>;
  constexpr T kLowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  T* y = out[0].mutable_data<T>();
  ForEachGreatest<T>(window, x, out[0].size(), [&](int64_t i, int64_t plane, int64_t best) {
    y[i] = best >= 0 ? x.data<T>()[plane + best] : kLowest;
    if (out.size() > 1)
      out[1].mutable_data<int64_t>()[i] = plane + PlaceInPlane(call, window, best);
  });
}

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Window window = TRY(PoolWindow(call));
  VisitNumberType(in[0].element(),
                  [&](auto zero) { Pool<decltype(zero)>(call, window, in[0], out); });
  return {};
}

// 0, step, 2 step, ... along dim `dim`, of an array of the rank of x.
ValueId StepsAlong(Composer& compose, ValueId x, size_t dim, int64_t step) {
  const Shape& shape = compose.shape(x);
  const int64_t rank = static_cast<int64_t>(shape.size() - dim);
  const ValueId steps =
      compose.Make("Mul", {ComposePositions(compose, 0, shape[dim]), compose.Integer(step)});
  return compose.With("Unsqueeze", steps, AxesBetween(1, rank));
}

// Indices are those within a plane, which pieces know, and where the planes begin.
Result<Graph> Decompose(const OpCall& call) {
  if (call.num_outputs < 2) return BadInput("", "no index is wanted");
  const Shape& shape = call.shape(0);
  const int64_t plane = NumElements({shape.begin() + 2, shape.end()});
  Composer compose(call);
  const ValueId x = compose.Input(0);
  Node place;
  place.domain = "metadist";
  place.op = "MaxPoolPlace";
  place.attributes = *call.attributes;
  place.outputs = {kNone};
  ValueId index = compose.Like(place, {x})[0];
  index = compose.Make("Add", {index, StepsAlong(compose, x, 0, shape[1] * plane)});
  index = compose.Make("Add", {index, StepsAlong(compose, x, 1, plane)});
  return compose.Done({compose.Make("MaxPool", {x}, *call.attributes), index});
}

std::vector<OpExample> Examples() {
  std::vector<OpExample> examples = PoolExamples();
  examples.push_back({.inputs = {example::F32({1, 3, 6, 6})},
                      .attributes = example::With({{"kernel_shape", std::vector<int64_t>{2, 2}}}),
                      .num_outputs = 2});
  examples.push_back({.inputs = {example::F32({2, 3, 5, 7})},
                      .attributes = example::With(
                          {{"kernel_shape", std::vector<int64_t>{2, 2}}, {"storage_order", 1}}),
                      .num_outputs = 2});
  return examples;
}

}  // namespace

OpDef MakeMaxPool() {
  return {.name = "MaxPool",
          .since_version = 22,
          .url = "https://onnx.ai/onnx/operators/onnx__MaxPool.html",
          .infer = Infer,
          .reference = Reference,
          .decompose = Decompose,
          .work = PoolWork,
          .examples = Examples};
}

}  // namespace metadist::ops
