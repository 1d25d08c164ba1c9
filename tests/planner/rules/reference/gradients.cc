// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "metair/ops/composer.h"
#include "metair/ops/range.h"
#include "metair/ops/reduce_mean.h"
#include "tests/planner/rules/reference/reference_case.h"

namespace metadist::testing {
namespace {

// dy, x [n,h], mean and reciprocal deviation [n,1], weight [h]: dx, dweight, dbias.
Types LayerNormBackwardTypes(const OpCall& call) {
  const Shape& x = call.shape(0);
  if (call.shape(1) != x || call.shape(2) != Shape{x[0], 1} || call.shape(3) != Shape{x[0], 1} ||
      call.shape(4) != Shape{x[1]})
    return BadInput("", "shapes do not fit");
  return FloatTypes({x, {x[1]}, {x[1]}}, call.type(0).element);
}
Result<void> LayerNormBackward(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t h = in[0].dim(1);
  const double* weight = in[4].data<double>();
  for (int64_t i = 0; i < in[0].dim(0); ++i) {
    const double* dy = Row(in[0], i);
    const double mean = in[2].data<double>()[i];
    const double inverse = in[3].data<double>()[i];
    const auto normal = [&](int64_t k) { return (Row(in[1], i)[k] - mean) * inverse; };
    double sum = 0, product = 0;
    for (int64_t k = 0; k < h; ++k) {
      sum += dy[k] * weight[k];
      product += dy[k] * weight[k] * normal(k);
      out[1].mutable_data<double>()[k] += dy[k] * normal(k);
      out[2].mutable_data<double>()[k] += dy[k];
    }
    const double count = static_cast<double>(h);
    for (int64_t k = 0; k < h; ++k)
      Row(out[0], i)[k] = inverse * (dy[k] * weight[k] - sum / count - normal(k) * product / count);
  }
  return {};
}
std::vector<InputDomain> PositiveDeviation(const OpCall&) {
  std::vector<InputDomain> domains(5);
  domains[3].kind = InputDomain::Kind::kPositive;
  return domains;
}

// inv (g - mean(g) - normal mean(g normal)) with g = dy weight.
Result<Graph> ComposeLayerNormBackward(const OpCall& call) {
  Composer compose(call);
  const auto times = [&](ValueId a, ValueId b) { return compose.Add("Mul", {a, b}); };
  const auto mean = [&](ValueId x) { return ComposeMean(compose, x, {1}, /*keep=*/true); };
  const ValueId dy = compose.Operand(0), inverse = compose.Operand(3);
  const ValueId distance = compose.Add("Sub", {compose.Operand(1), compose.Operand(2)});
  const ValueId normal = times(distance, inverse);
  const ValueId g = times(dy, compose.Operand(4));
  ValueId dx = compose.Add("Sub", {g, mean(g)});
  dx = compose.Add("Sub", {dx, times(normal, mean(times(g, normal)))});
  return compose.Done({times(inverse, dx),
                       compose.Fold("ReduceSum", times(dy, normal), {0}, /*keep=*/false),
                       compose.Fold("ReduceSum", dy, {0}, /*keep=*/false)});
}

Types SameTypes(const OpCall& call) {
  if (call.shape(0) != call.shape(1)) return BadInput("", "shapes differ");
  return FloatTypes({call.shape(0)}, call.type(0).element);
}

// dy, y [t,v]: y (dy - sum(y dy)).
Result<void> SoftmaxBackward(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  for (int64_t t = 0; t < in[0].dim(0); ++t) {
    double sum = 0;
    for (int64_t v = 0; v < in[0].dim(1); ++v) sum += Row(in[0], t)[v] * Row(in[1], t)[v];
    for (int64_t v = 0; v < in[0].dim(1); ++v)
      Row(out[0], t)[v] = Row(in[1], t)[v] * (Row(in[0], t)[v] - sum);
  }
  return {};
}
Result<Graph> ComposeSoftmaxBackward(const OpCall& call) {
  Composer compose(call);
  const ValueId dy = compose.Operand(0), y = compose.Operand(1);
  const ValueId sum = compose.Fold("ReduceSum", compose.Add("Mul", {y, dy}), {1});
  return compose.Done({compose.Add("Mul", {y, compose.Add("Sub", {dy, sum})})});
}

// dy, y [t,v]: dy - exp(y) sum(dy).
Result<void> LogSoftmaxBackward(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  for (int64_t t = 0; t < in[0].dim(0); ++t) {
    double sum = 0;
    for (int64_t v = 0; v < in[0].dim(1); ++v) sum += Row(in[0], t)[v];
    for (int64_t v = 0; v < in[0].dim(1); ++v)
      Row(out[0], t)[v] = Row(in[0], t)[v] - std::exp(Row(in[1], t)[v]) * sum;
  }
  return {};
}
Result<Graph> ComposeLogSoftmaxBackward(const OpCall& call) {
  Composer compose(call);
  const ValueId dy = compose.Operand(0);
  const ValueId sum = compose.Fold("ReduceSum", dy, {1});
  const ValueId share = compose.Add("Mul", {compose.Add("Exp", {compose.Operand(1)}), sum});
  return compose.Done({compose.Add("Sub", {dy, share})});
}
InputDomain Within(double low, double high) {
  return {.kind = InputDomain::Kind::kRange, .low = low, .high = high};
}
std::vector<InputDomain> LogProbabilities(const OpCall&) { return {{}, Within(-9, 0)}; }

// x [t,v], logsumexp of x [t], classes [t]: exp(x - logsumexp) - (v = class).
Types CrossEntropyBackwardTypes(const OpCall& call) {
  const Shape rows{call.shape(0)[0]};
  if (call.shape(1) != rows || call.shape(2) != rows) return BadInput("", "shapes do not fit");
  return FloatTypes({call.shape(0)}, call.type(0).element);
}
Result<void> CrossEntropyBackward(const OpCall&,
                                  std::span<const Tensor> in,
                                  std::span<Tensor> out) {
  for (int64_t t = 0; t < in[0].dim(0); ++t)
    for (int64_t v = 0; v < in[0].dim(1); ++v)
      Row(out[0], t)[v] = std::exp(Row(in[0], t)[v] - in[1].data<double>()[t]) -
                          (in[2].data<int64_t>()[t] == v ? 1 : 0);
  return {};
}
Result<Graph> ComposeCrossEntropyBackward(const OpCall& call) {
  Composer compose(call);
  const ValueId x = compose.Operand(0);
  const ValueId share = compose.Add(
      "Exp", {compose.Add("Sub", {x, compose.With("Unsqueeze", compose.Operand(1), {1})})});
  const ValueId classes = ComposePositions(compose, 0, call.shape(0)[1]);
  const ValueId hit =
      compose.Add("Equal", {compose.With("Unsqueeze", compose.Operand(2), {1}), classes});
  const ValueId one = compose.Add("Where", {hit, compose.Number(1, x), compose.Number(0, x)});
  return compose.Done({compose.Add("Sub", {share, one})});
}
std::vector<InputDomain> ScoresAndClasses(const OpCall&) {
  return {Within(-9, 9), Within(-9, 9), {.kind = InputDomain::Kind::kIndex, .bounds = {{0, 1}}}};
}

}  // namespace

std::vector<ReferenceCase> GradientCases() {
  return {
      {"C3",
       "layer_norm_backward",
       Decomposed(
           MakeOp(
               "LayerNormBackward", LayerNormBackwardTypes, LayerNormBackward, PositiveDeviation),
           ComposeLayerNormBackward),
       {.inputs =
            {Floats({12, 16}), Floats({12, 16}), Floats({12, 1}), Floats({12, 1}), Floats({16})},
        .num_outputs = 3},
       "([a,b],[a,b],[a,_],[a,_],[b])->([a,b],[b],[b]) combine={b:SUM[a],SUM[a]} "
       "reduction={a} linear={0}"},
      {"W12",
       "log_softmax_backward",
       Decomposed(MakeOp("LogSoftmaxBackward", SameTypes, LogSoftmaxBackward, LogProbabilities),
                  ComposeLogSoftmaxBackward),
       {.inputs = {Floats({12, 16}), Floats({12, 16})}},
       "([a,b],[a,b])->([a,b]) combine={b:SUM[a]} linear={0}"},
      {"W12",
       "softmax_backward",
       Decomposed(MakeOp("SoftmaxBackward", SameTypes, SoftmaxBackward), ComposeSoftmaxBackward),
       {.inputs = {Floats({12, 16}), Floats({12, 16})}},
       "([a,b],[a,b])->([a,b]) combine={b:SUM[a]} linear={0}"},
      {"W12",
       "cross_entropy_backward",
       Decomposed(MakeOp("CrossEntropyBackward",
                         CrossEntropyBackwardTypes,
                         CrossEntropyBackward,
                         ScoresAndClasses),
                  ComposeCrossEntropyBackward),
       {.inputs = {Floats({12, 16}), Floats({12}), Integers({12})}},
       "([a,b],[a],[a])->([a,b]) off={b:2-} max={0} min={0}"},
  };
}

}  // namespace metadist::testing
