// SPDX-License-Identifier: Apache-2.0
// The transpose of Gather: along `axis` of an array with `size` elements there, initially 0, the
// slices of x are added at indices in [-size, size). Others are ignored.
#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

struct GatheredShape {
  Shape outer;
  Shape inner;
  int64_t size = 0;
};

Result<GatheredShape> GatheredShapeOf(const OpCall& call) {
  const int64_t rank = call.rank(0) - call.rank(1) + 1;
  const Shape& x = call.shape(0);
  const Shape& indices = call.shape(1);
  GatheredShape out;
  out.size = call.attributes->Int("size", -1);
  CallCheck check(call);
  check.That(out.size >= 0, "size must be at least 0, got {}", out.size);
  check.That(rank >= 1, "indices {} have more dims than x {}", ShapeText(indices), ShapeText(x));
  TRY(check.Done());
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", 0), rank));
  out.outer.assign(x.begin(), x.begin() + axis);
  out.inner.assign(x.begin() + axis + call.rank(1), x.end());
  if (!std::equal(indices.begin(), indices.end(), x.begin() + axis))
    return BadCall("x {} must have the dims of the indices {} from axis {} on",
                   ShapeText(x),
                   ShapeText(indices),
                   axis);
  return out;
}

Result<std::vector<TensorType>> InferGatherGradient(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Floats(0).Integers(1).Done());
  const GatheredShape gathered = TRY(GatheredShapeOf(call));
  Shape shape = gathered.outer;
  shape.push_back(gathered.size);
  shape.insert(shape.end(), gathered.inner.begin(), gathered.inner.end());
  TRY(CheckedElements(shape, call.type(0).element));
  return std::vector<TensorType>{{call.type(0).element, shape}};
}

Result<void> GatherGradientReference(const OpCall& call,
                                     std::span<const Tensor> in,
                                     std::span<Tensor> out) {
  const GatheredShape gathered = TRY(GatheredShapeOf(call));
  const int64_t outer = NumElements(gathered.outer);
  const int64_t inner = NumElements(gathered.inner);
  const int64_t size = gathered.size;
  const double* from = in[0].data<double>();
  double* to = out[0].mutable_data<double>();
  const int64_t* index = in[1].data<int64_t>();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < in[1].size(); ++i, from += inner) {
      const int64_t at = index[i] < 0 ? index[i] + size : index[i];
      if (at < 0 || at >= size) continue;
      for (int64_t e = 0; e < inner; ++e) to[(o * size + at) * inner + e] += from[e];
    }
  return {};
}

Work WorkForGatherGradient(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, NumElements(call.shape(0)));
}

std::vector<InputDomain> GatherGradientDomain(const OpCall& call) {
  const auto size = static_cast<double>(call.attributes->Int("size", 1));
  return {{}, {.kind = InputDomain::Kind::kRange, .low = -size, .high = size - 1}};
}

std::vector<OpExample> GatherGradientExamples() {
  return {{.inputs = {F32({2, 3, 4}), I64({2, 3})}, .attributes = {{"size", 9}}},
          {.inputs = {F32({4, 6}), I64({6})}, .attributes = {{"axis", 1}, {"size", 5}}},
          {.inputs = {F32({4, 6}), I64({})}, .attributes = {{"axis", -1}, {"size", 3}}}};
}

}  // namespace

OpDef MakeGatherGradient() {
  return {.domain = "metadist",
          .name = "GatherGradient",
          .infer = InferGatherGradient,
          .reference = GatherGradientReference,
          .work = WorkForGatherGradient,
          .domain_of = GatherGradientDomain,
          .examples = GatherGradientExamples};
}

}  // namespace metadist::ops
