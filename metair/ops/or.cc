// SPDX-License-Identifier: Apache-2.0
// y = a or b, with broadcasting.
#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

bool ApplyOr(bool a, bool b) { return a || b; }

}  // namespace

OpDef MakeOr() {
  return {.name = "Or",
          .since_version = 7,
          .infer = InferLogical,
          .reference = LogicalBinary<ApplyOr>,
          .examples = LogicalExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
