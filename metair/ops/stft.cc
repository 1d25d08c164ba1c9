// SPDX-License-Identifier: Apache-2.0
// The discrete Fourier transform of each frame of a signal; frames are frame_step apart and
// weighted by a window. signal: [batch, length, 1 (real) or 2 (complex)], y: [batch, frames, bins,
// 2].
#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/fourier.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

enum Input : size_t { kSignal, kStep, kWindow, kLength };

struct Frames {
  int64_t step = 0;
  int64_t length = 0;
  int64_t count = 0;
  int64_t bins = 0;
};

Result<int64_t> PositiveStftInput(const OpCall& call, size_t input) {
  const std::vector<int64_t> values = TRY(call.Ints(input));
  if (values.size() != 1 || values[0] < 1)
    return BadCall("input {} must be one positive integer", input);
  return values[0];
}

Result<Frames> FramesOf(const OpCall& call) {
  Frames frames;
  frames.step = TRY(PositiveStftInput(call, kStep));
  frames.length = call.shape(kSignal)[1];
  if (call.has(kWindow)) frames.length = call.shape(kWindow)[0];
  if (call.has(kLength)) {
    frames.length = TRY(PositiveStftInput(call, kLength));
    if (call.has(kWindow) && call.shape(kWindow)[0] != frames.length)
      return BadCall(
          "a window of {} does not fit frames of {}", call.shape(kWindow)[0], frames.length);
  }
  if (frames.length < 1 || frames.length > call.shape(kSignal)[1])
    return BadCall("a signal of {} holds no frame of {}", call.shape(kSignal)[1], frames.length);
  frames.count = 1 + (call.shape(kSignal)[1] - frames.length) / frames.step;
  const bool onesided = call.attributes->Int("onesided", 1) != 0;
  if (onesided && call.shape(kSignal)[2] != 1)
    return BadCall("a onesided transform needs a real signal");
  frames.bins = onesided ? frames.length / 2 + 1 : frames.length;
  return frames;
}

Result<std::vector<TensorType>> InferSTFT(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(2, 4)
          .Floats(kSignal)
          .Integers(kStep)
          .SameElement(kSignal, kWindow)
          .Integers(kLength)
          .Rank(kSignal, 3, 3)
          .Rank(kWindow, 1, 1)
          .Done());
  const int64_t parts = call.shape(kSignal)[2];
  if (parts != 1 && parts != 2) return BadCall("the last dim must be 1 or 2, got {}", parts);
  const Frames frames = TRY(FramesOf(call));
  const Shape shape{call.shape(kSignal)[0], frames.count, frames.bins, 2};
  TRY(CheckedElements(shape, call.type(kSignal).element));
  return std::vector<TensorType>{{call.type(kSignal).element, shape}};
}

Result<void> STFTReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Frames frames = TRY(FramesOf(call));
  const int64_t parts = in[kSignal].dim(2);
  double* to = out[0].mutable_data<double>();
  for (int64_t place = 0; place < in[kSignal].dim(0) * frames.count; ++place) {
    const int64_t start =
        place / frames.count * in[kSignal].dim(1) + place % frames.count * frames.step;
    std::vector<std::complex<double>> frame;
    for (int64_t i = 0; i < frames.length; ++i) {
      const double* from = in[kSignal].data<double>() + (start + i) * parts;
      const double weight = call.has(kWindow) ? in[kWindow].data<double>()[i] : 1;
      frame.emplace_back(weight * from[0], parts == 2 ? weight * from[1] : 0);
    }
    for (const auto& bin : FourierTransform(frame, frames.length, frames.bins, /*inverse=*/false)) {
      *to++ = bin.real();
      *to++ = bin.imag();
    }
  }
  return {};
}

Work WorkForSTFT(const OpCall& call, std::span<const TensorType> outputs) {
  const Frames frames = FramesOf(call).value();
  return FlopsWork(
      call,
      outputs,
      call.shape(kSignal)[0] * frames.count * (FourierFlops(frames.length) + frames.length));
}

std::vector<OpExample> STFTExamples() {
  return {{.inputs = {F32({2, 12, 1}), Int(3), F32({5})}},
          {.inputs = {F32({2, 10, 2}), Int(2), Absent(), Int(4)}, .attributes = {{"onesided", 0}}}};
}

// The transform of frames that are gathered from the signal.
Result<Graph> ComposeSTFT(const OpCall& call) {
  const Frames frames = TRY(FramesOf(call));
  std::vector<int64_t> places;
  for (int64_t i = 0; i < frames.count * frames.length; ++i)
    places.push_back(i / frames.length * frames.step + i % frames.length);
  Composer compose(call);
  const Term index(compose,
                   compose.Constant(Tensor::Of<int64_t>({frames.count, frames.length}, places)));
  Term x = Term(compose, compose.Operand(kSignal)).Apply("Gather", {index}, {{"axis", 1}});
  if (call.has(kWindow)) x = x * Term(compose, compose.Operand(kWindow)).Unsqueezed({1});
  const Attributes half{{"onesided", call.attributes->Int("onesided", 1)}};
  return compose.Done({x.Apply("DFT", half).value()});
}

Result<void> STFTGradient(GradientCall& g) { return g.Through(TRY(ComposeSTFT(g.call()))); }

}  // namespace

OpDef MakeSTFT() {
  return {.name = "STFT",
          .since_version = 17,
          .infer = InferSTFT,
          .reference = STFTReference,
          .gradient = STFTGradient,
          .work = WorkForSTFT,
          .examples = STFTExamples};
}

}  // namespace metadist::ops
