// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// y = f(x) element by element, f32. Some have parameters, attributes of their operators.
enum class UnaryFunction : uint8_t {
  kAbsolute,
  kContinuousExponentialLinear,  // x, or alpha (e^(x / alpha) - 1) below 0
  kAreaCosine,
  kAreaSine,
  kAreaTangent,
  kArcCosine,
  kArcSine,
  kArcTangent,
  kCosine,
  kHyperbolicCosine,
  kHyperbolicSine,
  kTangent,
  kErrorFunction,
  kExponential,
  kExponentialLinear,     // x, or alpha (e^x - 1) below 0
  kGaussianError,         // x Phi(x)
  kGaussianErrorTangent,  // its approximation by the hyperbolic tangent
  kGatedLogistic,         // x / (1 + e^(-alpha x))
  kGatedSoftPlus,         // x tanh(log(1 + e^x))
  kHardGate,              // x times x / 6 + 1 / 2 between 0 and 1
  kHardLogistic,          // alpha x + beta between 0 and 1
  kHyperbolicTangent,
  kInverse,
  kLeakyRectifier,  // x, or alpha x below 0
  kLogarithm,
  kLogistic,
  kMinus,
  kRectifier,
  kRoot,
  kRoundedDown,
  kRoundedToEven,
  kRoundedUp,
  kScaledExponentialLinear,  // gamma x, or gamma alpha (e^x - 1) below 0
  kShrunk,                   // beta nearer to 0, and 0 between -alpha and alpha
  kSignum,
  kSine,
  kSoftPlus,              // log(1 + e^x)
  kSoftSignum,            // x / (1 + |x|)
  kThresholdedRectifier,  // x, or 0 up to alpha
};

Prepared PrepareUnary(const KernelSite& site, UnaryFunction function);

template <UnaryFunction kFunction>
Prepared Unary(const KernelSite& site) {
  return PrepareUnary(site, kFunction);
}

// x between two numbers that are operands.
Prepared Clip(const KernelSite& site);

// bool to bool, and f32 to bool.
Prepared Negation(const KernelSite& site);
Prepared NanTest(const KernelSite& site);
Prepared InfinityTest(const KernelSite& site);

}  // namespace metadist::cpu
