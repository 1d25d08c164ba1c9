// SPDX-License-Identifier: Apache-2.0
// y = (x - mean) / sqrt(variance + epsilon) scale + bias, with mean and variance over the spatial
// dims (from 2 on) of each instance (dim 0) and channel (dim 1).
#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce_mean.h"
#include "metair/ops/standardize.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferInstanceNormalization(const OpCall& call) {
  CallCheck check(call);
  TRY(CheckChannels(call, check));
  TRY(check.Done());
  return std::vector<TensorType>{call.type(0)};
}

Result<void> InstanceNormalizationReference(const OpCall& call,
                                            std::span<const Tensor> in,
                                            std::span<Tensor> out) {
  StandardizeGroups(call, in, in[0].dim(1), out[0]);
  return {};
}

Work WorkForInstanceNormalization(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 7 * NumElements(outputs[0].shape));
}

std::vector<OpExample> InstanceNormalizationExamples() {
  return {{.inputs = {F32({3, 4, 5, 2}), F32({4}), F32({4})}},
          {.inputs = {F32({2, 3, 7}), F32({3}), F32({3})}, .attributes = {{"epsilon", 0.25}}}};
}

Result<Graph> DecomposeInstanceNormalization(const OpCall& call) {
  if (call.rank(0) < 3) return BadCall("there is no space");
  Composer compose(call);
  const ValueId x = compose.Operand(0);
  const Moments moments = ComposeMoments(compose, x, AxesBetween(2, call.rank(0)));
  const ValueId epsilon = compose.Number(call.attributes->Float("epsilon", 1e-5f), x);
  const ValueId root = compose.Add("Sqrt", {compose.Add("Add", {moments.variance, epsilon})});
  const std::vector<int64_t> space = AxesBetween(1, call.rank(0) - 1);
  ValueId y = compose.Add("Div", {moments.distance, root});
  y = compose.Add("Mul", {y, compose.With("Unsqueeze", compose.Operand(1), space)});
  y = compose.Add("Add", {y, compose.With("Unsqueeze", compose.Operand(2), space)});
  return compose.Done({y});
}

}  // namespace

OpDef MakeInstanceNormalization() {
  return {.name = "InstanceNormalization",
          .since_version = 22,
          .infer = InferInstanceNormalization,
          .reference = InstanceNormalizationReference,
          .decompose = DecomposeInstanceNormalization,
          .work = WorkForInstanceNormalization,
          .examples = InstanceNormalizationExamples};
}

}  // namespace metadist::ops
