// SPDX-License-Identifier: Apache-2.0
// The weights that combine the bins of a onesided spectrum into bands evenly spaced on the mel
// scale, mel(f) = 2595 log10(1 + f / 700): a triangle of height 1 for each band. y: [bins, bands].
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/onnx_types.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

enum Input : size_t { kBands, kLength, kRate, kLowest, kHighest };

Result<int64_t> PositiveMelInput(const OpCall& call, size_t input) {
  constexpr int64_t kLargest = int64_t{1} << 31;
  const std::vector<int64_t> values = TRY(call.Ints(input));
  if (values.size() != 1 || values[0] < 1 || values[0] > kLargest)
    return BadCall("input {} must be one positive integer", input);
  return values[0];
}

Result<std::vector<TensorType>> InferMelWeightMatrix(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(5);
  for (size_t i : {kBands, kLength, kRate}) check.Integers(i);
  for (size_t i : {kLowest, kHighest}) check.Floats(i);
  for (size_t i : {kRate, kLowest, kHighest})
    check.That(
        !call.has(i) || NumElements(call.shape(i)) == 1, "input {} must have one element", i);
  const int64_t stated = call.attributes->Int("output_datatype", 1);
  const std::optional<ElementType> element = ElementTypeOfOnnx(stated);
  check.That(element && ClassOf(*element) != ElementClass::kBool,
             "output_datatype {} is not a supported type of numbers",
             stated);
  TRY(check.Done());
  TRY(PositiveMelInput(call, kRate));
  for (size_t i : {kLowest, kHighest}) TRY(call.Doubles(i));
  const Shape shape{TRY(PositiveMelInput(call, kLength)) / 2 + 1,
                    TRY(PositiveMelInput(call, kBands))};
  TRY(CheckedElements(shape, *element));
  return std::vector<TensorType>{{*element, shape}};
}

Result<void> MelWeightMatrixReference(const OpCall& call,
                                      std::span<const Tensor> in,
                                      std::span<Tensor> out) {
  const int64_t bins = out[0].dim(0);
  const int64_t bands = out[0].dim(1);
  const double length = static_cast<double>(*in[kLength].data<int64_t>());
  const double rate = static_cast<double>(*in[kRate].data<int64_t>());
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double low = mel(*in[kLowest].data<double>());
  const double step = (mel(*in[kHighest].data<double>()) - low) / static_cast<double>(bands + 2);
  std::vector<int64_t> edges;  // a band has its start, peak and end at three consecutive edges
  for (int64_t i = 0; i < bands + 2; ++i) {
    const double hertz = 700 * (std::pow(10, (static_cast<double>(i) * step + low) / 2595) - 1);
    const double bin = std::floor((length + 1) * hertz / rate);
    if (!(bin >= 0 && bin < static_cast<double>(bins)) ||
        (i > 0 && bin < static_cast<double>(edges.back())))
      return BadCall("a band reaches bin {} of {}", bin, bins);
    edges.push_back(static_cast<int64_t>(bin));
  }
  std::vector<double> y(static_cast<size_t>(bins * bands), 0.0);
  for (int64_t band = 0; band < bands; ++band) {
    const int64_t* edge = edges.data() + band;
    const auto at = [&](int64_t bin) -> double& {
      return y[static_cast<size_t>(bin * bands + band)];
    };
    if (edge[1] == edge[0]) at(edge[1]) = 1;
    for (int64_t bin = edge[0]; edge[1] > edge[0] && bin <= edge[1]; ++bin)
      at(bin) = static_cast<double>(bin - edge[0]) / static_cast<double>(edge[1] - edge[0]);
    for (int64_t bin = edge[1]; bin < edge[2]; ++bin)
      at(bin) = static_cast<double>(edge[2] - bin) / static_cast<double>(edge[2] - edge[1]);
  }
  out[0] = Tensor::Of(out[0].shape(), y).Cast(out[0].element());
  return {};
}

std::vector<OpExample> MelWeightMatrixExamples() {
  const auto hertz = [](int64_t value) {
    return OpExample::Input{.type = {ElementType::kF32, {}}, .constant = {value}};
  };
  return {{.inputs = {Int(4), Int(16), Int(8192), hertz(0), hertz(4096)}},
          {.inputs = {Int(3), Int(11), Int(1000), hertz(50), hertz(400)},
           .attributes = {{"output_datatype", 11}}}};
}

}  // namespace

OpDef MakeMelWeightMatrix() {
  return {.name = "MelWeightMatrix",
          .since_version = 17,
          .infer = InferMelWeightMatrix,
          .reference = MelWeightMatrixReference,
          .examples = MelWeightMatrixExamples};
}

}  // namespace metadist::ops
