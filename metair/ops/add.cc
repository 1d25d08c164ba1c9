// SPDX-License-Identifier: Apache-2.0
// y = a + b, with broadcasting.
#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyAdd(double a, double b) { return a + b; }

}  // namespace

OpDef MakeAdd() {
  return {.name = "Add",
          .since_version = 14,
          .infer = InferNumberBinary,
          .reference = NumberBinary<ApplyAdd, WrapAdd>,
          .examples = BinaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
