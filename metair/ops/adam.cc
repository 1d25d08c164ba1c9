// SPDX-License-Identifier: Apache-2.0
// ONNX's Adam, for n arrays: inputs R (learning rate), T (steps so far), X1..Xn, their gradients
// G1..Gn, averages V1..Vn and averages of squares H1..Hn; outputs X1'..Xn', V1'..Vn', H1'..Hn'.
// Source: ONNX operator specification, ai.onnx.preview.training Adam-1.
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/optimizer_arrays.h"

namespace metadist::ops {
namespace {

constexpr size_t kAdamStates = 2;

Result<std::vector<TensorType>> InferAdam(const OpCall& call) {
  return InferOptimizer(call, kAdamStates);
}

Result<void> AdamReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const double alpha = call.attributes->Float("alpha", 0.9f);
  const double beta = call.attributes->Float("beta", 0.999f);
  const double epsilon = call.attributes->Float("epsilon", 1e-6f);
  const double before = call.attributes->Float("norm_coefficient", 0);
  const double after = call.attributes->Float("norm_coefficient_post", 0);
  const double step = static_cast<double>(in[1].data<int64_t>()[0]);
  double rate = in[0].data<double>()[0];
  if (step > 0) rate *= std::sqrt(1 - std::pow(beta, step)) / (1 - std::pow(alpha, step));
  ForEachOptimized(
      in, out, kAdamStates, [&](const double* x, const double* g, auto&& state, auto&& to) {
        const double slope = before * *x + *g;
        const double mean = alpha * *state[0] + (1 - alpha) * slope;
        const double square = beta * *state[1] + (1 - beta) * slope * slope;
        *to[0] = (1 - after) * (*x - rate * mean / (std::sqrt(square) + epsilon));
        *to[1] = mean;
        *to[2] = square;
      });
  return {};
}

std::vector<OpExample> AdamExamples() {
  const Attributes attributes{{"norm_coefficient", 0.25}, {"epsilon", 0.5}, {"alpha", 0.5}};
  return {{.inputs = {F32({}), I64({}), F32({4, 6}), F32({4, 6}), F32({4, 6}), F32({4, 6})},
           .attributes = attributes,
           .num_outputs = 3},
          {.inputs = {F32({}),
                      I64({}),
                      F32({6}),
                      F32({4}),
                      F32({6}),
                      F32({4}),
                      F32({6}),
                      F32({4}),
                      F32({6}),
                      F32({4})},
           .attributes = {{"norm_coefficient_post", 0.5}},
           .num_outputs = 6}};
}

std::vector<InputDomain> AdamDomain(const OpCall& call) {
  std::vector<InputDomain> domains(call.inputs.size());
  const size_t arrays = (call.inputs.size() - 2) / (kAdamStates + 2);
  domains[1] = {.kind = InputDomain::Kind::kRange, .low = 0, .high = 20};
  for (size_t i = domains.size() - arrays; i < domains.size(); ++i)
    domains[i] = {.kind = InputDomain::Kind::kPositive};
  return domains;
}

}  // namespace

OpDef MakeAdam() {
  return {.domain = "ai.onnx.preview.training",
          .name = "Adam",
          .infer = InferAdam,
          .reference = AdamReference,
          .domain_of = AdamDomain,
          .examples = AdamExamples};
}

}  // namespace metadist::ops
