// SPDX-License-Identifier: Apache-2.0
// y = a < b, with broadcasting.
#include <functional>

#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {

OpDef MakeLess() {
  return {.name = "Less",
          .since_version = 13,
          .infer = InferOrdering,
          .reference = Comparison<std::less<>>,
          .examples = BinaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
