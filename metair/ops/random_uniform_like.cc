// SPDX-License-Identifier: Apache-2.0
// Like RandomUniform, in the shape of input 0, whose elements are not read.
#include "metair/ops/drawing.h"
#include "metair/ops/ops.h"
#include "metair/ops/random_uniform.h"

namespace metadist::ops {

OpDef MakeRandomUniformLike() {
  return {.name = "RandomUniformLike",
          .since_version = 22,
          .infer = InferDrawnLike,
          .reference = DrawUniform,
          .work = DrawnWork,
          .examples = DrawnLikeExamples,
          .deterministic = false};
}

}  // namespace metadist::ops
