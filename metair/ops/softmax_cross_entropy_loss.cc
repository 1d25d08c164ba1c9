// SPDX-License-Identifier: Apache-2.0
// -weight[label] log_prob[label], where log_prob (output 1) is the log softmax of scores along dim
// 1; `reduction`: for each label, their sum, or their weighted mean.
#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/gradient.h"
#include "metair/ops/lines.h"
#include "metair/ops/log_softmax.h"
#include "metair/ops/negative_log_likelihood_loss.h"
#include "metair/ops/nll.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferSoftmaxCrossEntropyLoss(const OpCall& call) {
  const TensorType loss = TRY(InferNll(call));
  if (call.num_outputs > 2) return BadCall("expected 1 to 2 outputs, got {}", call.num_outputs);
  if (call.num_outputs < 2) return std::vector<TensorType>{loss};
  return std::vector<TensorType>{loss, call.type(0)};
}

Result<void> SoftmaxCrossEntropyLossReference(const OpCall& call,
                                              std::span<const Tensor> in,
                                              std::span<Tensor> out) {
  Tensor log_prob = Tensor::Zeros(in[0].type());
  LogSoftmaxLines(in[0], 1, log_prob);
  TRY(Nll(call, log_prob.data<double>(), in, out[0]));
  if (out.size() > 1)
    std::copy_n(log_prob.data<double>(), log_prob.size(), out[1].mutable_data<double>());
  return {};
}

Work WorkForSoftmaxCrossEntropyLoss(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 5 * NumElements(call.shape(0)) + 2 * NumElements(call.shape(1)));
}

std::vector<OpExample> SoftmaxCrossEntropyLossExamples() {
  std::vector<OpExample> examples = NllExamples(2);
  examples[0].num_outputs = 1;
  return examples;
}

Result<Graph> DecomposeSoftmaxCrossEntropyLoss(const OpCall& call) {
  Composer compose(call);
  const ValueId log_prob = ComposeLogSoftmax(compose, compose.Operand(0), 1);
  return compose.Done({ComposeNll(compose, call, log_prob), log_prob});
}

Result<void> SoftmaxCrossEntropyLossGradient(GradientCall& g) {
  Composer compose(g.call());
  const ValueId log_prob = compose.Add("LogSoftmax", {compose.Operand(0)}, {{"axis", 1}});
  return g.Through(TRY(compose.Done({ComposeNll(compose, g.call(), log_prob), log_prob})));
}

}  // namespace

OpDef MakeSoftmaxCrossEntropyLoss() {
  return {.name = "SoftmaxCrossEntropyLoss",
          .since_version = 13,
          .infer = InferSoftmaxCrossEntropyLoss,
          .reference = SoftmaxCrossEntropyLossReference,
          .decompose = DecomposeSoftmaxCrossEntropyLoss,
          .gradient = SoftmaxCrossEntropyLossGradient,
          .work = WorkForSoftmaxCrossEntropyLoss,
          .domain_of = NllDomain,
          .examples = SoftmaxCrossEntropyLossExamples,
          .untrained = 0b100};
}

}  // namespace metadist::ops
