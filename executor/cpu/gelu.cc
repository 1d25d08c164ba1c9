// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/makers.h"
#include "executor/cpu/unary.h"

namespace metadist::cpu {

// The attribute `approximate` selects one of two functions.
Prepared Gelu(const KernelSite& site) {
  const bool tangent = site.attributes().String("approximate", "none") == "tanh";
  return PrepareUnary(site, tangent ? UnaryFunction::kGeluTanh : UnaryFunction::kGelu);
}

}  // namespace metadist::cpu
