// SPDX-License-Identifier: Apache-2.0
// -weight[target] x[target] of log-probabilities x; `reduction`: of each target, their sum, or
// their mean by weight.
#include "metair/ops/nll.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> Infer(const OpCall& call) {
  return std::vector<TensorType>{TRY(InferNll(call))};
}

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  return Nll(call, in[0].data<double>(), in, out[0]);
}

// One element is read for each target.
Work WorkFor(const OpCall& call, std::span<const TensorType> outputs) {
  const int64_t targets = NumElements(call.shape(1));
  return {.flops = 2 * targets,
          .bytes =
              targets * ByteSize(call.type(0).element) + call.type(1).bytes() + outputs[0].bytes()};
}

std::vector<OpExample> Examples() { return NllExamples(1); }

}  // namespace

OpDef MakeNegativeLogLikelihoodLoss() {
  return {.name = "NegativeLogLikelihoodLoss",
          .since_version = 22,
          .url = "https://onnx.ai/onnx/operators/onnx__NegativeLogLikelihoodLoss.html",
          .infer = Infer,
          .reference = Reference,
          .work = WorkFor,
          .domain_of = NllDomain,
          .examples = Examples};
}

}  // namespace metadist::ops
