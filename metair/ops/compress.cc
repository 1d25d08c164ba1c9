// SPDX-License-Identifier: Apache-2.0
// The slices of x along `axis` (without it: the elements of x, flattened) for which the condition
// is true. Their number depends on the condition's elements.
#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/mapped_copy.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

// The dim that is compressed, of Seen(x).
Result<int64_t> AxisOfCompress(const OpCall& call) {
  if (!call.attributes->has("axis")) return 0;
  return NormalizeAxis(call.attributes->Int("axis", 0), call.rank(0));
}

Shape Seen(const OpCall& call) {
  if (call.attributes->has("axis")) return call.shape(0);
  return {NumElements(call.shape(0))};
}

Result<std::vector<TensorType>> InferCompress(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).RankAtLeast(0, 1).Bools(1).Rank(1, 1, 1).Done());
  const size_t axis = static_cast<size_t>(TRY(AxisOfCompress(call)));
  Shape shape = Seen(call);
  if (call.shape(1)[0] > shape[axis])
    return BadCall(
        "the condition must have at most {} elements, got {}", shape[axis], call.shape(1)[0]);
  const Tensor* condition = call.inputs[1].constant;
  shape[axis] = kRunTimeSize;
  if (condition != nullptr && condition->has_data()) {
    const std::vector<int64_t> wanted = condition->ToInts();
    shape[axis] = std::count(wanted.begin(), wanted.end(), 1);
  }
  return std::vector<TensorType>{{call.type(0).element, shape}};
}

Result<void> CompressReference(const OpCall& call,
                               std::span<const Tensor> in,
                               std::span<Tensor> out) {
  const size_t axis = static_cast<size_t>(TRY(AxisOfCompress(call)));
  Shape shape = Seen(call);
  std::vector<std::vector<int64_t>> maps(shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    for (int64_t i = 0; i < shape[d]; ++i)
      if (d != axis || (i < in[1].size() && in[1].data<bool>()[i])) maps[d].push_back(i);
  const Tensor x = in[0].Reshaped(shape);
  shape[axis] = static_cast<int64_t>(maps[axis].size());
  if (!out[0].has_data()) out[0] = Tensor::Zeros({out[0].element(), shape});
  CopyMapped(x, maps, out[0]);
  return {};
}

std::vector<OpExample> CompressExamples() {
  const OpExample::Input condition{.type = {ElementType::kBool, {3}}, .constant = {0, 1, 1}};
  return {{.inputs = {F32({3, 4}), condition}, .attributes = {{"axis", 0}}},
          {.inputs = {F32({2, 3}), condition}}};
}

Result<void> CompressGradient(GradientCall& g) {
  const std::vector<int64_t> chosen = TRY(g.call().Ints(1));
  const bool flat = !g.attributes().has("axis");
  const Shape& shape = g.call().shape(0);
  const int64_t axis =
      flat ? 0 : TRY(NormalizeAxis(g.attributes().Int("axis", 0), g.call().rank(0)));
  const int64_t size = flat ? NumElements(shape) : shape[static_cast<size_t>(axis)];
  std::vector<int64_t> places;
  for (size_t i = 0; i < chosen.size(); ++i)
    if (chosen[i] != 0) places.push_back(static_cast<int64_t>(i));
  const Term dx = g.dy().Apply("metadist.GatherGradient",
                               {Term(g.b(), g.b().Integers(places))},
                               {{"axis", axis}, {"size", size}});
  g.Give(0, dx.Reshaped(shape));
  return {};
}

}  // namespace

OpDef MakeCompress() {
  return {.name = "Compress",
          .since_version = 11,
          .infer = InferCompress,
          .reference = CompressReference,
          .gradient = CompressGradient,
          .examples = CompressExamples};
}

}  // namespace metadist::ops
