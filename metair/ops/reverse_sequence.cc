// SPDX-License-Identifier: Apache-2.0
// x with the first sequence_lens[b] elements along time_axis reversed, for each b along batch_axis;
// the two axes are dims 0 and 1, in either order.
#include <cstring>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferReverseSequence(const OpCall& call) {
  const int64_t batch = call.attributes->Int("batch_axis", 1);
  const int64_t time = call.attributes->Int("time_axis", 0);
  CallCheck check(call);
  check.Inputs(2).RankAtLeast(0, 2).Integers(1).Rank(1, 1, 1).That(
      (batch == 0 && time == 1) || (batch == 1 && time == 0),
      "batch_axis and time_axis must be 0 and 1, got {} and {}",
      batch,
      time);
  TRY(check.Done());
  const int64_t size = call.shape(0)[static_cast<size_t>(batch)];
  if (call.shape(1)[0] != size)
    return BadCall("{} lengths are needed, got {}", size, ShapeText(call.shape(1)));
  return std::vector<TensorType>{call.type(0)};
}

Result<void> ReverseSequenceReference(const OpCall& call,
                                      std::span<const Tensor> in,
                                      std::span<Tensor> out) {
  const bool time_first = call.attributes->Int("time_axis", 0) == 0;
  const int64_t times = in[0].dim(time_first ? 0 : 1);
  const int64_t batches = in[0].dim(time_first ? 1 : 0);
  const int64_t places = times * batches;
  const int64_t bytes = places == 0 ? 0 : in[0].type().bytes() / places;
  const auto offset = [&](int64_t b, int64_t t) {
    return (time_first ? t * batches + b : b * times + t) * bytes;
  };
  for (int64_t b = 0; b < batches; ++b) {
    const int64_t length = in[1].data<int64_t>()[b];
    if (length < 0 || length > times)
      return BadCall("lengths must be in [0, {}], got {}", times, length);
    for (int64_t t = 0; t < times; ++t)
      std::memcpy(out[0].mutable_bytes() + offset(b, t),
                  in[0].bytes() + offset(b, t < length ? length - 1 - t : t),
                  static_cast<size_t>(bytes));
  }
  return {};
}

std::vector<InputDomain> ReverseSequenceDomain(const OpCall& call) {
  const int64_t times = call.shape(0)[call.attributes->Int("time_axis", 0) == 0 ? 0 : 1];
  const InputDomain lengths{
      .kind = InputDomain::Kind::kRange, .low = 1, .high = static_cast<double>(times)};
  return {{}, lengths};
}

std::vector<OpExample> ReverseSequenceExamples() {
  return {
      {.inputs = {F32({4, 6}), I64({6})}},
      {.inputs = {F32({4, 6, 3}), I64({4})}, .attributes = {{"batch_axis", 0}, {"time_axis", 1}}}};
}

Result<void> ReverseSequenceGradient(GradientCall& g) {
  g.Give(0, g.Again(g.dy()));
  return {};
}

}  // namespace

OpDef MakeReverseSequence() {
  return {.name = "ReverseSequence",
          .since_version = 10,
          .infer = InferReverseSequence,
          .reference = ReverseSequenceReference,
          .gradient = ReverseSequenceGradient,
          .work = MoveWork,
          .domain_of = ReverseSequenceDomain,
          .examples = ReverseSequenceExamples};
}

}  // namespace metadist::ops
