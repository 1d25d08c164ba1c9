// SPDX-License-Identifier: Apache-2.0
// The greatest element under each position of a sliding window, and (output 1) its index in the
// whole of x.
#include <limits>

#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/window.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<Window> WindowOf(const OpCall& call) {
  const Shape& x = call.shape(0);
  return metadist::WindowOf(
      *call.attributes, {x.begin() + 2, x.end()}, call.attributes->Ints("kernel_shape"));
}

Result<std::vector<TensorType>> Infer(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(1)
          .Numbers(0)
          .RankAtLeast(0, 3)
          .That(call.attributes->Int("storage_order", 0) == 0, "storage_order must be 0")
          .Done());
  const Window window = TRY(WindowOf(call));
  TensorType type{call.type(0).element, {call.shape(0)[0], call.shape(0)[1]}};
  type.shape.insert(type.shape.end(), window.output.begin(), window.output.end());
  std::vector<TensorType> types{type, {ElementType::kI64, type.shape}};
  if (call.num_outputs < 2) types.pop_back();
  return types;
}

template <typename T>
void Pool(const Window& window, const Tensor& x, std::span<Tensor> out) {
  const std::vector<int64_t> taps = TapsOf(window);
  const int64_t spatial = NumElements(window.input);
  const int64_t positions = NumElements(window.output);
  const int64_t kernel = NumElements(window.kernel);
  T* y = out[0].mutable_data<T>();
  for (int64_t i = 0; i < out[0].size(); ++i) {
    const T* from = x.data<T>() + i / positions * spatial;
    int64_t best = -1;
    for (int64_t tap = 0; tap < kernel; ++tap) {
      const int64_t at = taps[static_cast<size_t>(i % positions * kernel + tap)];
      if (at >= 0 && (best < 0 || from[at] > from[best])) best = at;
    }
    y[i] = best >= 0                              ? from[best]
           : std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                  : std::numeric_limits<T>::lowest();
    if (out.size() > 1) out[1].mutable_data<int64_t>()[i] = i / positions * spatial + best;
  }
}

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Window window = TRY(WindowOf(call));
  VisitNumberType(in[0].element(), [&](auto zero) { Pool<decltype(zero)>(window, in[0], out); });
  return {};
}

Work WorkFor(const OpCall& call, std::span<const TensorType> outputs) {
  const int64_t kernel = NumElements(call.attributes->Ints("kernel_shape"));
  return FlopsWork(call, outputs, kernel * NumElements(outputs[0].shape));
}

std::vector<OpExample> Examples() {
  using example::F32;
  using example::With;
  using List = std::vector<int64_t>;
  return {
      {.inputs = {F32({2, 3, 6, 6})},
       .attributes = With({{"kernel_shape", List{2, 2}}, {"strides", List{2, 2}}})},
      {.inputs = {F32({1, 3, 7, 5})},
       .attributes = With(
           {{"kernel_shape", List{3, 3}}, {"pads", List{1, 1, 1, 1}}, {"strides", List{2, 2}}})},
      {.inputs = {F32({2, 3, 8})},
       .attributes = With({{"kernel_shape", List{3}}, {"strides", List{2}}, {"ceil_mode", 1}})}};
}

}  // namespace

OpDef MakeMaxPool() {
  return {.name = "MaxPool",
          .since_version = 22,
          .url = "https://onnx.ai/onnx/operators/onnx__MaxPool.html",
          .infer = Infer,
          .reference = Reference,
          .work = WorkFor,
          .examples = Examples};
}

}  // namespace metadist::ops
