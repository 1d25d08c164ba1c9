// SPDX-License-Identifier: Apache-2.0
// y = a if the condition is true, else b, with broadcasting.
#include "metair/ops/broadcast.h"
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferWhere(const OpCall& call) {
  TRY(CallCheck(call).Inputs(3).Bools(0).SameElement(1, 2).Done());
  const Shape chosen = TRY(Broadcast(call.shape(1), call.shape(2)));
  return std::vector<TensorType>{{call.type(1).element, TRY(Broadcast(call.shape(0), chosen))}};
}

template <typename T>
void Choose(std::span<const Tensor> in, Tensor& y) {
  const bool* condition = in[0].data<bool>();
  const T* a = in[1].data<T>();
  const T* b = in[2].data<T>();
  T* to = y.mutable_data<T>();
  const auto strides = [&](size_t i) { return BroadcastStrides(in[i].shape(), y.shape()); };
  ForEachIndex(y.shape(), {strides(0), strides(1), strides(2)}, [&](int64_t i, const auto& at) {
    to[i] = condition[at[0]] ? a[at[1]] : b[at[2]];
  });
}

Result<void> WhereReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  switch (ClassOf(out[0].element())) {
    case ElementClass::kFloat:
      Choose<double>(in, out[0]);
      break;
    case ElementClass::kInt:
      Choose<int64_t>(in, out[0]);
      break;
    case ElementClass::kBool:
      Choose<bool>(in, out[0]);
      break;
  }
  return {};
}

std::vector<OpExample> WhereExamples() {
  return {{.inputs = {Bool({4, 6}), F32({4, 6}), F32({4, 6})}},
          {.inputs = {Bool({4, 6}), F32({3, 4, 6}), F32({})}},
          {.inputs = {Bool({4, 1}), I64({6}), I64({4, 6})}}};
}

Result<void> WhereGradient(GradientCall& g) {
  g.Give(1, Choose(g.x(0), g.dy(), 0));
  g.Give(2, Choose(g.x(0), 0, g.dy()));
  return {};
}

}  // namespace

OpDef MakeWhere() {
  return {.name = "Where",
          .since_version = 16,
          .infer = InferWhere,
          .reference = WhereReference,
          .gradient = WhereGradient,
          .examples = WhereExamples,
          .elementwise = true,
          .untrained = 0b1};
}

}  // namespace metadist::ops
