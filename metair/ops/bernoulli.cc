// SPDX-License-Identifier: Apache-2.0
// y = 1 with probability x, else 0, in the type of attribute dtype (default: that of x).
#include "metair/ops/compute_type.h"
#include "metair/ops/drawing.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferBernoulli(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(1, kKeyInput + 1);
  TRY(check.Done());
  check.Floats(0);
  CheckDrawing(call, 1, call.shape(0).size(), check);
  TRY(check.Done());
  return std::vector<TensorType>{{TRY(DrawnType(call, call.type(0).element)), call.shape(0)}};
}

Result<void> BernoulliReference(const OpCall& call,
                                std::span<const Tensor> in,
                                std::span<Tensor> out) {
  const double* x = in[0].data<double>();
  VisitComputeType(out[0].element(), [&](auto zero) {
    using T = decltype(zero);
    MapRandom(call, in, in[0].shape(), out[0].mutable_data<T>(), [&](int64_t i, uint64_t bits) {
      return static_cast<T>(UniformOf(bits) < x[i] ? 1 : 0);
    });
  });
  return {};
}

std::vector<InputDomain> BernoulliDomain(const OpCall& call) {
  return {{.kind = InputDomain::Kind::kRange, .low = 0, .high = 1}};
}

std::vector<OpExample> BernoulliExamples() {
  return {{.inputs = {F32({4, 6})}, .attributes = {{"seed", 3.0}}},
          {.inputs = {F32({4, 6}), Absent(), Absent(), I64({2})},
           .attributes = {{"start", List{0, 0}}}},
          {.inputs = {F32({2, 3, 4}), Absent(), Absent(), I64({2})},
           .attributes = {{"start", List{0, 0, 0}}, {"dtype", 9}}}};
}

}  // namespace

OpDef MakeBernoulli() {
  return {.name = "Bernoulli",
          .since_version = 22,
          .infer = InferBernoulli,
          .reference = BernoulliReference,
          .domain_of = BernoulliDomain,
          .examples = BernoulliExamples,
          .deterministic = false};
}

}  // namespace metadist::ops
