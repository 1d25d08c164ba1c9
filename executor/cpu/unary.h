// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// y = f(x) element by element, f32.
enum class UnaryFunction : uint8_t {
  kAbsolute,
  kCosine,
  kErrorFunction,
  kExponential,
  kGaussianError,         // x Phi(x)
  kGaussianErrorTangent,  // its approximation by the hyperbolic tangent
  kHyperbolicTangent,
  kInverse,
  kLogistic,
  kMinus,
  kRectifier,
  kRoot,
  kSine,
};

Prepared PrepareUnary(const KernelSite& site, UnaryFunction function);

template <UnaryFunction kFunction>
Prepared Unary(const KernelSite& site) {
  return PrepareUnary(site, kFunction);
}

// bool to bool, and f32 to bool.
Prepared Negation(const KernelSite& site);
Prepared NanTest(const KernelSite& site);

}  // namespace metadist::cpu
