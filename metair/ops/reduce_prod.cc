// SPDX-License-Identifier: Apache-2.0
// The product over axes.
#include "metair/ops/fold.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist::ops {

OpDef MakeReduceProd() {
  return {.name = "ReduceProd",
          .since_version = 18,
          .infer = InferNumberReduction,
          .reference = NumberReduction<ProductFold>,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
