// SPDX-License-Identifier: Apache-2.0
// The results of one of two bodies, `then_branch` or `else_branch`, selected by a condition; both
// must have the same result types, unless the condition is a constant.
#include "metair/ops/body.h"
#include "metair/ops/call_check.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<size_t> BranchNamed(const OpCall& call, const char* name) {
  for (size_t r = 0; call.regions != nullptr && r < call.regions->size(); ++r)
    if ((*call.regions)[r].name == name) return r;
  return BadCall("attribute {} is missing", name);
}

Result<std::vector<TensorType>> IfBodyInputs(const OpCall& call, size_t region) {
  return std::vector<TensorType>();
}

Result<std::vector<TensorType>> InferIf(const OpCall& call) {
  if (call.num_own_inputs() != 1 || !call.has(0) || call.type(0).element != ElementType::kBool ||
      NumElements(call.shape(0)) != 1)
    return BadCall("expected one input, a bool of one element");
  const std::vector<TensorType> one = BodyOutputs(call, TRY(BranchNamed(call, "then_branch")));
  const std::vector<TensorType> other = BodyOutputs(call, TRY(BranchNamed(call, "else_branch")));
  if (one.size() != other.size())
    return BadCall("the branches must have as many outputs as each other, got {} and {}",
                   one.size(),
                   other.size());
  std::vector<Error> problems;
  for (size_t i = 0; i < one.size(); ++i)
    if (one[i] != other[i])
      problems.push_back(
          BadCall("output {} must be of one type whatever the condition, got {} and {}",
                  i,
                  TypeText(one[i]),
                  TypeText(other[i])));
  if (!problems.empty()) return Join(std::move(problems));
  return one;
}

Result<void> IfReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const size_t branch =
      TRY(BranchNamed(call, in[0].data<bool>()[0] ? "then_branch" : "else_branch"));
  const std::vector<Tensor> results = TRY(RunBody(call, branch, {}, in));
  for (size_t i = 0; i < out.size(); ++i) out[i] = results[i];
  return {};
}

}  // namespace

OpDef MakeIf() {
  return {.name = "If",
          .since_version = 25,
          .infer = InferIf,
          .reference = IfReference,
          .body_inputs = IfBodyInputs,
          .examples = NoExamples};
}

}  // namespace metadist::ops
