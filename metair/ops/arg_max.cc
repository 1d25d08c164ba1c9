// SPDX-License-Identifier: Apache-2.0
// The index of the greatest element along `axis`: the first, or (select_last_index = 1) the last.
#include <functional>

#include "metair/ops/arg_extreme.h"
#include "metair/ops/ops.h"

namespace metadist::ops {

OpDef MakeArgMax() {
  return {.name = "ArgMax",
          .since_version = 13,
          .url = "https://onnx.ai/onnx/operators/onnx__ArgMax.html",
          .infer = InferArgExtreme,
          .reference = ArgExtreme<std::greater<>>,
          .work = ArgExtremeWork,
          .examples = ArgExtremeExamples};
}

}  // namespace metadist::ops
