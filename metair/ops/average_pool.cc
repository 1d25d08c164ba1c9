// SPDX-License-Identifier: Apache-2.0
// The mean under each position of a sliding window, over its taps inside x (count_include_pad = 1:
// also over those in the padding).
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/pool.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferAveragePool(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Floats(0).RankAtLeast(0, 3).Done());
  return std::vector<TensorType>{TRY(PoolType(call))};
}

Result<void> AveragePoolReference(const OpCall& call,
                                  std::span<const Tensor> in,
                                  std::span<Tensor> out) {
  const bool count_padding = call.attributes->Int("count_include_pad", 0) != 0;
  const double* x = in[0].data<double>();
  double* y = out[0].mutable_data<double>();
  ForEachPosition(TRY(PoolWindow(call)),
                  out[0].size(),
                  [&](int64_t i, int64_t plane, std::span<const int64_t> taps) {
                    double sum = 0;
                    int64_t count = 0;
                    for (int64_t at : taps) {
                      if (at >= 0) sum += x[plane + at];
                      if (at >= 0 || (at == kPadding && count_padding)) ++count;
                    }
                    y[i] = sum / static_cast<double>(count);
                  });
  return {};
}

std::vector<OpExample> AveragePoolExamples() {
  std::vector<OpExample> examples = PoolExamples();
  examples.push_back(examples[1]);
  examples.back().attributes.set("count_include_pad", int64_t{1});
  return examples;
}

Result<void> AveragePoolGradient(GradientCall& g) {
  g.Give(0, TRY(SpreadOver(g, g.dy(), /*average=*/true)));
  return {};
}

}  // namespace

OpDef MakeAveragePool() {
  return {.name = "AveragePool",
          .since_version = 22,
          .infer = InferAveragePool,
          .reference = AveragePoolReference,
          .spell = SpellPool,
          .gradient = AveragePoolGradient,
          .work = PoolWork,
          .examples = AveragePoolExamples};
}

}  // namespace metadist::ops
