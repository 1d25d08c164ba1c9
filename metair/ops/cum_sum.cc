// SPDX-License-Identifier: Apache-2.0
// Running sums along an axis: at each position, of the elements up to it (exclusive = 1: before
// it), or from the end (reverse = 1).
#include "metair/ops/cumulative.h"
#include "metair/ops/fold.h"
#include "metair/ops/ops.h"

namespace metadist::ops {

OpDef MakeCumSum() {
  return {.name = "CumSum",
          .since_version = 14,
          .infer = InferCumulative,
          .reference = Cumulative<SumFold>,
          .examples = CumulativeExamples};
}

}  // namespace metadist::ops
