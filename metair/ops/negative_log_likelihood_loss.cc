// SPDX-License-Identifier: Apache-2.0
// -weight[target] x[target] of log-probabilities x; `reduction`: for each target, their sum, or
// their weighted mean.
#include "metair/ops/negative_log_likelihood_loss.h"

#include "metair/ops/nll.h"
#include "metair/ops/ops.h"
#include "metair/ops/range.h"
#include "metair/ops/reduce_mean.h"

namespace metadist {
namespace {

// Sums over the classes with everything but the target's class set to 0: one element for each
// target.
ValueId Picked(Composer& compose, ValueId hit, ValueId values) {
  const ValueId chosen = compose.Add("Where", {hit, values, compose.Number(0, values)});
  return compose.Fold("ReduceSum", chosen, {1}, /*keep=*/false);
}

// The weight of each target; kNone if all are 1. ignored: whether a target is; kNone if none are.
ValueId Weights(
    Composer& compose, const OpCall& call, ValueId scores, ValueId hit, ValueId ignored) {
  if (call.has(2)) {
    ValueId of_class = compose.As(compose.type(scores).element, compose.Operand(2));
    if (call.rank(0) > 2)
      of_class = compose.With("Unsqueeze", of_class, AxesBetween(1, call.rank(0) - 1));
    return Picked(compose, hit, of_class);
  }
  if (ignored == kNone) return kNone;
  return compose.Add("Where", {ignored, compose.Number(0, scores), compose.Number(1, scores)});
}

}  // namespace

ValueId ComposeNll(Composer& compose, const OpCall& call, ValueId scores) {
  const std::string reduction = call.attributes->String("reduction", "mean");
  const int64_t rank = call.rank(0);
  ValueId targets = compose.As(ElementType::kI64, compose.Operand(1));
  ValueId ignored = kNone;
  if (call.attributes->has("ignore_index")) {
    const ValueId index = compose.Integer(call.attributes->Int("ignore_index", 0));
    ignored = compose.Add("Equal", {targets, index});
    targets = compose.Add("Where", {ignored, compose.Integer(-1), targets});  // hits no class
  }
  ValueId classes = ComposePositions(compose, 0, call.shape(0)[1]);
  if (rank > 2) classes = compose.With("Unsqueeze", classes, AxesBetween(1, rank - 1));
  const ValueId hit = compose.Add("Equal", {compose.With("Unsqueeze", targets, {1}), classes});
  ValueId loss = compose.Add("Neg", {Picked(compose, hit, scores)});
  const ValueId weights =
      call.has(2) || reduction == "mean" ? Weights(compose, call, scores, hit, ignored) : kNone;
  if (call.has(2)) loss = compose.Add("Mul", {loss, weights});
  if (reduction == "none") return loss;
  const std::vector<int64_t> all = AxesBetween(0, rank - 1);
  if (reduction == "mean" && weights == kNone)
    return ComposeMean(compose, loss, all, /*keep=*/false);
  loss = compose.Fold("ReduceSum", loss, all, /*keep=*/false);
  if (reduction == "sum") return loss;
  return compose.Add("Div", {loss, compose.Fold("ReduceSum", weights, all, /*keep=*/false)});
}

}  // namespace metadist

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferNegativeLogLikelihoodLoss(const OpCall& call) {
  return std::vector<TensorType>{TRY(InferNll(call))};
}

Result<void> NegativeLogLikelihoodLossReference(const OpCall& call,
                                                std::span<const Tensor> in,
                                                std::span<Tensor> out) {
  return Nll(call, in[0].data<double>(), in, out[0]);
}

// One element is read for each target.
Work WorkForNegativeLogLikelihoodLoss(const OpCall& call, std::span<const TensorType> outputs) {
  const int64_t targets = NumElements(call.shape(1));
  return {.flops = 2 * targets,
          .bytes =
              targets * ByteSize(call.type(0).element) + call.type(1).bytes() + outputs[0].bytes()};
}

std::vector<OpExample> NegativeLogLikelihoodLossExamples() { return NllExamples(1); }

Result<Graph> DecomposeNegativeLogLikelihoodLoss(const OpCall& call) {
  Composer compose(call);
  return compose.Done({ComposeNll(compose, call, compose.Operand(0))});
}

}  // namespace

OpDef MakeNegativeLogLikelihoodLoss() {
  return {.name = "NegativeLogLikelihoodLoss",
          .since_version = 22,
          .infer = InferNegativeLogLikelihoodLoss,
          .reference = NegativeLogLikelihoodLossReference,
          .decompose = DecomposeNegativeLogLikelihoodLoss,
          .work = WorkForNegativeLogLikelihoodLoss,
          .domain_of = NllDomain,
          .examples = NegativeLogLikelihoodLossExamples,
          .untrained = 0b100};
}

}  // namespace metadist::ops
