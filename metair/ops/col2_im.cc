// SPDX-License-Identifier: Apache-2.0
// An image assembled from blocks: x has a column for each position of a sliding block, and
// overlapping columns are added. x: [n, c * block, positions], y: [n, c, image...].
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/window.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

enum Input : size_t { kX, kImage, kBlock };

Result<Window> WindowForCol2Im(const OpCall& call) {
  return BlockWindowOf(*call.attributes, TRY(call.Ints(kImage)), TRY(call.Ints(kBlock)));
}

Result<std::vector<TensorType>> InferCol2Im(const OpCall& call) {
  TRY(CallCheck(call).Inputs(3).Floats(kX).Integers(kImage).Integers(kBlock).Rank(kX, 3, 3).Done());
  const Shape& x = call.shape(kX);
  const Window window = TRY(WindowForCol2Im(call));
  const int64_t block = TRY(CheckedElements(window.kernel, ElementType::kBool));
  const int64_t positions = TRY(CheckedElements(window.output, ElementType::kBool));
  TRY(CallCheck(call)
          .That(x[1] % block == 0, "{} rows do not split in blocks of {}", x[1], block)
          .That(x[2] == positions, "the image has {} blocks, got {}", positions, x[2])
          .Done());
  TensorType type{call.type(kX).element, {x[0], x[1] / block}};
  type.shape.insert(type.shape.end(), window.input.begin(), window.input.end());
  TRY(CheckedElements(type.shape, type.element));
  return std::vector<TensorType>{type};
}

Result<void> Col2ImReference(const OpCall& call,
                             std::span<const Tensor> in,
                             std::span<Tensor> out) {
  const Window window = TRY(WindowForCol2Im(call));
  const std::vector<int64_t> taps = TapsOf(window);
  const int64_t block = NumElements(window.kernel);
  const int64_t positions = NumElements(window.output);
  const int64_t image = NumElements(window.input);
  const double* x = in[kX].data<double>();
  double* y = out[0].mutable_data<double>();
  for (int64_t plane = 0; plane < out[0].dim(0) * out[0].dim(1); ++plane)
    for (int64_t i = 0; i < positions * block; ++i) {
      const int64_t at = taps[static_cast<size_t>(i)];
      if (at >= 0) y[plane * image + at] += x[(plane * block + i % block) * positions + i / block];
    }
  return {};
}

Work WorkForCol2Im(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, NumElements(call.shape(kX)));
}

std::vector<OpExample> Col2ImExamples() {
  return {{.inputs = {F32({2, 12, 9}), Ints({4, 4}), Ints({2, 2})}},
          {.inputs = {F32({1, 6, 10}), Ints({5, 5}), Ints({1, 3})},
           .attributes = {{"pads", List{0, 1, 0, 1}}, {"strides", List{1, 3}}}}};
}

Result<void> Col2ImGradient(GradientCall& g) {
  // Each column of the result holds the elements under a position; those outside are 0.
  const Window window = TRY(WindowForCol2Im(g.call()));
  const Shape& x = g.call().shape(kX);
  const int64_t image = NumElements(window.input);
  const int64_t block = NumElements(window.kernel);
  const std::vector<int64_t> taps = TapsOf(window);
  std::vector<int64_t> places(taps.size());
  for (int64_t i = 0; i < static_cast<int64_t>(taps.size()); ++i) {
    const int64_t at = taps[static_cast<size_t>(i)];
    places[static_cast<size_t>(i % block * x[2] + i / block)] = at < 0 ? image : at;
  }
  const Term flat = g.dy().Reshaped({x[0], x[1] / block, image}).Padded({0, 0, 0}, {0, 0, 1});
  const Term index(g.b(), g.b().Integers(places));
  g.Give(kX, flat.Apply("Gather", {index}, {{"axis", 2}}).Reshaped(x));
  return {};
}

}  // namespace

OpDef MakeCol2Im() {
  return {.name = "Col2Im",
          .since_version = 18,
          .infer = InferCol2Im,
          .reference = Col2ImReference,
          .gradient = Col2ImGradient,
          .work = WorkForCol2Im,
          .examples = Col2ImExamples};
}

}  // namespace metadist::ops
