// SPDX-License-Identifier: Apache-2.0
// Pairs (x1, x2) of each head's elements rotated by the angle of their position in the sequence:
// (x1 cos - x2 sin, x1 sin + x2 cos). cos and sin are tables by position, or given for each element
// of the sequence.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/heads.h"
#include "metair/ops/index.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

enum Input : size_t { kX, kCos, kSin, kPositions };

struct Rotation {
  Heads x;
  int64_t pairs = 0;  // rotated in each head; other elements are copied
};

Result<Rotation> RotationOf(const OpCall& call) {
  Rotation rotation;
  rotation.x = TRY(HeadsOf(
      call.shape(kX), call.rank(kX) == 3 ? call.attributes->Int("num_heads", 0) : 0, "num_heads"));
  const int64_t stated = call.attributes->Int("rotary_embedding_dim", 0);
  const int64_t rotated = stated == 0 ? rotation.x.size : stated;
  if (rotated < 0 || rotated > rotation.x.size || rotated % 2 != 0)
    return BadCall(
        "an even number of elements up to {} must be rotated, got {}", rotation.x.size, rotated);
  rotation.pairs = rotated / 2;
  return rotation;
}

Result<std::vector<TensorType>> InferRotaryEmbedding(const OpCall& call) {
  const bool table = call.has(kPositions);
  TRY(CallCheck(call)
          .Inputs(3, 4)
          .Floats(kX)
          .SameElement(kX, kCos)
          .SameElement(kX, kSin)
          .Integers(kPositions)
          .Rank(kX, 3, 4)
          .Rank(kCos, table ? 2 : 3, table ? 2 : 3)
          .Done());
  const Rotation rotation = TRY(RotationOf(call));
  const Heads& x = rotation.x;
  const Shape expected{table ? call.shape(kCos)[0] : x.batch, x.sequence, rotation.pairs};
  const Shape caches = table ? Shape{expected[0], rotation.pairs} : expected;
  CallCheck check(call);
  for (size_t input : {size_t{kCos}, size_t{kSin}})
    check.That(call.shape(input) == caches,
               "input {} must be {}, got {}",
               input,
               ShapeText(caches),
               ShapeText(call.shape(input)));
  check.That(!table || call.shape(kPositions) == Shape{x.batch, x.sequence},
             "positions must be [{},{}]",
             x.batch,
             x.sequence);
  TRY(check.Done());
  return std::vector<TensorType>{call.type(kX)};
}

Result<void> RotaryEmbeddingReference(const OpCall& call,
                                      std::span<const Tensor> in,
                                      std::span<Tensor> out) {
  const Rotation rotation = TRY(RotationOf(call));
  const Heads& x = rotation.x;
  const bool interleaved = call.attributes->Int("interleaved", 0) != 0;
  const double* from = in[kX].data<double>();
  double* y = out[0].mutable_data<double>();
  std::copy(from, from + in[kX].size(), y);
  for (int64_t place = 0; place < x.batch * x.sequence; ++place) {
    int64_t row = place;
    if (call.has(kPositions))
      row = TRY(NormalizeIndex(in[kPositions].data<int64_t>()[place], in[kCos].dim(0)));
    const double* cos = in[kCos].data<double>() + row * rotation.pairs;
    const double* sin = in[kSin].data<double>() + row * rotation.pairs;
    for (int64_t h = 0; h < x.heads; ++h)
      for (int64_t pair = 0; pair < rotation.pairs; ++pair) {
        const int64_t head = x.at(place / x.sequence, h, place % x.sequence, 0);
        const int64_t first = head + (interleaved ? 2 * pair : pair);
        const int64_t second = interleaved ? first + 1 : first + rotation.pairs;
        y[first] = from[first] * cos[pair] - from[second] * sin[pair];
        y[second] = from[first] * sin[pair] + from[second] * cos[pair];
      }
  }
  return {};
}

Work WorkForRotaryEmbedding(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 3 * NumElements(outputs[0].shape));
}

std::vector<InputDomain> RotaryEmbeddingDomain(const OpCall& call) {
  std::vector<InputDomain> domains(call.inputs.size());
  if (call.has(kPositions))
    domains[kPositions] = {.kind = InputDomain::Kind::kIndex, .bounds = {{.input = kCos}}};
  return domains;
}

std::vector<OpExample> RotaryEmbeddingExamples() {
  return {{.inputs = {F32({2, 4, 3, 8}), F32({2, 3, 4}), F32({2, 3, 4})}},
          {.inputs = {F32({2, 4, 3, 8}), F32({7, 4}), F32({7, 4}), I64({2, 3})}},
          {.inputs = {F32({2, 3, 24}), F32({7, 3}), F32({7, 3}), I64({2, 3})},
           .attributes = {{"num_heads", 4}, {"interleaved", 1}}},
          {.inputs = {F32({2, 3, 32}), F32({2, 3, 3}), F32({2, 3, 3})},
           .attributes = {{"num_heads", 4}, {"rotary_embedding_dim", 6}}}};
}

Result<void> RotaryEmbeddingGradient(GradientCall& g) {
  // Rotates back.
  TRY(g.Refuse(kCos));
  TRY(g.Refuse(kSin));
  std::vector<ValueId> inputs{g.dy().value(), g.x(kCos).value(), (-g.x(kSin)).value()};
  if (g.has(kPositions)) inputs.push_back(g.x(kPositions).value());
  g.Give(kX, {g.b(), g.b().Add("RotaryEmbedding", inputs, g.attributes())});
  return {};
}

}  // namespace

OpDef MakeRotaryEmbedding() {
  return {.name = "RotaryEmbedding",
          .since_version = 23,
          .infer = InferRotaryEmbedding,
          .reference = RotaryEmbeddingReference,
          .gradient = RotaryEmbeddingGradient,
          .work = WorkForRotaryEmbedding,
          .domain_of = RotaryEmbeddingDomain,
          .examples = RotaryEmbeddingExamples,
          .untrained = 0b110};
}

}  // namespace metadist::ops
