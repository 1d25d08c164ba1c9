// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/nll.h"

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"

namespace metadist {

Result<TensorType> InferNll(const OpCall& call) {
  const std::string reduction = call.attributes->String("reduction", "mean");
  CallCheck check(call);
  TRY(check.Inputs(2, 3)
          .Floats(0)
          .RankAtLeast(0, 2)
          .Integers(1)
          .SameElement(0, 2)
          .That(reduction == "none" || reduction == "sum" || reduction == "mean",
                "reduction must be none, sum or mean, got {}",
                reduction)
          .Done());
  Shape targets = call.shape(0);
  targets.erase(targets.begin() + 1);
  check.That(call.shape(1) == targets,
             "input 1 must be {}, got {}",
             ShapeText(targets),
             ShapeText(call.shape(1)));
  const Shape classes{call.shape(0)[1]};
  check.That(!call.has(2) || call.shape(2) == classes, "input 2 must be {}", ShapeText(classes));
  TRY(check.Done());
  return TensorType{call.type(0).element, reduction == "none" ? targets : Shape{}};
}

Result<void> Nll(const OpCall& call,
                 const double* scores,
                 std::span<const Tensor> in,
                 Tensor& loss) {
  const std::string reduction = call.attributes->String("reduction", "mean");
  const bool ignores = call.attributes->has("ignore_index");
  const int64_t ignored = call.attributes->Int("ignore_index", 0);
  const int64_t classes = in[0].dim(1);
  const int64_t batch = in[0].dim(0);
  const int64_t inner = batch == 0 ? 0 : in[1].size() / batch;
  const int64_t* target = in[1].data<int64_t>();
  double* y = loss.mutable_data<double>();
  double sum = 0;
  double weights = 0;
  for (int64_t i = 0; i < in[1].size(); ++i) {
    if (ignores && target[i] == ignored) continue;
    if (target[i] < 0 || target[i] >= classes)
      return BadCall("target must be in [0, {}], got {}", classes - 1, target[i]);
    const double weight = call.has(2) ? in[2].data<double>()[target[i]] : 1;
    const double one = -weight * scores[(i / inner * classes + target[i]) * inner + i % inner];
    if (reduction == "none") y[i] = one;
    sum += one;
    weights += weight;
  }
  if (reduction != "none") y[0] = reduction == "mean" ? sum / weights : sum;
  return {};
}

std::vector<InputDomain> NllDomain(const OpCall& call) {
  std::vector<InputDomain> domains(call.inputs.size());
  domains[1] = {.kind = InputDomain::Kind::kIndex, .bounds = {{0, 1}}};
  if (domains.size() > 2) domains[2].kind = InputDomain::Kind::kPositive;
  return domains;
}

std::vector<OpExample> NllExamples(int outputs) {
  std::vector<OpExample> examples{
      {.inputs = {F32({6, 5}), I64({6})}},
      {.inputs = {F32({6, 5}), I64({6}), F32({5})}, .attributes = {{"reduction", "sum"}}},
      {.inputs = {F32({3, 5, 2, 4}), I64({3, 2, 4}), F32({5})},
       .attributes = {{"reduction", "none"}}},
      {.inputs = {F32({3, 5, 4}), I64({3, 4}), F32({5})}, .attributes = {{"ignore_index", 1}}}};
  for (OpExample& example : examples) example.num_outputs = outputs;
  return examples;
}

}  // namespace metadist
