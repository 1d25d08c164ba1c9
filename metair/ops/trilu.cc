// SPDX-License-Identifier: Apache-2.0
// x with zeros below (upper = 1) or above (upper = 0) the k-th diagonal of its last two dims.
#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<int64_t> DiagonalOf(const OpCall& call) {
  if (!call.has(1)) return 0;
  const std::vector<int64_t> k = TRY(call.Ints(1));
  if (k.size() != 1) return BadCall("one diagonal is needed, got {}", k.size());
  return k[0];
}

Result<std::vector<TensorType>> InferTrilu(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1, 2).RankAtLeast(0, 2).Integers(1).Rank(1, 0, 1).Done());
  TRY(DiagonalOf(call));
  return std::vector<TensorType>{call.type(0)};
}

Result<void> TriluReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t k = TRY(DiagonalOf(call));
  const bool upper = call.attributes->Int("upper", 1) != 0;
  const int64_t rows = in[0].dim(in[0].rank() - 2);
  const int64_t cols = in[0].dim(in[0].rank() - 1);
  // Columns from the diagonal on are kept (upper), or those up to it; clamped to the matrix.
  const auto first_column = [&](int64_t row) {
    if (k > cols) return cols;
    if (k < -rows) return int64_t{0};
    return std::clamp<int64_t>(upper ? row + k : row + k + 1, 0, cols);
  };
  VisitComputeType(in[0].element(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = in[0].data<T>();
    T* to = out[0].mutable_data<T>();
    for (int64_t line = 0; line < (cols == 0 ? 0 : in[0].size() / cols); ++line) {
      const int64_t edge = first_column(line % rows);
      const int64_t begin = line * cols + (upper ? edge : 0);
      const int64_t end = line * cols + (upper ? cols : edge);
      std::copy(from + begin, from + end, to + begin);
    }
  });
  return {};
}

Result<Spelling> SpellTrilu(const OpCall& call) {
  Spelling spelling = Spelling::Of(call);
  if (!call.has(1)) spelling.inputs[1] = Tensor::Scalar<int64_t>(0);
  return spelling;
}

std::vector<OpExample> TriluExamples() {
  return {{.inputs = {F32({5, 6})}},
          {.inputs = {F32({2, 5, 5}), Int(1)}, .attributes = {{"upper", 1}}},
          {.inputs = {F32({5, 6}), Int(-1)}, .attributes = {{"upper", 0}}},
          {.inputs = {Bool({4, 6})}, .attributes = {{"upper", 0}}}};
}

Result<void> TriluGradient(GradientCall& g) {
  g.Give(0, g.Again(g.dy()));
  return {};
}

}  // namespace

OpDef MakeTrilu() {
  return {.name = "Trilu",
          .since_version = 14,
          .infer = InferTrilu,
          .reference = TriluReference,
          .spell = SpellTrilu,
          .gradient = TriluGradient,
          .work = MoveWork,
          .examples = TriluExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
