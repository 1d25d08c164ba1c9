// SPDX-License-Identifier: Apache-2.0
// y = a ^ b, with broadcasting; y has the type of a.
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferPow(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Numbers(0).Numbers(1).Done());
  return std::vector<TensorType>{
      {call.type(0).element, TRY(Broadcast(call.shape(0), call.shape(1)))}};
}

// By repeated squaring, wrapping around. exponent >= 0.
int64_t IntPower(int64_t base, int64_t exponent) {
  int64_t power = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) power = WrapMul(power, base);
    base = WrapMul(base, base);
  }
  return power;
}

Result<void> PowReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const bool int_base = ClassOf(in[0].element()) == ElementClass::kInt;
  const bool int_exponent = ClassOf(in[1].element()) == ElementClass::kInt;
  if (int_base && int_exponent) {
    for (int64_t i = 0; i < in[1].size(); ++i)
      if (in[1].data<int64_t>()[i] < 0)
        return BadCall("exponents of integers must not be negative, got {}",
                       in[1].data<int64_t>()[i]);
    MapBinary<int64_t, int64_t>(in[0], in[1], out[0], IntPower);
    return {};
  }
  Tensor power = Tensor::Zeros({ElementType::kF64, out[0].shape()});
  MapBinary<double, double>(
      in[0].Cast(ElementType::kF64), in[1].Cast(ElementType::kF64), power, [](double a, double b) {
        return std::pow(a, b);
      });
  CopyBytes(power.Cast(out[0].element()), out[0]);
  return {};
}

std::vector<InputDomain> PowDomain(const OpCall& call) {
  if (ClassOf(call.type(1).element) == ElementClass::kInt)
    return {{}, {.kind = InputDomain::Kind::kRange, .low = 0, .high = 4}};
  if (call.inputs[1].constant != nullptr) return {{}, {}};
  return {{.kind = InputDomain::Kind::kPositive}, {}};
}

std::vector<OpExample> PowExamples() {
  return {{.inputs = {F32({4, 6}), F32({})}},
          {.inputs = {F32({4, 6}), F32({4, 6})}},
          {.inputs = {F32({4, 6}), I64({6})}},
          {.inputs = {I64({4, 1}), I64({6})}}};
}

Result<void> PowGradient(GradientCall& g) {
  const Term x = g.x().Wide();
  const Term exponent = g.x(1).As(x.element());
  const Term dy = g.dy().Wide();
  // At 0, x^-1 is infinite and 0 times it no number, where the slope of x^0 is 0.
  g.Give(0, dy * Choose(exponent == 0, 0, exponent * x.Apply("Pow", {exponent - 1})));
  g.Give(1, dy * Choose(x == 0, 0, g.y().Wide() * x.Apply("Log")));
  return {};
}

}  // namespace

OpDef MakePow() {
  return {.name = "Pow",
          .since_version = 15,
          .infer = InferPow,
          .reference = PowReference,
          .gradient = PowGradient,
          .domain_of = PowDomain,
          .examples = PowExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
