// SPDX-License-Identifier: Apache-2.0
// y = a xor b, with broadcasting.
#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

bool ApplyXor(bool a, bool b) { return a != b; }

}  // namespace

OpDef MakeXor() {
  return {.name = "Xor",
          .since_version = 7,
          .infer = InferLogical,
          .reference = LogicalBinary<ApplyXor>,
          .examples = LogicalExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
