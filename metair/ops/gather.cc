// SPDX-License-Identifier: Apache-2.0
// Slices of data along `axis`, selected by indices in [-size, size).
#include <cstring>

#include "metair/ops/call_check.h"
#include "metair/ops/gradient.h"
#include "metair/ops/index.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferGather(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).RankAtLeast(0, 1).Integers(1).Done());
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", 0), call.rank(0)));
  const Shape& data = call.shape(0);
  Shape shape(data.begin(), data.begin() + axis);
  shape.insert(shape.end(), call.shape(1).begin(), call.shape(1).end());
  shape.insert(shape.end(), data.begin() + axis + 1, data.end());
  return std::vector<TensorType>{{call.type(0).element, shape}};
}

Result<void> GatherReference(const OpCall& call,
                             std::span<const Tensor> in,
                             std::span<Tensor> out) {
  const Tensor& data = in[0];
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", 0), data.rank()));
  const int64_t size = data.dim(axis);
  int64_t outer = 1;
  int64_t inner = ByteSize(data.element());
  for (int64_t d = 0; d < axis; ++d) outer *= data.dim(d);
  for (int64_t d = axis + 1; d < data.rank(); ++d) inner *= data.dim(d);
  std::byte* to = out[0].mutable_bytes();
  const int64_t* index = in[1].data<int64_t>();
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < in[1].size(); ++i, to += inner) {
      const int64_t at = TRY(NormalizeIndex(index[i], size));
      std::memcpy(to, data.bytes() + (o * size + at) * inner, static_cast<size_t>(inner));
    }
  }
  return {};
}

Work WorkForGather(const OpCall& call, std::span<const TensorType> outputs) {
  return {.flops = 0, .bytes = 2 * outputs[0].bytes() + call.type(1).bytes()};
}

std::vector<InputDomain> GatherDomain(const OpCall& call) {
  const int64_t axis = call.attributes->Int("axis", 0);
  const int dim = static_cast<int>(axis < 0 ? axis + call.rank(0) : axis);
  return {{}, {.kind = InputDomain::Kind::kIndex, .bounds = {{0, dim}}, .negative_ok = true}};
}

std::vector<OpExample> GatherExamples() {
  return {{.inputs = {{{ElementType::kF32, {9, 4}}}, {{ElementType::kI64, {2, 3}}}}},
          {.inputs = {{{ElementType::kF32, {4, 9}}}, {{ElementType::kI64, {6}}}},
           .attributes = {{"axis", 1}}}};
}

Result<void> GatherGradient(GradientCall& g) {
  const int64_t axis = TRY(NormalizeAxis(g.attributes().Int("axis", 0), g.call().rank(0)));
  g.Give(0,
         g.dy().Apply("metadist.GatherGradient",
                      {g.x(1)},
                      {{"axis", axis}, {"size", g.call().shape(0)[static_cast<size_t>(axis)]}}));
  return {};
}

}  // namespace

OpDef MakeGather() {
  return {.name = "Gather",
          .since_version = 13,
          .infer = InferGather,
          .reference = GatherReference,
          .gradient = GatherGradient,
          .work = WorkForGather,
          .domain_of = GatherDomain,
          .examples = GatherExamples};
}

}  // namespace metadist::ops
