// SPDX-License-Identifier: Apache-2.0
// y = min(max(x, low), high); an omitted bound does not apply.
#include <limits>

#include "metair/ops/call_check.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferClip(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(1, 3)
          .Numbers(0)
          .SameElement(0, 1)
          .SameElement(0, 2)
          .Rank(1, 0, 0)
          .Rank(2, 0, 0)
          .Done());
  return std::vector<TensorType>{call.type(0)};
}

template <typename T>
void Clamp(const OpCall& call, std::span<const Tensor> in, Tensor& y) {
  const T low = call.has(1) ? in[1].data<T>()[0] : std::numeric_limits<T>::lowest();
  const T high = call.has(2) ? in[2].data<T>()[0] : std::numeric_limits<T>::max();
  MapUnary<T, T>(in[0], y, [&](T x) {
    if (call.has(1) && x < low) x = low;
    if (call.has(2) && x > high) x = high;
    return x;
  });
}

Result<void> ClipReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  if (ClassOf(out[0].element()) == ElementClass::kFloat)
    Clamp<double>(call, in, out[0]);
  else
    Clamp<int64_t>(call, in, out[0]);
  return {};
}

std::vector<OpExample> ClipExamples() {
  return {{.inputs = {F32({4, 6}), F32({}), F32({})}},
          {.inputs = {F32({4, 6}), Absent(), F32({})}},
          {.inputs = {F32({4, 6})}},
          {.inputs = {I64({4, 6}), I64({})}}};
}

Result<void> ClipGradient(GradientCall& g) {
  Term passed = g.dy();  // what reaches x
  if (g.has(2)) {
    const Term raised = g.has(1) ? g.x(0).Apply("Max", {g.x(1)}) : g.x(0);
    const Term above = raised > g.x(2);
    g.Give(2, Choose(above, passed, 0));
    passed = Choose(above, 0, passed);
  }
  if (g.has(1)) {
    const Term below = g.x(0) < g.x(1);
    g.Give(1, Choose(below, passed, 0));
    passed = Choose(below, 0, passed);
  }
  g.Give(0, passed);
  return {};
}

}  // namespace

OpDef MakeClip() {
  return {.name = "Clip",
          .since_version = 13,
          .infer = InferClip,
          .reference = ClipReference,
          .gradient = ClipGradient,
          .examples = ClipExamples,
          .elementwise = true,
          .untrained = 0b110};
}

}  // namespace metadist::ops
