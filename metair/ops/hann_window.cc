// SPDX-License-Identifier: Apache-2.0
// y[n] = (1 - cos(2 pi n / N)) / 2; N = the size (periodic = 1) or one less.
#include "metair/ops/cosine_window.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

constexpr CosineSum kHannWindow{0.5, 0.5, 0};

}  // namespace

OpDef MakeHannWindow() {
  return {.name = "HannWindow",
          .since_version = 17,
          .infer = InferCosineWindow,
          .reference = CosineReference<kHannWindow>,
          .decompose = DecomposeCosine<kHannWindow>,
          .work = CosineWindowWork,
          .examples = CosineWindowExamples};
}

}  // namespace metadist::ops
