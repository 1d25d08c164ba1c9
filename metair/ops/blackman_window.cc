// SPDX-License-Identifier: Apache-2.0
// y[n] = 0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N); N = the size (periodic = 1) or one
// less.
#include <numbers>

#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/cosine_window.h"
#include "metair/ops/ops.h"
#include "metair/ops/range.h"

namespace metadist {

Result<Graph> ComposeCosineWindow(const OpCall& call, const CosineSum& sum) {
  const int64_t size = TRY(call.Ints(0))[0];
  const bool periodic = call.attributes->Int("periodic", 1) != 0;
  if (size < 2) return BadCall("one point alone is no sum of cosines");
  Composer compose(call);
  ValueId angle = compose.As(ElementType::kF64, ComposePositions(compose, 0, size));
  const auto number = [&](double value) { return compose.Number(value, angle); };
  angle = compose.Add("Mul", {angle, number(2 * std::numbers::pi)});
  angle = compose.Add("Div", {angle, number(static_cast<double>(periodic ? size : size - 1))});
  const ValueId first = compose.Add("Mul", {compose.Add("Cos", {angle}), number(sum.a1)});
  ValueId y = compose.Add("Sub", {number(sum.a0), first});
  if (sum.a2 != 0) {
    const ValueId twice = compose.Add("Cos", {compose.Add("Mul", {angle, number(2)})});
    y = compose.Add("Add", {y, compose.Add("Mul", {twice, number(sum.a2)})});
  }
  return compose.Done({y});
}

}  // namespace metadist

namespace metadist::ops {
namespace {

constexpr CosineSum kBlackmanWindow{0.42, 0.5, 0.08};

}  // namespace

OpDef MakeBlackmanWindow() {
  return {.name = "BlackmanWindow",
          .since_version = 17,
          .infer = InferCosineWindow,
          .reference = CosineReference<kBlackmanWindow>,
          .decompose = DecomposeCosine<kBlackmanWindow>,
          .work = CosineWindowWork,
          .examples = CosineWindowExamples};
}

}  // namespace metadist::ops
