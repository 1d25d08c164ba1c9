// SPDX-License-Identifier: Apache-2.0
// y = x / (bias + alpha / size sum(x^2))^beta, with the sum over the `size` channels (dim 1) around
// each element.
#include <algorithm>
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferLRN(const OpCall& call) {
  const int64_t size = call.attributes->Int("size", 0);
  TRY(CallCheck(call)
          .Inputs(1)
          .Floats(0)
          .RankAtLeast(0, 2)
          .That(size > 0, "size must be positive, got {}", size)
          .Done());
  return std::vector<TensorType>{call.type(0)};
}

Result<void> LRNReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t size = call.attributes->Int("size", 0);
  const double alpha = call.attributes->Float("alpha", 1e-4f);
  const double beta = call.attributes->Float("beta", 0.75f);
  const double bias = call.attributes->Float("bias", 1);
  const int64_t channels = in[0].dim(1);
  const int64_t planes = in[0].dim(0) * channels;
  const int64_t plane = planes == 0 ? 0 : in[0].size() / planes;
  const double* x = in[0].data<double>();
  double* y = out[0].mutable_data<double>();
  for (int64_t i = 0; i < out[0].size(); ++i) {
    const int64_t c = i / plane % channels;
    const int64_t low = std::max<int64_t>(c - (size - 1) / 2, 0);
    const int64_t high = std::min(c + size / 2, channels - 1);
    double squares = 0;
    for (int64_t other = low; other <= high; ++other) {
      const double value = x[i + (other - c) * plane];
      squares += value * value;
    }
    y[i] = x[i] / std::pow(bias + alpha / static_cast<double>(size) * squares, beta);
  }
  return {};
}

Work WorkForLRN(const OpCall& call, std::span<const TensorType> outputs) {
  const int64_t each = 2 * call.attributes->Int("size", 0) + 4;
  return FlopsWork(call, outputs, each * NumElements(outputs[0].shape));
}

std::vector<OpExample> LRNExamples() {
  return {{.inputs = {F32({3, 7, 2, 4})}, .attributes = {{"size", 3}}},
          {.inputs = {F32({2, 6, 3, 2})},
           .attributes = {{"size", 5}, {"alpha", 0.5}, {"beta", 0.5}, {"bias", 2.0}}}};
}

// Sums of the channels from `before` below each one to `after` above it.
Term ChannelSums(const Term& x, int64_t before, int64_t after) {
  before = std::min(before, x.shape()[1]);
  after = std::min(after, x.shape()[1]);
  std::vector<int64_t> low(x.shape().size(), 0);
  std::vector<int64_t> high = low;
  low[1] = before;
  high[1] = after;
  const int64_t channels = x.shape()[1];
  const Term padded = x.Padded(low, high);
  Term sum = padded.Sliced(1, 0, channels);
  for (int64_t first = 1; first <= before + after; ++first)
    sum = sum + padded.Sliced(1, first, first + channels);
  return sum;
}

Result<void> LRNGradient(GradientCall& g) {
  // With D = bias + a W(x^2), W the sum over the window, and W' its transpose:
  // dx = dy D^-beta - 2 a beta x W'(dy x D^(-beta - 1)).
  const int64_t size = g.attributes().Int("size", 0);
  const double beta = g.attributes().Float("beta", 0.75f);
  const double a = g.attributes().Float("alpha", 1e-4f) / static_cast<double>(size);
  const Term x = g.x().Wide();
  const Term dy = g.dy().Wide();
  const Term squares = ChannelSums(x * x, (size - 1) / 2, size / 2);
  const Term scale = a * squares + g.attributes().Float("bias", 1);
  const Term power = scale.Apply("Pow", {scale.Number(-beta)});
  const Term around = ChannelSums(dy * x * power / scale, size / 2, (size - 1) / 2);
  g.Give(0, dy * power - 2 * a * beta * x * around);
  return {};
}

}  // namespace

OpDef MakeLRN() {
  return {.name = "LRN",
          .since_version = 13,
          .infer = InferLRN,
          .reference = LRNReference,
          .gradient = LRNGradient,
          .work = WorkForLRN,
          .examples = LRNExamples};
}

}  // namespace metadist::ops
