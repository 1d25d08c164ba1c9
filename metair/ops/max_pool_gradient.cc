// SPDX-License-Identifier: Apache-2.0
// The gradient of x in y = MaxPool(x), given t = MaxPoolTap(x) and that of y: each element goes to
// tap t of its position of the window; to none for -1. size: the spatial dims of x; other
// attributes as in MaxPool, with explicit pads.
#include <optional>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/pool.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferMaxPoolGradient(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Integers(0).Floats(1).RankAtLeast(0, 3).Done());
  if (call.shape(0) != call.shape(1))
    return BadCall("inputs must have one shape, got {} and {}",
                   ShapeText(call.shape(0)),
                   ShapeText(call.shape(1)));
  return std::vector<TensorType>{TRY(SpreadType(call))};
}

Result<void> MaxPoolGradientReference(const OpCall& call,
                                      std::span<const Tensor> in,
                                      std::span<Tensor> out) {
  const int64_t* tap = in[0].data<int64_t>();
  const double* dy = in[1].data<double>();
  double* dx = out[0].mutable_data<double>();
  std::optional<Error> bad;
  ForEachPosition(TRY(SpreadWindow(call)),
                  in[1].size(),
                  [&](int64_t i, int64_t plane, std::span<const int64_t> taps) {
                    const auto count = static_cast<int64_t>(taps.size());
                    if (tap[i] < -1 || tap[i] >= count) {
                      bad = BadCall("taps must be in [-1, {}], got {}", count - 1, tap[i]);
                      return;
                    }
                    if (tap[i] < 0) return;
                    const int64_t at = taps[static_cast<size_t>(tap[i])];
                    if (at >= 0) dx[plane + at] += dy[i];
                  });
  if (bad) return *bad;
  return {};
}

Work WorkForMaxPoolGradient(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, NumElements(call.shape(1)));
}

std::vector<InputDomain> MaxPoolGradientDomain(const OpCall& call) {
  const int64_t taps = NumElements(call.attributes->Ints("kernel_shape"));
  return {{.kind = InputDomain::Kind::kRange, .low = 0, .high = static_cast<double>(taps - 1)}, {}};
}

std::vector<OpExample> MaxPoolGradientExamples() {
  std::vector<OpExample> examples;
  for (const OpExample& pooling : PoolExamples()) {
    OpCall call;
    call.attributes = &pooling.attributes;
    call.inputs = {{true, pooling.inputs[0].type}};
    const TensorType dy = PoolType(call).value();
    examples.push_back({.inputs = {{{ElementType::kI64, dy.shape}}, {dy}},
                        .attributes = SpreadAttributes(call).value()});
  }
  return examples;
}

}  // namespace

OpDef MakeMaxPoolGradient() {
  return {.domain = "metadist",
          .name = "MaxPoolGradient",
          .infer = InferMaxPoolGradient,
          .reference = MaxPoolGradientReference,
          .work = WorkForMaxPoolGradient,
          .domain_of = MaxPoolGradientDomain,
          .examples = MaxPoolGradientExamples};
}

}  // namespace metadist::ops
