// SPDX-License-Identifier: Apache-2.0
// Like RandomNormal, in the shape of input 0, whose elements are not read.
#include "metair/ops/drawing.h"
#include "metair/ops/ops.h"
#include "metair/ops/random_normal.h"
#include "metair/ops/random_uniform.h"

namespace metadist::ops {

OpDef MakeRandomNormalLike() {
  return {.name = "RandomNormalLike",
          .since_version = 22,
          .infer = InferDrawnLike,
          .reference = DrawNormal,
          .work = DrawnWork,
          .examples = DrawnLikeExamples,
          .deterministic = false};
}

}  // namespace metadist::ops
