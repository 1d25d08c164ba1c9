// SPDX-License-Identifier: Apache-2.0
// The mean of each channel: over all dims from the third on, which become 1.
#include "metair/ops/composer.h"
#include "metair/ops/global_pool.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce_mean.h"

namespace metadist::ops {
namespace {

Result<void> GlobalAveragePoolReference(const OpCall& call,
                                        std::span<const Tensor> in,
                                        std::span<Tensor> out) {
  FoldChannels(in[0], out[0], 0, [](double sum, double x) { return sum + x; });
  double* y = out[0].mutable_data<double>();
  const int64_t channels = out[0].size();
  const double size = static_cast<double>(in[0].size()) / static_cast<double>(channels);
  for (int64_t i = 0; i < channels; ++i) y[i] /= size;
  return {};
}

Result<Graph> DecomposeGlobalAveragePool(const OpCall& call) {
  Composer compose(call);
  return compose.Done(
      {ComposeMean(compose, compose.Operand(0), AxesBetween(2, call.rank(0)), /*keep=*/true)});
}

}  // namespace

OpDef MakeGlobalAveragePool() {
  return {.name = "GlobalAveragePool",
          .since_version = 22,
          .infer = InferGlobalPool,
          .reference = GlobalAveragePoolReference,
          .decompose = DecomposeGlobalAveragePool,
          .work = ReductionWork,
          .examples = GlobalPoolExamples};
}

}  // namespace metadist::ops
