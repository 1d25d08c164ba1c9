// SPDX-License-Identifier: Apache-2.0
// y = (x - mean) / sqrt(variance + epsilon) scale + bias for each channel (dim 1): with the given
// statistics, or (training_mode = 1) with those of x, which update the running ones.
#include <algorithm>
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce_mean.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferBatchNormalization(const OpCall& call) {
  const bool training = call.attributes->Int("training_mode", 0) != 0;
  const int wanted = call.num_outputs;
  CallCheck check(call);
  check.Inputs(5).RankAtLeast(0, 2);
  for (size_t i = 0; i < 5; ++i) check.Floats(i);
  TRY(check.Done());
  for (size_t i = 1; i < 5; ++i)
    check.That(call.shape(i) == Shape{call.shape(0)[1]},
               "input {} must be {}, got {}",
               i,
               ShapeText({call.shape(0)[1]}),
               ShapeText(call.shape(i)));
  check.That(training || wanted == 1, "expected 1 output outside of training, got {}", wanted);
  TRY(check.Done());
  std::vector<TensorType> types{call.type(0), call.type(3), call.type(4)};
  types.resize(static_cast<size_t>(std::clamp(wanted, 1, 3)));
  return types;
}

Result<void> BatchNormalizationReference(const OpCall& call,
                                         std::span<const Tensor> in,
                                         std::span<Tensor> out) {
  const bool training = call.attributes->Int("training_mode", 0) != 0;
  const double epsilon = call.attributes->Float("epsilon", 1e-5f);
  const double momentum = call.attributes->Float("momentum", 0.9f);
  const int64_t channels = in[0].dim(1);
  const int64_t batch = in[0].dim(0);
  const int64_t inner = channels == 0 || batch == 0 ? 0 : in[0].size() / channels / batch;
  const double count = static_cast<double>(batch * inner);
  const double* x = in[0].data<double>();
  double* y = out[0].mutable_data<double>();
  for (int64_t c = 0; c < channels; ++c) {
    const auto for_each = [&](auto visit) {
      for (int64_t n = 0; n < batch; ++n)
        for (int64_t i = 0; i < inner; ++i) visit((n * channels + c) * inner + i);
    };
    double mean = in[3].data<double>()[c];
    double variance = in[4].data<double>()[c];
    if (training) {
      double sum = 0;
      for_each([&](int64_t at) { sum += x[at]; });
      mean = sum / count;
      double squares = 0;
      for_each([&](int64_t at) { squares += (x[at] - mean) * (x[at] - mean); });
      variance = squares / count;
      const auto update = [&](size_t output, double old, double now) {
        if (out.size() > output)
          out[output].mutable_data<double>()[c] = old * momentum + now * (1 - momentum);
      };
      update(1, in[3].data<double>()[c], mean);
      update(2, in[4].data<double>()[c], variance);
    }
    const double factor = in[1].data<double>()[c] / std::sqrt(variance + epsilon);
    const double bias = in[2].data<double>()[c];
    for_each([&](int64_t at) { y[at] = (x[at] - mean) * factor + bias; });
  }
  return {};
}

Work WorkForBatchNormalization(const OpCall& call, std::span<const TensorType> outputs) {
  const int64_t each = call.attributes->Int("training_mode", 0) != 0 ? 7 : 3;
  return FlopsWork(call, outputs, each * NumElements(outputs[0].shape));
}

std::vector<InputDomain> BatchNormalizationDomain(const OpCall& call) {
  return {{}, {}, {}, {}, {.kind = InputDomain::Kind::kPositive}};
}

std::vector<OpExample> BatchNormalizationExamples() {
  const std::vector<OpExample::Input> inputs{
      F32({3, 4, 2, 5}), F32({4}), F32({4}), F32({4}), F32({4})};
  return {{.inputs = inputs},
          {.inputs = inputs,
           .attributes = {{"training_mode", 1}, {"momentum", 0.75}},
           .num_outputs = 3},
          {.inputs = {F32({3, 4}), F32({4}), F32({4}), F32({4}), F32({4})},
           .attributes = {{"epsilon", 0.25}}}};
}

// Only in training: with given statistics the operator is elementwise.
Result<Graph> DecomposeBatchNormalization(const OpCall& call) {
  if (call.attributes->Int("training_mode", 0) == 0) return BadCall("not in training");
  const double momentum = call.attributes->Float("momentum", 0.9f);
  std::vector<int64_t> axes = AxesBetween(2, call.rank(0));
  const std::vector<int64_t> space = AxesBetween(1, call.rank(0) - 1);
  axes.insert(axes.begin(), 0);
  Composer compose(call);
  const ValueId x = compose.Operand(0);
  const auto like_x = [&](size_t input) {
    const ValueId one = compose.As(compose.type(x).element, compose.Operand(input));
    return space.empty() ? one : compose.With("Unsqueeze", one, space);
  };
  const Moments moments = ComposeMoments(compose, x, axes);
  const ValueId epsilon = compose.Number(call.attributes->Float("epsilon", 1e-5f), x);
  const ValueId root = compose.Add("Sqrt", {compose.Add("Add", {moments.variance, epsilon})});
  const ValueId factor = compose.Add("Div", {like_x(1), root});
  std::vector<ValueId> results{
      compose.Add("Add", {compose.Add("Mul", {moments.distance, factor}), like_x(2)})};
  for (int o = 1; o < call.num_outputs; ++o) {
    const ValueId old = compose.Operand(o == 1 ? 3 : 4);
    ValueId now = compose.With("Squeeze", o == 1 ? moments.mean : moments.variance, axes);
    now = compose.As(compose.type(old).element, now);
    results.push_back(compose.Add("Add",
                                  {compose.Add("Mul", {old, compose.Number(momentum, old)}),
                                   compose.Add("Mul", {now, compose.Number(1 - momentum, old)})}));
  }
  return compose.Done(results);
}

Result<void> BatchNormalizationGradient(GradientCall& g) {
  if (g.attributes().Int("training_mode", 0) != 0)
    return g.Through(TRY(DecomposeBatchNormalization(g.call())));
  const std::vector<int64_t> space = AxesBetween(1, g.call().rank(0) - 1);
  const Term x = g.x().Wide();
  const Term dy = g.dy().Wide();
  const auto of_channel = [&](size_t input) {
    return g.x(input).As(x.element()).Unsqueezed(space);
  };
  const Term scale = of_channel(1);
  const Term variance = of_channel(4) + g.attributes().Float("epsilon", 1e-5f);
  const Term inverse = variance.Apply("Sqrt").Apply("Reciprocal");
  const Term distance = x - of_channel(3);
  const Term sum = dy.SumAllBut({1});
  const Term moment = (dy * distance).SumAllBut({1});
  const Shape channels = g.call().shape(1);
  g.Give(0, dy * (scale * inverse));
  g.Give(1, (moment * inverse).Reshaped(channels));
  g.Give(2, sum.Reshaped(channels));
  g.Give(3, (-(sum * scale * inverse)).Reshaped(channels));
  g.Give(4, (-0.5 * moment * scale * inverse / variance).Reshaped(channels));
  return {};
}

}  // namespace

OpDef MakeBatchNormalization() {
  return {.name = "BatchNormalization",
          .since_version = 15,
          .infer = InferBatchNormalization,
          .reference = BatchNormalizationReference,
          .decompose = DecomposeBatchNormalization,
          .gradient = BatchNormalizationGradient,
          .work = WorkForBatchNormalization,
          .domain_of = BatchNormalizationDomain,
          .examples = BatchNormalizationExamples,
          .untrained = 0b11000};
}

}  // namespace metadist::ops
