// SPDX-License-Identifier: Apache-2.0
// y = (a == b), with broadcasting.
#include <functional>

#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {

OpDef MakeEqual() {
  return {.name = "Equal",
          .since_version = 19,
          .infer = InferEquality,
          .reference = Comparison<std::equal_to<>>,
          .examples = BinaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
