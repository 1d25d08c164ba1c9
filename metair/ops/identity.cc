// SPDX-License-Identifier: Apache-2.0
// y = x.
#include "metair/ops/call_check.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferIdentity(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Done());
  return std::vector<TensorType>{call.type(0)};
}

Result<void> IdentityReference(const OpCall& call,
                               std::span<const Tensor> in,
                               std::span<Tensor> out) {
  CopyBytes(in[0], out[0]);
  return {};
}

Result<void> IdentityGradient(GradientCall& g) {
  g.Give(0, g.dy());
  return {};
}

}  // namespace

OpDef MakeIdentity() {
  return {.name = "Identity",
          .since_version = 25,
          .infer = InferIdentity,
          .reference = IdentityReference,
          .gradient = IdentityGradient,
          .work = NoWork,
          .examples = UnaryExamples,
          .view = true};
}

}  // namespace metadist::ops
