// SPDX-License-Identifier: Apache-2.0
// Running sums along an axis: at each position, of the elements up to it (exclusive = 1: before
// it), or from the end (reverse = 1).
#include "metair/ops/cumulative.h"
#include "metair/ops/fold.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {

namespace {

Result<void> CumSumGradient(GradientCall& g) {
  Attributes opposite = g.attributes();
  opposite.set("reverse", int64_t{opposite.Int("reverse", 0) == 0});
  g.Give(0, g.dy().Apply("CumSum", {g.x(1)}, opposite));
  return {};
}

}  // namespace

OpDef MakeCumSum() {
  return {.name = "CumSum",
          .since_version = 14,
          .infer = InferCumulative,
          .reference = Cumulative<SumFold>,
          .gradient = CumSumGradient,
          .examples = CumulativeExamples};
}

}  // namespace metadist::ops
