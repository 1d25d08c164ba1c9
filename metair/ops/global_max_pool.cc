// SPDX-License-Identifier: Apache-2.0
// The largest element of each channel: over all dims from the third on, which become 1; NaN
// propagates.
#include <limits>

#include "metair/ops/extremes.h"
#include "metair/ops/global_pool.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"
#include "metair/ops/reduce_mean.h"

namespace metadist::ops {
namespace {

Result<void> GlobalMaxPoolReference(const OpCall& call,
                                    std::span<const Tensor> in,
                                    std::span<Tensor> out) {
  FoldChannels(in[0], out[0], -std::numeric_limits<double>::infinity(), Larger<double>);
  return {};
}

Result<void> GlobalMaxPoolGradient(GradientCall& g) {
  g.Give(0, SharedByExtremes(g.x(), g.y(), g.dy(), AxesBetween(2, g.call().rank(0))));
  return {};
}

}  // namespace

OpDef MakeGlobalMaxPool() {
  return {.name = "GlobalMaxPool",
          .since_version = 22,
          .infer = InferGlobalPool,
          .reference = GlobalMaxPoolReference,
          .gradient = GlobalMaxPoolGradient,
          .work = ReductionWork,
          .examples = GlobalPoolExamples};
}

}  // namespace metadist::ops
