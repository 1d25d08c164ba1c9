// SPDX-License-Identifier: Apache-2.0
// ONNX's Momentum, for n arrays: inputs R (learning rate), T (steps so far), X1..Xn, their
// gradients G1..Gn and momenta V1..Vn; outputs X1'..Xn', V1'..Vn'. Source: ONNX operator
// specification, ai.onnx.preview.training Momentum-1.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/optimizer_arrays.h"

namespace metadist::ops {
namespace {

constexpr size_t kMomentumStates = 1;

Result<std::vector<TensorType>> InferMomentum(const OpCall& call) {
  const std::string mode = call.attributes->String("mode", "standard");
  if (mode != "standard" && mode != "nesterov")
    return BadCall("mode must be standard or nesterov, got {}", mode);
  return InferOptimizer(call, kMomentumStates);
}

Result<void> MomentumReference(const OpCall& call,
                               std::span<const Tensor> in,
                               std::span<Tensor> out) {
  const double alpha = call.attributes->Float("alpha", 0);
  const double decay = call.attributes->Float("norm_coefficient", 0);
  const bool nesterov = call.attributes->String("mode", "standard") == "nesterov";
  const double rate = in[0].data<double>()[0];
  const bool first = in[1].data<int64_t>()[0] == 0;
  const double beta = first ? 1 : call.attributes->Float("beta", 0);
  ForEachOptimized(
      in, out, kMomentumStates, [&](const double* x, const double* g, auto&& state, auto&& to) {
        const double slope = decay * *x + *g;
        const double momentum = alpha * *state[0] + beta * slope;
        *to[0] = *x - rate * (nesterov ? slope + alpha * momentum : momentum);
        *to[1] = momentum;
      });
  return {};
}

std::vector<InputDomain> MomentumDomain(const OpCall& call) {
  std::vector<InputDomain> domains(call.inputs.size());
  domains[1] = {.kind = InputDomain::Kind::kRange, .low = 0, .high = 3};
  return domains;
}

std::vector<OpExample> MomentumExamples() {
  const auto attributes = [](const char* mode) {
    return Attributes{{"norm_coefficient", 0.25}, {"alpha", 0.5}, {"beta", 0.75}, {"mode", mode}};
  };
  const std::vector<OpExample::Input> inputs{
      F32({}), I64({}), F32({4, 6}), F32({4, 6}), F32({4, 6})};
  return {{.inputs = inputs, .attributes = attributes("standard"), .num_outputs = 2},
          {.inputs = inputs, .attributes = attributes("nesterov"), .num_outputs = 2}};
}

}  // namespace

OpDef MakeMomentum() {
  return {.domain = "ai.onnx.preview.training",
          .name = "Momentum",
          .infer = InferMomentum,
          .reference = MomentumReference,
          .domain_of = MomentumDomain,
          .examples = MomentumExamples};
}

}  // namespace metadist::ops
