// SPDX-License-Identifier: Apache-2.0
// A copy of a cache, x, with update[b] written from write_indices[b] (default 0) on along `axis`,
// for each b of dim 0; writing past the end is an error (mode linear) or wraps around (circular).
#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/range.h"
#include "metair/ops/strided_copy.h"

namespace metadist::ops {
namespace {

Result<int64_t> AxisOfTensorScatter(const OpCall& call) {
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", -2), call.rank(0)));
  if (axis == 0) return BadCall("axis must not be the batch dim");
  return axis;
}

Result<std::vector<TensorType>> InferTensorScatter(const OpCall& call) {
  const std::string mode = call.attributes->String("mode", "linear");
  TRY(CallCheck(call)
          .Inputs(2, 3)
          .SameElement(0, 1)
          .RankAtLeast(0, 2)
          .Integers(2)
          .Rank(2, 1, 1)
          .That(mode == "linear" || mode == "circular",
                "mode must be linear or circular, got {}",
                mode)
          .Done());
  const size_t axis = static_cast<size_t>(TRY(AxisOfTensorScatter(call)));
  Shape written = call.shape(0);
  if (call.rank(0) == call.rank(1)) written[axis] = std::min(written[axis], call.shape(1)[axis]);
  if (written != call.shape(1))
    return BadCall(
        "update must not exceed {} and have its sizes except along axis "
        "{}, got {}",
        ShapeText(call.shape(0)),
        axis,
        ShapeText(call.shape(1)));
  if (call.has(2) && call.shape(2)[0] != call.shape(0)[0])
    return BadCall(
        "{} write indices are needed, got {}", call.shape(0)[0], ShapeText(call.shape(2)));
  return std::vector<TensorType>{call.type(0)};
}

Result<void> TensorScatterReference(const OpCall& call,
                                    std::span<const Tensor> in,
                                    std::span<Tensor> out) {
  const int64_t axis = TRY(AxisOfTensorScatter(call));
  const bool circular = call.attributes->String("mode", "linear") == "circular";
  const int64_t size = in[0].dim(axis);
  const int64_t count = in[1].dim(axis);
  const std::vector<int64_t> from_strides = Strides(in[1].shape());
  const std::vector<int64_t> to_strides = Strides(in[0].shape());
  Shape slice = in[1].shape();  // one batch, one position along the axis
  slice[0] = slice[static_cast<size_t>(axis)] = 1;
  CopyBytes(in[0], out[0]);
  for (int64_t b = 0; b < in[0].dim(0); ++b) {
    const int64_t first = call.has(2) ? in[2].data<int64_t>()[b] : 0;
    if (first < 0 || (circular ? first >= size && count > 0 : first > size - count))
      return BadCall("{} places from {} on do not fit {}", count, first, size);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t place = (first + i) % size;
      CopyStrided(slice,
                  in[1],
                  {b * from_strides[0] + i * from_strides[static_cast<size_t>(axis)], from_strides},
                  out[0],
                  {b * to_strides[0] + place * to_strides[static_cast<size_t>(axis)], to_strides});
    }
  }
  return {};
}

Work WorkForTensorScatter(const OpCall& call, std::span<const TensorType> outputs) {
  return {.flops = 0, .bytes = 2 * outputs[0].bytes() + call.type(1).bytes()};
}

std::vector<InputDomain> TensorScatterDomain(const OpCall& call) {
  const auto axis = AxisOfTensorScatter(call);
  if (!axis.ok() || call.inputs.size() < 3) return {};
  const size_t dim = static_cast<size_t>(axis.value());
  const bool circular = call.attributes->String("mode", "linear") == "circular";
  const int64_t highest = call.shape(0)[dim] - (circular ? 1 : call.shape(1)[dim]);
  return {
      {}, {}, {.kind = InputDomain::Kind::kRange, .low = 0, .high = static_cast<double>(highest)}};
}

std::vector<OpExample> TensorScatterExamples() {
  return {{.inputs = {F32({2, 3, 6, 5}), F32({2, 3, 2, 5}), I64({2})}},
          {.inputs = {F32({3, 6, 4}), F32({3, 2, 4}), I64({3})},
           .attributes = {{"axis", 1}, {"mode", "circular"}}},
          {.inputs = {F32({3, 6, 4}), F32({3, 2, 4})}}};
}

Result<void> TensorScatterGradient(GradientCall& g) {
  // Positions along the axis: where the update is written.
  const int64_t axis = TRY(AxisOfTensorScatter(g.call()));
  const Shape& update = g.call().shape(1);
  const auto rank = static_cast<int64_t>(update.size());
  const int64_t count = update[static_cast<size_t>(axis)];
  const int64_t size = g.call().shape(0)[static_cast<size_t>(axis)];
  std::vector<int64_t> later;
  for (int64_t d = 1; d < rank - axis; ++d) later.push_back(d);
  Term places = Term(g.b(), ComposePositions(g.b(), 0, count)).Unsqueezed(later);
  if (g.has(2)) {
    std::vector<int64_t> all;
    for (int64_t d = 1; d < rank; ++d) all.push_back(d);
    places = places + g.x(2).As(ElementType::kI64).Unsqueezed(all);
  }
  places = places.Apply("Mod", {places.Number(static_cast<double>(size))}).Expanded(update);
  std::vector<ValueId> inputs{g.dy().value(), g.dy().Zeros(update).value()};
  if (g.has(2)) inputs.push_back(g.x(2).value());
  g.Give(0, {g.b(), g.b().Add("TensorScatter", inputs, g.attributes())});
  g.Give(1, g.dy().Apply("GatherElements", {places}, {{"axis", axis}}));
  return {};
}

}  // namespace

OpDef MakeTensorScatter() {
  return {.name = "TensorScatter",
          .since_version = 24,
          .infer = InferTensorScatter,
          .reference = TensorScatterReference,
          .gradient = TensorScatterGradient,
          .work = WorkForTensorScatter,
          .domain_of = TensorScatterDomain,
          .examples = TensorScatterExamples,
          .untrained = 0b1};
}

}  // namespace metadist::ops
