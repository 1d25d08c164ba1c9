// SPDX-License-Identifier: Apache-2.0
// One step of AdamW, element by element, for step number t = 1, 2, ...:
//   m' = beta1 m + (1 - beta1) g            v' = beta2 v + (1 - beta2) g^2
//   x' = (1 - lr decay) x - lr (m' / (1 - beta1^t)) / (sqrt(v' / (1 - beta2^t)) + epsilon)
// decoupled = 0: of Adam, where decay x is added to g instead. Inputs: x, g, m, v, lr, t; outputs:
// x', m', v'. With a master as input 6, a wider copy of x, x' is computed from it and is output 3
// as well. In step 1 the master is x itself, whatever the input holds. With a number as input 7, g
// is multiplied by it; if it is 0, nothing is updated, and t counts the steps before. Source:
// Loshchilov, Hutter 2019, "Decoupled weight decay regularization", arXiv:1711.05101.
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

enum Input : size_t { kX, kGradient, kMean, kSquare, kRate, kStep, kMaster, kScale };

Result<std::vector<TensorType>> InferAdamW(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(6, 8).Rank(kRate, 0, 0).Rank(kStep, 0, 0);
  if (call.has(kScale)) check.Rank(kScale, 0, 0);
  for (size_t i = 0; i < 8; ++i) check.Floats(i);
  TRY(check.Done());
  for (const size_t i : {kGradient, kMean, kSquare, kMaster})
    check.That(!call.has(i) || call.shape(i) == call.shape(kX),
               "input {} must be {}",
               i,
               ShapeText(call.shape(kX)));
  const int wanted = call.has(kMaster) ? 4 : 3;
  check.That(call.num_outputs == wanted, "expected {} outputs, got {}", wanted, call.num_outputs);
  TRY(check.Done());
  std::vector<TensorType> types{call.type(kX), call.type(kMean), call.type(kSquare)};
  if (call.has(kMaster)) types.push_back(call.type(kMaster));
  return types;
}

Result<void> AdamWReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const double beta1 = call.attributes->Float("beta1", 0.9);
  const double beta2 = call.attributes->Float("beta2", 0.999);
  const double epsilon = call.attributes->Float("epsilon", 1e-8);
  const double decay = call.attributes->Float("decay", 0.01);
  const bool decoupled = call.attributes->Int("decoupled", 1) != 0;
  const double rate = in[kRate].data<double>()[0];
  const double step = in[kStep].data<double>()[0];
  const double of_mean = 1 - std::pow(beta1, step);
  const double of_square = 1 - std::pow(beta2, step);
  const bool has_master = call.has(kMaster);
  const double scale = call.has(kScale) ? in[kScale].data<double>()[0] : 1;
  const size_t from = has_master && step > (scale == 0 ? 0 : 1) ? kMaster : kX;
  const auto at = [&](size_t input, int64_t i) { return in[input].data<double>()[i]; };
  for (int64_t i = 0; i < out[0].size(); ++i) {
    const double x = at(from, i);
    if (scale == 0) {
      out[0].mutable_data<double>()[i] = x;
      out[1].mutable_data<double>()[i] = at(kMean, i);
      out[2].mutable_data<double>()[i] = at(kSquare, i);
      if (has_master) out[3].mutable_data<double>()[i] = x;
      continue;
    }
    const double g = scale * at(kGradient, i) + (decoupled ? 0 : decay * x);
    const double mean = beta1 * at(kMean, i) + (1 - beta1) * g;
    const double square = beta2 * at(kSquare, i) + (1 - beta2) * g * g;
    const double kept = decoupled ? x - rate * decay * x : x;
    out[0].mutable_data<double>()[i] =
        kept - rate * (mean / of_mean) / (std::sqrt(square / of_square) + epsilon);
    out[1].mutable_data<double>()[i] = mean;
    out[2].mutable_data<double>()[i] = square;
    if (has_master) out[3].mutable_data<double>()[i] = out[0].data<double>()[i];
  }
  return {};
}

Work WorkForAdamW(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 16 * NumElements(outputs[0].shape));
}

std::vector<InputDomain> AdamWDomain(const OpCall& call) {
  InputDomain rate{.kind = InputDomain::Kind::kRange, .low = 0.001, .high = 0.1};
  InputDomain step{.kind = InputDomain::Kind::kRange, .low = 1, .high = 100};
  std::vector<InputDomain> out{
      {}, {}, {}, {.kind = InputDomain::Kind::kPositive}, rate, step, {}, {}};
  out.resize(call.inputs.size());
  return out;
}

std::vector<OpExample> AdamWExamples() {
  const auto like = [](const Shape& shape) {
    return std::vector<OpExample::Input>{
        F32(shape), F32(shape), F32(shape), F32(shape), F32({}), F32({})};
  };
  return {{.inputs = like({4, 6}), .num_outputs = 3},
          {.inputs = like({6}),
           .attributes = {{"decoupled", 0}, {"decay", 0.5}, {"beta1", 0.5}, {"epsilon", 1e-3}},
           .num_outputs = 3},
          {.inputs =
               {F32({4, 6}), F32({4, 6}), F32({4, 6}), F32({4, 6}), F32({}), F32({}), F32({4, 6})},
           .num_outputs = 4},
          {.inputs = {F32({4, 6}),
                      F32({4, 6}),
                      F32({4, 6}),
                      F32({4, 6}),
                      F32({}),
                      F32({}),
                      Absent(),
                      F32({})},
           .num_outputs = 3}};
}

}  // namespace

OpDef MakeAdamW() {
  return {.domain = "metadist",
          .name = "AdamW",
          .infer = InferAdamW,
          .reference = AdamWReference,
          .work = WorkForAdamW,
          .domain_of = AdamWDomain,
          .examples = AdamWExamples,
          .overwrites = 0b1001111};
}

}  // namespace metadist::ops
