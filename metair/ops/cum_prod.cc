// SPDX-License-Identifier: Apache-2.0
// Running products along an axis: of the elements before and at (exclusive = 1: before) each place,
// or from the end (reverse = 1).
#include "metair/ops/cumulative.h"
#include "metair/ops/fold.h"
#include "metair/ops/ops.h"

namespace metadist::ops {

OpDef MakeCumProd() {
  return {.name = "CumProd",
          .since_version = 26,
          .url = "https://onnx.ai/onnx/operators/onnx__CumProd.html",
          .infer = InferCumulative,
          .reference = Cumulative<ProductFold>,
          .examples = CumulativeExamples};
}

}  // namespace metadist::ops
