// SPDX-License-Identifier: Apache-2.0
// y = (x - mean) / sqrt(variance + epsilon) scale + bias, with scale and bias for each channel (dim
// 1), and mean and variance over each of num_groups groups of channels of each instance (dim 0).
#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce_mean.h"
#include "metair/ops/standardize.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferGroupNormalization(const OpCall& call) {
  CallCheck check(call);
  TRY(CheckChannels(call, check));
  const int64_t channels = call.shape(0)[1];
  const int64_t groups = call.attributes->Int("num_groups", 0);
  check.That(groups > 0 && channels % groups == 0,
             "num_groups must divide {} channels, got {}",
             channels,
             groups);
  TRY(check.Done());
  return std::vector<TensorType>{call.type(0)};
}

Result<void> GroupNormalizationReference(const OpCall& call,
                                         std::span<const Tensor> in,
                                         std::span<Tensor> out) {
  StandardizeGroups(call, in, call.attributes->Int("num_groups", 0), out[0]);
  return {};
}

Work WorkForGroupNormalization(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 7 * NumElements(outputs[0].shape));
}

std::vector<OpExample> GroupNormalizationExamples() {
  return {{.inputs = {F32({3, 6, 5, 2}), F32({6}), F32({6})}, .attributes = {{"num_groups", 3}}},
          {.inputs = {F32({2, 4, 7}), F32({4}), F32({4})},
           .attributes = {{"num_groups", 1}, {"epsilon", 0.25}}}};
}

Result<Graph> DecomposeGroupNormalization(const OpCall& call) {
  const int64_t groups = call.attributes->Int("num_groups", 0);
  const Shape& shape = call.shape(0);
  const Shape channels{groups, shape[1] / groups};
  Shape split = shape;  // [n, group, channel of the group, ...]
  split[1] = channels[0];
  split.insert(split.begin() + 2, channels[1]);
  Shape of_channel = channels;
  of_channel.resize(split.size() - 1, 1);
  Composer compose(call);
  const ValueId x = compose.With("Reshape", compose.Operand(0), split);
  const Moments moments = ComposeMoments(compose, x, AxesBetween(2, call.rank(0) + 1));
  const ValueId epsilon = compose.Number(call.attributes->Float("epsilon", 1e-5f), x);
  const ValueId root = compose.Add("Sqrt", {compose.Add("Add", {moments.variance, epsilon})});
  ValueId y = compose.Add("Div", {moments.distance, root});
  y = compose.Add("Mul", {y, compose.With("Reshape", compose.Operand(1), of_channel)});
  y = compose.Add("Add", {y, compose.With("Reshape", compose.Operand(2), of_channel)});
  return compose.Done({compose.With("Reshape", y, shape)});
}

}  // namespace

OpDef MakeGroupNormalization() {
  return {.name = "GroupNormalization",
          .since_version = 21,
          .infer = InferGroupNormalization,
          .reference = GroupNormalizationReference,
          .decompose = DecomposeGroupNormalization,
          .work = WorkForGroupNormalization,
          .examples = GroupNormalizationExamples};
}

}  // namespace metadist::ops
