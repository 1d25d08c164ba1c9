// SPDX-License-Identifier: Apache-2.0
// ONNX's Adagrad, for n arrays: inputs R (learning rate), T (steps so far), X1..Xn, their gradients
// G1..Gn and sums of squares H1..Hn; outputs X1'..Xn', H1'..Hn'.
// Source: ONNX operator specification, ai.onnx.preview.training Adagrad-1.
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/optimizer_arrays.h"

namespace metadist::ops {
namespace {

constexpr size_t kAdagradStates = 1;

Result<std::vector<TensorType>> InferAdagrad(const OpCall& call) {
  return InferOptimizer(call, kAdagradStates);
}

Result<void> AdagradReference(const OpCall& call,
                              std::span<const Tensor> in,
                              std::span<Tensor> out) {
  const double epsilon = call.attributes->Float("epsilon", 1e-6f);
  const double decay = call.attributes->Float("norm_coefficient", 0);
  const double step = static_cast<double>(in[1].data<int64_t>()[0]);
  const double rate =
      in[0].data<double>()[0] / (1 + step * call.attributes->Float("decay_factor", 0));
  ForEachOptimized(
      in, out, kAdagradStates, [&](const double* x, const double* g, auto&& state, auto&& to) {
        const double slope = decay * *x + *g;
        const double sum = *state[0] + slope * slope;
        *to[0] = *x - rate * slope / (std::sqrt(sum) + epsilon);
        *to[1] = sum;
      });
  return {};
}

std::vector<InputDomain> AdagradDomain(const OpCall& call) {
  std::vector<InputDomain> domains(call.inputs.size());
  const size_t arrays = (call.inputs.size() - 2) / (kAdagradStates + 2);
  domains[1] = {.kind = InputDomain::Kind::kRange, .low = 0, .high = 20};
  for (size_t i = domains.size() - arrays; i < domains.size(); ++i)
    domains[i] = {.kind = InputDomain::Kind::kPositive};
  return domains;
}

std::vector<OpExample> AdagradExamples() {
  const Attributes attributes{
      {"norm_coefficient", 0.25}, {"epsilon", 0.5}, {"decay_factor", 0.125}};
  return {
      {.inputs = {F32({}), I64({}), F32({4, 6}), F32({4, 6}), F32({4, 6})},
       .attributes = attributes,
       .num_outputs = 2},
      {.inputs =
           {F32({}), I64({}), F32({4, 6}), F32({5}), F32({4, 6}), F32({5}), F32({4, 6}), F32({5})},
       .attributes = attributes,
       .num_outputs = 4}};
}

}  // namespace

OpDef MakeAdagrad() {
  return {.domain = "ai.onnx.preview.training",
          .name = "Adagrad",
          .infer = InferAdagrad,
          .reference = AdagradReference,
          .domain_of = AdagradDomain,
          .examples = AdagradExamples};
}

}  // namespace metadist::ops
