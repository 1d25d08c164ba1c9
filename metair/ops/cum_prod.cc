// SPDX-License-Identifier: Apache-2.0
// Running products along an axis: at each position, of the elements up to it (exclusive = 1: before
// it), or from the end (reverse = 1).
#include "metair/ops/cumulative.h"
#include "metair/ops/fold.h"
#include "metair/ops/ops.h"

namespace metadist::ops {

OpDef MakeCumProd() {
  return {.name = "CumProd",
          .since_version = 26,
          .infer = InferCumulative,
          .reference = Cumulative<ProductFold>,
          .examples = CumulativeExamples};
}

}  // namespace metadist::ops
