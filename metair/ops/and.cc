// SPDX-License-Identifier: Apache-2.0
// y = a and b, with broadcasting.
#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

bool ApplyAnd(bool a, bool b) { return a && b; }

}  // namespace

OpDef MakeAnd() {
  return {.name = "And",
          .since_version = 7,
          .infer = InferLogical,
          .reference = LogicalBinary<ApplyAnd>,
          .examples = LogicalExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
