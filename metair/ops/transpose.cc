// SPDX-License-Identifier: Apache-2.0
// Dim d of y is dim perm[d] of x; without perm, dims are reversed.
#include <algorithm>
#include <numeric>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<int64_t>> PermutationOf(const OpCall& call) {
  std::vector<int64_t> perm(call.shape(0).size());
  std::iota(perm.rbegin(), perm.rend(), 0);
  if (!call.attributes->has("perm")) return perm;
  std::vector<int64_t> given = call.attributes->Ints("perm");
  if (given.size() != perm.size() || !std::is_permutation(given.begin(), given.end(), perm.begin()))
    return BadCall("perm must be a permutation of {} axes, got {}", perm.size(), ShapeText(given));
  return given;
}

Result<std::vector<TensorType>> InferTranspose(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Done());
  TensorType type{call.type(0).element, {}};
  for (int64_t d : TRY(PermutationOf(call)))
    type.shape.push_back(call.shape(0)[static_cast<size_t>(d)]);
  return std::vector<TensorType>{type};
}

Result<void> TransposeReference(const OpCall& call,
                                std::span<const Tensor> in,
                                std::span<Tensor> out) {
  const std::vector<int64_t> from = Strides(in[0].shape());
  StridedView view;
  for (int64_t d : TRY(PermutationOf(call))) view.strides.push_back(from[static_cast<size_t>(d)]);
  GatherStrided(in[0], view, out[0]);
  return {};
}

std::vector<OpExample> TransposeExamples() {
  const auto perm = [](std::vector<int64_t> axes) { return Attributes{{"perm", axes}}; };
  return {{.inputs = {F32({4, 6})}},
          {.inputs = {F32({2, 3, 4, 5})}, .attributes = perm({0, 2, 1, 3})},
          {.inputs = {F32({3, 4, 5})}, .attributes = perm({1, 2, 0})},
          {.inputs = {Bool({4, 6})}, .attributes = perm({1, 0})}};
}

Result<void> TransposeGradient(GradientCall& g) {
  const std::vector<int64_t> order = TRY(PermutationOf(g.call()));
  std::vector<int64_t> back(order.size());
  for (size_t d = 0; d < order.size(); ++d)
    back[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
  g.Give(0, g.dy().Transposed(back));
  return {};
}

}  // namespace

OpDef MakeTranspose() {
  return {.name = "Transpose",
          .since_version = 25,
          .infer = InferTranspose,
          .reference = TransposeReference,
          .gradient = TransposeGradient,
          .work = MoveWork,
          .examples = TransposeExamples};
}

}  // namespace metadist::ops
