// SPDX-License-Identifier: Apache-2.0
// y = a mod b, with broadcasting: with the sign of b (fmod = 0, integers only) or of a (fmod = 1).
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/divisor.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferMod(const OpCall& call) {
  std::vector<TensorType> types = TRY(InferNumberBinary(call));
  if (ClassOf(types[0].element) == ElementClass::kFloat && call.attributes->Int("fmod", 0) == 0)
    return BadCall("fmod must be 1 for {}, got 0", Name(types[0].element));
  return types;
}

Result<void> ModReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  if (ClassOf(out[0].element()) == ElementClass::kFloat) {
    MapBinary<double, double>(
        in[0], in[1], out[0], [](double a, double b) { return std::fmod(a, b); });
    return {};
  }
  TRY(CheckNoZero(in[1]));
  const bool sign_of_a = call.attributes->Int("fmod", 0) != 0;
  MapBinary<int64_t, int64_t>(in[0], in[1], out[0], [sign_of_a](int64_t a, int64_t b) {
    const int64_t rest = b == -1 ? 0 : a % b;  // lowest % -1 overflows
    return sign_of_a || rest == 0 || (rest < 0) == (b < 0) ? rest : rest + b;
  });
  return {};
}

std::vector<OpExample> ModExamples() {
  const Attributes fmod{{"fmod", 1}};
  return {{.inputs = {I64({4, 6}), I64({6})}},
          {.inputs = {I64({4, 6}), I64({4, 6})}, .attributes = fmod},
          {.inputs = {F32({4, 6}), F32({6})}, .attributes = fmod}};
}

Result<void> ModGradient(GradientCall& g) {
  g.Give(0, g.dy());
  if (ClassOf(g.x(1).element()) == ElementClass::kFloat)
    g.Give(1, -(g.dy() * ((g.x(0) - g.y()) / g.x(1)).Apply("Round")));
  return {};
}

}  // namespace

OpDef MakeMod() {
  return {.name = "Mod",
          .since_version = 13,
          .infer = InferMod,
          .reference = ModReference,
          .gradient = ModGradient,
          .domain_of = DivisorDomain,
          .examples = ModExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
