// SPDX-License-Identifier: Apache-2.0
// A copy of x with updates written (or added, ...) at [..., indices[..., i, ...], ...] along
// `axis`; of several updates of one element the last is kept.
#include "metair/ops/broadcast.h"
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/index.h"
#include "metair/ops/ops.h"
#include "metair/ops/scatter.h"
#include "metair/ops/strided_copy.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferScatterElements(const OpCall& call) {
  TRY(CallCheck(call).Inputs(3).RankAtLeast(0, 1).Integers(1).SameElement(0, 2).Done());
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", 0), call.rank(0)));
  CallCheck check(call);
  check.That(call.shape(1) == call.shape(2),
             "indices and updates must have one shape, got {} and {}",
             ShapeText(call.shape(1)),
             ShapeText(call.shape(2)));
  bool fits = call.rank(0) == call.rank(1);
  for (int64_t d = 0; fits && d < call.rank(0); ++d)
    fits =
        d == axis || call.shape(1)[static_cast<size_t>(d)] <= call.shape(0)[static_cast<size_t>(d)];
  check.That(fits,
             "indices {} must not exceed {} except along axis {}",
             ShapeText(call.shape(1)),
             ShapeText(call.shape(0)),
             axis);
  TRY(check.Done());
  TRY(CheckScatterReduction(call));
  return std::vector<TensorType>{call.type(0)};
}

Result<void> ScatterElementsReference(const OpCall& call,
                                      std::span<const Tensor> in,
                                      std::span<Tensor> out) {
  const size_t axis =
      static_cast<size_t>(TRY(NormalizeAxis(call.attributes->Int("axis", 0), in[0].rank())));
  const std::string reduction = call.attributes->String("reduction", "none");
  const int64_t* index = in[1].data<int64_t>();
  std::vector<int64_t> strides = Strides(in[0].shape());
  const int64_t step = strides[axis];
  strides[axis] = 0;
  CopyBytes(in[0], out[0]);
  Result<void> done;
  ForEachIndex(in[1].shape(), {strides}, [&](int64_t i, const auto& at) {
    const Result<int64_t> place = NormalizeIndex(index[i], in[0].shape()[axis]);
    if (place.ok())
      ScatterInto(reduction, in[2], i, 1, out[0], at[0] + place.value() * step);
    else if (done.ok())
      done = place.error();
  });
  return done;
}

Work WorkForScatterElements(const OpCall& call, std::span<const TensorType> outputs) {
  const int64_t flops =
      call.attributes->String("reduction", "none") == "none" ? 0 : NumElements(call.shape(2));
  return FlopsWork(call, outputs, flops);
}

std::vector<InputDomain> ScatterElementsDomain(const OpCall& call) {
  const int64_t axis = call.attributes->Int("axis", 0);
  const int dim = static_cast<int>(axis < 0 ? axis + call.rank(0) : axis);
  return {{}, {.kind = InputDomain::Kind::kIndex, .bounds = {{0, dim}}, .negative_ok = true}, {}};
}

std::vector<OpExample> ScatterElementsExamples() {
  return {{.inputs = {F32({4, 6}), I64({3, 6}), F32({3, 6})}, .attributes = {{"reduction", "add"}}},
          {.inputs = {F32({4, 6}), I64({4, 1}), F32({4, 1})}, .attributes = {{"axis", 1}}},
          {.inputs = {F32({3, 4, 5}), I64({3, 2, 5}), F32({3, 2, 5})},
           .attributes = {{"axis", 1}, {"reduction", "max"}}}};
}

Result<void> ScatterElementsGradient(GradientCall& g) {
  const Attributes along{{"axis", g.attributes().Int("axis", 0)}};
  GiveScattered(g, [&](const Term& all) { return all.Apply("GatherElements", {g.x(1)}, along); });
  return {};
}

}  // namespace

OpDef MakeScatterElements() {
  return {.name = "ScatterElements",
          .since_version = 18,
          .infer = InferScatterElements,
          .reference = ScatterElementsReference,
          .gradient = ScatterElementsGradient,
          .work = WorkForScatterElements,
          .domain_of = ScatterElementsDomain,
          .examples = ScatterElementsExamples};
}

}  // namespace metadist::ops
