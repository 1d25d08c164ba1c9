// SPDX-License-Identifier: Apache-2.0
// The largest element of each channel: over all dims from the third on, which become 1.
#include <algorithm>
#include <limits>

#include "metair/ops/global_pool.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<void> GlobalMaxPoolReference(const OpCall& call,
                                    std::span<const Tensor> in,
                                    std::span<Tensor> out) {
  FoldChannels(in[0], out[0], -std::numeric_limits<double>::infinity(), [](double most, double x) {
    return std::max(most, x);
  });
  return {};
}

Result<void> GlobalMaxPoolGradient(GradientCall& g) {
  std::vector<int64_t> axes;
  for (int64_t d = 2; d < g.call().rank(0); ++d) axes.push_back(d);
  const Term dy = g.dy().Wide();
  const Term hit = (g.x() == g.y()).As(dy.element());
  g.Give(0, hit * (dy / hit.Sum(axes)));
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
