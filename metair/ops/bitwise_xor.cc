// SPDX-License-Identifier: Apache-2.0
// y = the bitwise exclusive or of a and b, with broadcasting.
#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

int64_t ApplyBitwiseXor(int64_t a, int64_t b) { return a ^ b; }

}  // namespace

OpDef MakeBitwiseXor() {
  return {.name = "BitwiseXor",
          .since_version = 18,
          .infer = InferIntegerBinary,
          .reference = IntegerBinary<ApplyBitwiseXor>,
          .examples = IntegerExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
