// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/standardize.h"

#include <cmath>

namespace metadist {

void Standardize(const double* x, int64_t count, double epsilon, double* y) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += x[i];
  const double mean = sum / static_cast<double>(count);
  double squares = 0;
  for (int64_t i = 0; i < count; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(count) + epsilon);
  for (int64_t i = 0; i < count; ++i) y[i] = (x[i] - mean) / deviation;
}

Result<void> CheckChannels(const OpCall& call, CallCheck& check) {
  TRY(check.Inputs(3).Floats(0).SameElement(0, 1).SameElement(0, 2).RankAtLeast(0, 2).Done());
  const Shape channels{call.shape(0)[1]};
  for (size_t i = 1; i < 3; ++i)
    check.That(call.shape(i) == channels,
               "input {} must be {}, got {}",
               i,
               ShapeText(channels),
               ShapeText(call.shape(i)));
  return {};
}

void StandardizeGroups(const OpCall& call,
                       std::span<const Tensor> in,
                       int64_t groups,
                       Tensor& out) {
  if (in[0].size() == 0) return;
  const double epsilon = call.attributes->Float("epsilon", 1e-5f);
  const int64_t channels = in[0].dim(1);
  const int64_t plane = in[0].size() / (in[0].dim(0) * channels);
  const int64_t all_groups = in[0].dim(0) * groups;
  const int64_t group = in[0].size() / all_groups;
  double* y = out.mutable_data<double>();
  for (int64_t g = 0; g < all_groups; ++g)
    Standardize(in[0].data<double>() + g * group, group, epsilon, y + g * group);
  for (int64_t i = 0; i < out.size(); ++i) {
    const int64_t c = i / plane % channels;
    y[i] = y[i] * in[1].data<double>()[c] + in[2].data<double>()[c];
  }
}

}  // namespace metadist
