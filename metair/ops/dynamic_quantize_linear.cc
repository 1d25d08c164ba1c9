// SPDX-License-Identifier: Apache-2.0
// x quantised to unsigned bytes; the scale (output 1) and the zero point (output 2) are such that
// the range of x, extended to include 0, just fits.
#include <algorithm>
#include <numeric>

#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/extremes.h"
#include "metair/ops/ops.h"
#include "metair/ops/quantization.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

constexpr double kMost = 255;

Result<std::vector<TensorType>> InferDynamicQuantizeLinear(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Floats(0).Done());
  return std::vector<TensorType>{
      {ElementType::kU8, call.shape(0)}, {ElementType::kF32, {}}, {ElementType::kU8, {}}};
}

// By specification the scale is an f32, and is rounded before it is used.
Result<void> DynamicQuantizeLinearReference(const OpCall& call,
                                            std::span<const Tensor> in,
                                            std::span<Tensor> out) {
  const double* x = in[0].data<double>();
  double low = 0;
  double high = 0;
  for (int64_t i = 0; i < in[0].size(); ++i) {
    low = Smaller(x[i], low);
    high = Larger(x[i], high);
  }
  const double scale = static_cast<float>(high == low ? 1 / kMost : (high - low) / kMost);
  const int64_t zero =
      Quantize(static_cast<float>(std::clamp(-low / scale, 0.0, kMost)), 0, ElementType::kU8);
  for (int64_t i = 0; i < in[0].size(); ++i)
    out[0].mutable_data<int64_t>()[i] =
        Quantize(static_cast<float>(x[i] / scale), zero, ElementType::kU8);
  *out[1].mutable_data<double>() = scale;
  *out[2].mutable_data<int64_t>() = zero;
  return {};
}

// Rounds an f64 to the precision of an f32. Source: Veltkamp's splitting; Dekker 1971, "A
// floating-point technique for extending the available precision".
ValueId InSingle(Composer& compose, ValueId x) {
  const ValueId large = compose.Add("Mul", {x, compose.Number(0x1p29 + 1, x)});
  return compose.Add("Sub", {large, compose.Add("Sub", {large, x})});
}

// Computes the range of x, then the scale in f64, rounded as in the kernel.
Result<Graph> DecomposeDynamicQuantizeLinear(const OpCall& call) {
  std::vector<int64_t> axes(call.shape(0).size());
  std::iota(axes.begin(), axes.end(), 0);
  Composer compose(call);
  const ValueId x = compose.As(ElementType::kF32, compose.Operand(0));
  const ValueId zero = compose.Number(0, x);
  const auto end = [&](const char* fold, const char* with) {
    const ValueId most = compose.Fold(fold, x, axes, /*keep=*/false);
    return compose.As(ElementType::kF64, compose.Add(with, {most, zero}));
  };
  const ValueId low = end("ReduceMin", "Min");
  const ValueId high = end("ReduceMax", "Max");
  const ValueId flat = compose.Add("Equal", {low, high});
  const ValueId range =
      compose.Add("Where", {flat, compose.Number(1, low), compose.Add("Sub", {high, low})});
  const ValueId scale =
      compose.As(ElementType::kF32,
                 InSingle(compose, compose.Add("Div", {range, compose.Number(kMost, range)})));
  const ValueId below = compose.As(ElementType::kF32, compose.Add("Neg", {low}));
  const ValueId zero_point = compose.Add("QuantizeLinear", {below, scale});
  return compose.Done({compose.Add("QuantizeLinear", {x, scale, zero_point}), scale, zero_point});
}

Work WorkForDynamicQuantizeLinear(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 5 * NumElements(outputs[0].shape));
}

std::vector<OpExample> DynamicQuantizeLinearExamples() {
  return {{.inputs = {F32({3, 4})}, .num_outputs = 3}, {.inputs = {F32({6})}, .num_outputs = 3}};
}

}  // namespace

OpDef MakeDynamicQuantizeLinear() {
  return {.name = "DynamicQuantizeLinear",
          .since_version = 11,
          .infer = InferDynamicQuantizeLinear,
          .reference = DynamicQuantizeLinearReference,
          .decompose = DecomposeDynamicQuantizeLinear,
          .work = WorkForDynamicQuantizeLinear,
          .examples = DynamicQuantizeLinearExamples};
}

}  // namespace metadist::ops
