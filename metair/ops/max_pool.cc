// SPDX-License-Identifier: Apache-2.0
// The greatest element under each position of a sliding window, and (output 1) its index in the
// whole of x: row-major, or (storage_order = 1) with the first spatial dim fastest in its plane.
#include <fmt/format.h>

#include <limits>

#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/pool.h"

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

// A row-major index into `shape` as one with the first dim fastest.
int64_t FirstDimFastest(int64_t index, const Shape& shape) {
  int64_t turned = 0;
  for (size_t d = shape.size(); d-- > 0; index /= shape[d])
    turned += index % shape[d] *
              NumElements({shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(d)});
  return turned;
}

template <typename T>
void Pool(const Window& window, bool first_dim_fastest, const Tensor& x, std::span<Tensor> out) {
  using Limits = std::numeric_limits<T>;
  T* y = out[0].mutable_data<T>();
  ForEachPosition(
      window, out[0].size(), [&](int64_t i, int64_t plane, std::span<const int64_t> taps) {
        const T* from = x.data<T>() + plane;
        int64_t best = -1;
        for (int64_t at : taps)
          if (at >= 0 && (best < 0 || from[at] > from[best])) best = at;
        const T lowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
        y[i] = best >= 0 ? from[best] : lowest;
        if (out.size() < 2) return;
        if (first_dim_fastest && best >= 0) best = FirstDimFastest(best, window.input);
        out[1].mutable_data<int64_t>()[i] = plane + best;
      });
}

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Window window = TRY(PoolWindow(call));
  const bool first_dim_fastest = call.attributes->Int("storage_order", 0) == 1;
  VisitNumberType(in[0].element(),
                  [&](auto zero) { Pool<decltype(zero)>(window, first_dim_fastest, in[0], out); });
  return {};
}

std::vector<OpExample> Examples() {
  std::vector<OpExample> examples = PoolExamples();
  examples.push_back({.inputs = {example::F32({1, 3, 6, 6})},
                      .attributes = example::With({{"kernel_shape", std::vector<int64_t>{2, 2}}}),
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
          .work = PoolWork,
          .examples = Examples};
}

}  // namespace metadist::ops
