// SPDX-License-Identifier: Apache-2.0
// y = x Phi(x) with Phi the normal distribution function: exact by erf, or its tanh approximation.
#include <cmath>
#include <numbers>

#include "metair/ops/call_check.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferGelu(const OpCall& call) {
  const std::string mode = call.attributes->String("approximate", "none");
  TRY(CallCheck(call)
          .Inputs(1)
          .Floats(0)
          .That(mode == "none" || mode == "tanh", "approximate must be none or tanh, got {}", mode)
          .Done());
  return std::vector<TensorType>{call.type(0)};
}

Result<void> GeluReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  if (call.attributes->String("approximate", "none") == "none")
    MapUnary<double, double>(
        in[0], out[0], [](double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); });
  else
    MapUnary<double, double>(in[0], out[0], [](double x) {
      // Floats also in f64, as in the function that defines the operator in the standard.
      constexpr double kTwoOverPi = 2.0F / std::numbers::pi_v<float>;
      constexpr double kCube = 0.044715F;
      return 0.5 * x * (1 + std::tanh(std::sqrt(kTwoOverPi) * (x + kCube * x * x * x)));
    });
  return {};
}

Work WorkForGelu(const OpCall& call, std::span<const TensorType> outputs) {
  return {.flops = 5 * NumElements(outputs[0].shape), .bytes = 2 * outputs[0].bytes()};
}

std::vector<OpExample> GeluExamples() {
  return {{.inputs = {F32({4, 6})}},
          {.inputs = {F32({2, 3, 4})}, .attributes = {{"approximate", "tanh"}}}};
}

Result<void> GeluGradient(GradientCall& g) {
  const Term x = g.x().Wide();
  const Term dy = g.dy().Wide();
  if (g.attributes().String("approximate", "none") == "none") {
    const Term probability = 0.5 * (1 + (x / std::numbers::sqrt2).Apply("Erf"));
    const Term density =
        (x * x * -0.5).Apply("Exp") * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
    g.Give(0, dy * (probability + x * density));
    return {};
  }
  const double slope = std::sqrt(2 * std::numbers::inv_pi);
  const double cube = 0.044715;
  const Term squashed = (slope * (x + cube * x * x * x)).Apply("Tanh");
  const Term inner = slope * (1 + 3 * cube * x * x);
  g.Give(0, dy * (0.5 * (1 + squashed) + 0.5 * x * (1 - squashed * squashed) * inner));
  return {};
}

}  // namespace

OpDef MakeGelu() {
  return {.name = "Gelu",
          .since_version = 20,
          .infer = InferGelu,
          .reference = GeluReference,
          .gradient = GeluGradient,
          .work = WorkForGelu,
          .examples = GeluExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
