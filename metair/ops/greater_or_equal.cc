// SPDX-License-Identifier: Apache-2.0
// y = a >= b, with broadcasting.
#include <functional>

#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {

OpDef MakeGreaterOrEqual() {
  return {.name = "GreaterOrEqual",
          .since_version = 16,
          .infer = InferOrdering,
          .reference = Comparison<std::greater_equal<>>,
          .examples = BinaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
