// SPDX-License-Identifier: Apache-2.0
// The discrete Fourier transform along an axis, or its inverse. The last dim holds the real part,
// or both parts. onesided = 1: only the first half of a real signal's spectrum is output (or, for
// the inverse, read).
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/fourier.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

enum Input : size_t { kX, kLength, kAxis };

struct Transform {
  int64_t axis = 0;
  int64_t length = 0;  // of the signal
  int64_t bins = 0;    // of the output
  bool inverse = false;
  bool onesided = false;
};

Result<int64_t> Scalar(const OpCall& call, size_t input) {
  const std::vector<int64_t> values = TRY(call.Ints(input));
  if (values.size() != 1) return BadCall("input {} must have one element", input);
  return values[0];
}

Result<Transform> TransformOf(const OpCall& call) {
  Transform x;
  const Shape& shape = call.shape(kX);
  const int64_t axis = call.has(kAxis) ? TRY(Scalar(call, kAxis)) : -2;
  x.axis = TRY(NormalizeAxis(axis, call.rank(kX)));
  x.inverse = call.attributes->Int("inverse", 0) != 0;
  x.onesided = call.attributes->Int("onesided", 0) != 0;
  if (x.axis == call.rank(kX) - 1)
    return BadCall("the last dim holds the parts of a number, and is not transformed");
  const int64_t size = shape[static_cast<size_t>(x.axis)];
  const bool half = x.inverse && x.onesided;
  x.length = call.has(kLength) ? TRY(Scalar(call, kLength)) : half ? 2 * (size - 1) : size;
  constexpr int64_t kLargest = int64_t{1} << 31;
  if (x.length < 1 || x.length > kLargest) return BadCall("no transform has length {}", x.length);
  if (x.onesided && shape.back() != (x.inverse ? 2 : 1))
    return BadCall(
        "a onesided transform needs {} parts a number, got {}", x.inverse ? 2 : 1, shape.back());
  x.bins = x.onesided && !x.inverse ? x.length / 2 + 1 : x.length;
  return x;
}

Result<std::vector<TensorType>> InferDFT(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(1, 3)
          .Floats(kX)
          .Integers(kLength)
          .Integers(kAxis)
          .RankAtLeast(kX, 2)
          .Done());
  const int64_t parts = call.shape(kX).back();
  if (parts != 1 && parts != 2) return BadCall("the last dim must be 1 or 2, got {}", parts);
  const Transform x = TRY(TransformOf(call));
  TensorType type = call.type(kX);
  type.shape[static_cast<size_t>(x.axis)] = x.bins;
  type.shape.back() = x.inverse && x.onesided ? 1 : 2;
  TRY(CheckedElements(type.shape, type.element));
  return std::vector<TensorType>{type};
}

// The full spectrum of a real signal, whose second half mirrors the first.
std::vector<std::complex<double>> Mirrored(std::vector<std::complex<double>> half, int64_t length) {
  half.resize(static_cast<size_t>(length / 2 + 1));
  half[0] = half[0].real();
  if (length % 2 == 0) half.back() = half.back().real();
  for (int64_t k = length / 2 + 1; k < length; ++k)
    half.push_back(std::conj(half[static_cast<size_t>(length - k)]));
  return half;
}

Result<void> DFTReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Transform x = TRY(TransformOf(call));
  const Shape& shape = in[kX].shape();
  const int64_t size = shape[static_cast<size_t>(x.axis)];
  const int64_t parts = shape.back();
  const int64_t inner = NumElements({shape.begin() + x.axis + 1, shape.end() - 1});
  const int64_t outer = NumElements({shape.begin(), shape.begin() + x.axis});
  const int64_t out_parts = out[0].shape().back();
  for (int64_t line = 0; line < outer * inner; ++line) {
    const int64_t o = line / inner;
    const int64_t i = line % inner;
    std::vector<std::complex<double>> signal;
    for (int64_t t = 0; t < size; ++t) {
      const double* from = in[kX].data<double>() + ((o * size + t) * inner + i) * parts;
      signal.emplace_back(from[0], parts == 2 ? from[1] : 0);
    }
    if (x.inverse && x.onesided) signal = Mirrored(std::move(signal), x.length);
    const auto result = FourierTransform(signal, x.length, x.bins, x.inverse);
    for (int64_t k = 0; k < x.bins; ++k) {
      double* to = out[0].mutable_data<double>() + ((o * x.bins + k) * inner + i) * out_parts;
      to[0] = result[static_cast<size_t>(k)].real();
      if (out_parts == 2) to[1] = result[static_cast<size_t>(k)].imag();
    }
  }
  return {};
}

