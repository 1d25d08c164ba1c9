// SPDX-License-Identifier: Apache-2.0
// The k largest (largest = 0: smallest) elements along `axis`, best first, and their indices; of
// equal elements the first come first.
#include <algorithm>
#include <numeric>

#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/extremes.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<int64_t> CountOfTopK(const OpCall& call, int64_t size) {
  const std::vector<int64_t> k = TRY(call.Ints(1));
  if (k.size() != 1) return BadCall("one k is needed, got {}", k.size());
  if (k[0] < 0 || k[0] > size) return BadCall("k must be in [0, {}], got {}", size, k[0]);
  return k[0];
}

Result<std::vector<TensorType>> InferTopK(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Numbers(0).RankAtLeast(0, 1).Integers(1).Rank(1, 0, 1).Done());
  const size_t axis =
      static_cast<size_t>(TRY(NormalizeAxis(call.attributes->Int("axis", -1), call.rank(0))));
  TensorType type = call.type(0);
  type.shape[axis] = TRY(CountOfTopK(call, type.shape[axis]));
  return std::vector<TensorType>{type, {ElementType::kI64, type.shape}};
}

Result<void> TopKReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", -1), in[0].rank()));
  const bool largest = call.attributes->Int("largest", 1) != 0;
  const int64_t size = in[0].dim(axis);
  const int64_t k = out[0].dim(axis);
  const int64_t stride = Strides(in[0].shape())[static_cast<size_t>(axis)];
  int64_t* indices = out[1].mutable_data<int64_t>();
  VisitNumberType(in[0].element(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<int64_t> order(static_cast<size_t>(size));
    for (int64_t line = 0; line < (size == 0 ? 0 : in[0].size() / size); ++line) {
      const T* x = in[0].data<T>() + line / stride * stride * size + line % stride;
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return largest ? IsGreater(x[a * stride], x[b * stride])
                       : IsGreater(x[b * stride], x[a * stride]);
      });
      const int64_t first = line / stride * stride * k + line % stride;
      for (int64_t i = 0; i < k; ++i) {
        indices[first + i * stride] = order[static_cast<size_t>(i)];
        out[0].mutable_data<T>()[first + i * stride] = x[order[static_cast<size_t>(i)] * stride];
      }
    }
  });
  return {};
}

// A comparison of each element at each level of a heap of k.
Work WorkForTopK(const OpCall& call, std::span<const TensorType> outputs) {
  const int64_t size = NumElements(call.shape(0));
  int64_t levels = 1;
  for (int64_t k = call.Ints(1).value()[0]; k > 1; k /= 2) ++levels;
  return FlopsWork(call, outputs, size * levels);
}

std::vector<OpExample> TopKExamples() {
  return {{.inputs = {F32({4, 6}), Ints({2})}, .num_outputs = 2},
          {.inputs = {F32({5, 6}), Ints({3})},
           .attributes = {{"axis", 0}, {"largest", 0}},
           .num_outputs = 2},
          {.inputs = {I64({2, 9, 3}), Ints({4})}, .attributes = {{"axis", 1}}, .num_outputs = 2}};
}

Result<void> TopKGradient(GradientCall& g) {
  const Term zeros = g.dy().Zeros(g.call().shape(0));
  g.Give(
      0,
      zeros.Apply("ScatterElements", {g.y(1), g.dy()}, {{"axis", g.attributes().Int("axis", -1)}}));
  return {};
}

}  // namespace

OpDef MakeTopK() {
  return {.name = "TopK",
          .since_version = 24,
          .infer = InferTopK,
          .reference = TopKReference,
          .gradient = TopKGradient,
          .work = WorkForTopK,
          .examples = TopKExamples};
}

}  // namespace metadist::ops
