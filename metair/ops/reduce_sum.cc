// SPDX-License-Identifier: Apache-2.0
// The sum over axes.
#include "metair/ops/fold.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist::ops {

OpDef MakeReduceSum() {
  return {.name = "ReduceSum",
          .since_version = 13,
          .infer = InferNumberReduction,
          .reference = NumberReduction<SumFold>,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
