// SPDX-License-Identifier: Apache-2.0
// y = a / b, with broadcasting; integers are truncated toward zero.
#include "metair/ops/divisor.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<void> DivReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  if (ClassOf(out[0].element()) == ElementClass::kFloat) {
    MapBinary<double, double>(in[0], in[1], out[0], [](double a, double b) { return a / b; });
    return {};
  }
  TRY(CheckNoZero(in[1]));
  MapBinary<int64_t, int64_t>(in[0], in[1], out[0], [](int64_t a, int64_t b) {
    return b == -1 ? WrapSub(0, a) : a / b;  // negating the lowest integer overflows
  });
  return {};
}

Result<void> DivGradient(GradientCall& g) {
  const Term quotient = g.dy() / g.x(1);
  g.Give(0, quotient);
  g.Give(1, -(quotient * g.y()));
  return {};
}

}  // namespace

OpDef MakeDiv() {
  return {.name = "Div",
          .since_version = 14,
          .infer = InferNumberBinary,
          .reference = DivReference,
          .gradient = DivGradient,
          .domain_of = DivisorDomain,
          .examples = BinaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