Work WorkForDFT(const OpCall& call, std::span<const TensorType> outputs) {
  const auto x = TransformOf(call);
  const int64_t lines = NumElements(outputs[0].shape) / outputs[0].shape.back() / x.value().bins;
  return FlopsWork(call, outputs, lines * FourierFlops(x.value().length));
}

std::vector<OpExample> DFTExamples() {
  return {{.inputs = {F32({2, 6, 1})}},
          {.inputs = {F32({3, 5, 2}), Absent(), Int(0)}, .attributes = {{"inverse", 1}}},
          {.inputs = {F32({2, 3, 5, 1}), Int(8), Int(-2)}, .attributes = {{"onesided", 1}}},
          {.inputs = {F32({2, 4, 2}), Int(6), Int(1)},
           .attributes = {{"onesided", 1}, {"inverse", 1}}}};
}

// The transform as a matrix [size, parts, bins, parts of a bin]: what it makes of each unit signal.
std::vector<double> MatrixOfDFT(const Transform& x,
                                int64_t size,
                                int64_t parts,
                                int64_t out_parts) {
  std::vector<double> matrix;
  for (int64_t t = 0; t < size; ++t)
    for (int64_t part = 0; part < parts; ++part) {
      std::vector<std::complex<double>> signal(static_cast<size_t>(size));
      signal[static_cast<size_t>(t)] = {part == 0 ? 1.0 : 0.0, part == 0 ? 0.0 : 1.0};
      if (x.inverse && x.onesided) signal = Mirrored(std::move(signal), x.length);
      for (const auto& bin : FourierTransform(signal, x.length, x.bins, x.inverse)) {
        matrix.push_back(bin.real());
        if (out_parts == 2) matrix.push_back(bin.imag());
      }
    }
  return matrix;
}

Result<void> DFTGradient(GradientCall& g) {
  const Transform x = TRY(TransformOf(g.call()));
  const Shape& shape = g.call().shape(kX);
  const int64_t size = shape[static_cast<size_t>(x.axis)];
  const Term dy = g.dy().Wide();
  constexpr int64_t kMostElements = 1 << 26;  // of the matrix
  if (size > kMostElements / std::max<int64_t>(4 * x.bins, 1))
    return BadCall("no gradient of {} elements transformed to {}", size, x.bins);
  const Shape sizes{size, shape.back(), x.bins, dy.shape().back()};
  const Term matrix(
      g.b(),
      g.b().Constant(
          Tensor::Of<double>(sizes, MatrixOfDFT(x, size, sizes[1], sizes[3])).Cast(dy.element())));
  std::string from;  // indices of dy
  for (size_t d = 0; d < shape.size(); ++d) from += static_cast<char>('a' + d);
  std::string to = from;
  from[static_cast<size_t>(x.axis)] = 'Y', from.back() = 'Z';
  to[static_cast<size_t>(x.axis)] = 'W', to.back() = 'X';
  g.Give(kX, Einsum(from + ",WXYZ->" + to, {dy, matrix}));
  return {};
}

}  // namespace

OpDef MakeDFT() {
  return {.name = "DFT",
          .since_version = 20,
          .infer = InferDFT,
          .reference = DFTReference,
          .gradient = DFTGradient,
          .work = WorkForDFT,
          .examples = DFTExamples};
}

}  // namespace metadist::ops
