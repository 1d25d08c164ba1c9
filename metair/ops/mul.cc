// SPDX-License-Identifier: Apache-2.0
// y = a b, with broadcasting.
#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyMul(double a, double b) { return a * b; }

}  // namespace

OpDef MakeMul() {
  return {.name = "Mul",
          .since_version = 14,
          .infer = InferNumberBinary,
          .reference = NumberBinary<ApplyMul, WrapMul>,
          .examples = BinaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
