// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// y = f(x) element by element, f32. Some have parameters, attributes of their operators.
enum class UnaryFunction : uint8_t {
  kAbs,
  kCelu,  // x, or alpha (e^(x / alpha) - 1) below 0
  kAcosh,
  kAsinh,
  kAtanh,
  kAcos,
  kAsin,
  kAtan,
  kCos,
  kCosh,
  kSinh,
  kTan,
  kErf,
  kExp,
  kElu,          // x, or alpha (e^x - 1) below 0
  kGelu,         // x Phi(x)
  kGeluTanh,     // its approximation by the hyperbolic tangent
  kSwish,        // x / (1 + e^(-alpha x))
  kMish,         // x tanh(log(1 + e^x))
  kHardSwish,    // x times x / 6 + 1 / 2 between 0 and 1
  kHardSigmoid,  // alpha x + beta between 0 and 1
  kTanh,
  kReciprocal,
  kLeakyRelu,  // x, or alpha x below 0
  kLog,
  kSigmoid,
  kNeg,
  kRelu,
  kSqrt,
  kFloor,
  kRound,
  kCeil,
  kSelu,    // gamma x, or gamma alpha (e^x - 1) below 0
  kShrink,  // beta nearer to 0, and 0 between -alpha and alpha
  kSign,
  kSin,
  kSoftplus,         // log(1 + e^x)
  kSoftsign,         // x / (1 + |x|)
  kThresholdedRelu,  // x, or 0 up to alpha
};

Prepared PrepareUnary(const KernelSite& site, UnaryFunction function);

template <UnaryFunction kFunction>
Prepared Unary(const KernelSite& site) {
  return PrepareUnary(site, kFunction);
}

// x between two numbers that are operands.
Prepared Clip(const KernelSite& site);

// bool to bool, and f32 to bool.
Prepared Not(const KernelSite& site);
Prepared IsNaN(const KernelSite& site);
Prepared IsInf(const KernelSite& site);

}  // namespace metadist::cpu
