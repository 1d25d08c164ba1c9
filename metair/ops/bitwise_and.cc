// SPDX-License-Identifier: Apache-2.0
// y = the bitwise and of a and b, with broadcasting.
#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

int64_t ApplyBitwiseAnd(int64_t a, int64_t b) { return a & b; }

}  // namespace

OpDef MakeBitwiseAnd() {
  return {.name = "BitwiseAnd",
          .since_version = 18,
          .infer = InferIntegerBinary,
          .reference = IntegerBinary<ApplyBitwiseAnd>,
          .examples = IntegerExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
