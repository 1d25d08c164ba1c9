// SPDX-License-Identifier: Apache-2.0
#include "tests/planner/rules/reference/reference_case.h"

namespace metadist::testing {
namespace {

// dy, x [n,h], mean and reciprocal deviation [n,1], weight [h]: dx, dweight, dbias.
Types LayerNormBackwardTypes(const OpCall& call) {
  const Shape& x = call.shape(0);
  if (call.shape(1) != x || call.shape(2) != Shape{x[0], 1} || call.shape(3) != Shape{x[0], 1} ||
      call.shape(4) != Shape{x[1]})
    return BadInput("", "shapes do not fit");
  return FloatTypes({x, {x[1]}, {x[1]}});
}
Result<void> LayerNormBackward(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t h = in[0].dim(1);
  const double* weight = in[4].data<double>();
  for (int64_t i = 0; i < in[0].dim(0); ++i) {
    const double* dy = Row(in[0], i);
    const double mean = in[2].data<double>()[i];
    const double inverse = in[3].data<double>()[i];
    const auto normal = [&](int64_t k) { return (Row(in[1], i)[k] - mean) * inverse; };
    double sum = 0, product = 0;
    for (int64_t k = 0; k < h; ++k) {
      sum += dy[k] * weight[k];
      product += dy[k] * weight[k] * normal(k);
      out[1].mutable_data<double>()[k] += dy[k] * normal(k);
      out[2].mutable_data<double>()[k] += dy[k];
    }
    const double count = static_cast<double>(h);
    for (int64_t k = 0; k < h; ++k)
      Row(out[0], i)[k] = inverse * (dy[k] * weight[k] - sum / count - normal(k) * product / count);
  }
  return {};
}
std::vector<InputDomain> PositiveDeviation(const OpCall&) {
  std::vector<InputDomain> domains(5);
  domains[3].kind = InputDomain::Kind::kPositive;
  return domains;
}

}  // namespace

std::vector<ReferenceCase> GradientCases() {
  return {
      {"C3",
       "layer_norm_backward",
       MakeOp("LayerNormBackward", LayerNormBackwardTypes, LayerNormBackward, PositiveDeviation),
       {.inputs =
            {Floats({12, 16}), Floats({12, 16}), Floats({12, 1}), Floats({12, 1}), Floats({16})},
        .num_outputs = 3},
       "([a,_],[a,_],[a,_],[a,_],[_])->([a,_],[_],[_]) reduction={a} linear={0}"},
  };
}

}  // namespace metadist::testing
