// SPDX-License-Identifier: Apache-2.0
// y[..., i, ...] = x[..., indices[..., i, ...], ...]: each element of indices selects along `axis`.
#include "metair/ops/broadcast.h"
#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/index.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferGatherElements(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(2)
          .Integers(1)
          .RankAtLeast(0, 1)
          .That(call.inputs.size() < 2 || call.rank(0) == call.rank(1),
                "both inputs must have the same number of dims")
          .Done());
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", 0), call.rank(0)));
  for (int64_t d = 0; d < call.rank(0); ++d) {
    const size_t at = static_cast<size_t>(d);
    if (d != axis && call.shape(1)[at] > call.shape(0)[at])
      return BadCall("indices {} must not exceed {} except along axis {}",
                     ShapeText(call.shape(1)),
                     ShapeText(call.shape(0)),
                     axis);
  }
  return std::vector<TensorType>{{call.type(0).element, call.shape(1)}};
}

template <typename T>
Result<void> Pick(const Tensor& x, const Tensor& indices, size_t axis, Tensor& y) {
  const T* from = x.data<T>();
  const int64_t* index = indices.data<int64_t>();
  T* to = y.mutable_data<T>();
  std::vector<int64_t> strides = Strides(x.shape());
  const int64_t step = strides[axis];
  strides[axis] = 0;
  Result<void> done;
  ForEachIndex(indices.shape(), {strides}, [&](int64_t i, const auto& at) {
    const Result<int64_t> place = NormalizeIndex(index[i], x.shape()[axis]);
    if (place.ok())
      to[i] = from[at[0] + place.value() * step];
    else if (done.ok())
      done = place.error();
  });
  return done;
}

Result<void> GatherElementsReference(const OpCall& call,
                                     std::span<const Tensor> in,
                                     std::span<Tensor> out) {
  const size_t axis =
      static_cast<size_t>(TRY(NormalizeAxis(call.attributes->Int("axis", 0), in[0].rank())));
  return VisitComputeType(out[0].element(), [&](auto zero) {
    return Pick<decltype(zero)>(in[0], in[1], axis, out[0]);
  });
}

Work WorkForGatherElements(const OpCall& call, std::span<const TensorType> outputs) {
  return {.flops = 0, .bytes = 2 * outputs[0].bytes() + call.type(1).bytes()};
}

std::vector<InputDomain> GatherElementsDomain(const OpCall& call) {
  const int64_t axis = call.attributes->Int("axis", 0);
  const int dim = static_cast<int>(axis < 0 ? axis + call.rank(0) : axis);
  return {{}, {.kind = InputDomain::Kind::kIndex, .bounds = {{0, dim}}, .negative_ok = true}};
}

std::vector<OpExample> GatherElementsExamples() {
  return {{.inputs = {F32({4, 6}), I64({3, 6})}},
          {.inputs = {F32({4, 6}), I64({4, 6})}, .attributes = {{"axis", 1}}},
          {.inputs = {F32({2, 3, 5}), I64({2, 3, 4})}, .attributes = {{"axis", -1}}}};
}

Result<void> GatherElementsGradient(GradientCall& g) {
  const Term zeros = g.dy().Zeros(g.call().shape(0));
  const Attributes adding{{"axis", g.attributes().Int("axis", 0)}, {"reduction", "add"}};
  g.Give(0, zeros.Apply("ScatterElements", {g.x(1), g.dy()}, adding));
  return {};
}

}  // namespace

OpDef MakeGatherElements() {
  return {.name = "GatherElements",
          .since_version = 13,
          .infer = InferGatherElements,
          .reference = GatherElementsReference,
          .gradient = GatherElementsGradient,
          .work = WorkForGatherElements,
          .domain_of = GatherElementsDomain,
          .examples = GatherElementsExamples};
}

}  // namespace metadist::ops
