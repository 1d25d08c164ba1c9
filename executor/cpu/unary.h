// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// y = f(x) element by element, f32. Some have parameters, which are attributes of their operators.
enum class UnaryFunction : uint8_t {
  kAbs,
  kAcos,
  kAcosh,
  kAsin,
  kAsinh,
  kAtan,
  kAtanh,
  kCeil,
  kCelu,  // x, or alpha (e^(x / alpha) - 1) if x < 0
  kCos,
  kCosh,
  kElu,  // x, or alpha (e^x - 1) if x < 0
  kErf,
  kExp,
  kFloor,
  kGelu,         // x Phi(x)
  kGeluTanh,     // its approximation by the hyperbolic tangent
  kHardSigmoid,  // alpha x + beta clamped to [0, 1]
  kHardSwish,    // x times (x / 6 + 1 / 2 clamped to [0, 1])
  kLeakyRelu,    // x, or alpha x if x < 0
  kLog,
  kMish,  // x tanh(log(1 + e^x))
  kNeg,
  kReciprocal,
  kRelu,
  kRound,
  kSelu,    // gamma x, or gamma alpha (e^x - 1) if x < 0
  kShrink,  // moved by beta towards 0, and 0 between -alpha and alpha
  kSigmoid,
  kSign,
  kSin,
  kSinh,
  kSoftplus,  // log(1 + e^x)
  kSoftsign,  // x / (1 + |x|)
  kSqrt,
  kSwish,  // x / (1 + e^(-alpha x))
  kTan,
  kTanh,
  kThresholdedRelu,  // x, or 0 if x <= alpha
};

Prepared PrepareUnary(const KernelSite& site, UnaryFunction function);

template <UnaryFunction kFunction>
Prepared Unary(const KernelSite& site) {
  return PrepareUnary(site, kFunction);
}

// x clamped between two operands.
Prepared Clip(const KernelSite& site);

// bool to bool, and f32 to bool.
Prepared Not(const KernelSite& site);
Prepared IsNaN(const KernelSite& site);
Prepared IsInf(const KernelSite& site);

}  // namespace metadist::cpu
