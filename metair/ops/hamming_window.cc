// SPDX-License-Identifier: Apache-2.0
// y[n] = 25/46 - 21/46 cos(2 pi n / N); N = the size (periodic = 1) or one less.
#include "metair/ops/cosine_window.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

constexpr CosineSum kHammingWindow{25.0 / 46, 21.0 / 46, 0};

}  // namespace

OpDef MakeHammingWindow() {
  return {.name = "HammingWindow",
          .since_version = 17,
          .infer = InferCosineWindow,
          .reference = CosineReference<kHammingWindow>,
          .decompose = DecomposeCosine<kHammingWindow>,
          .work = CosineWindowWork,
          .examples = CosineWindowExamples};
}

}  // namespace metadist::ops
