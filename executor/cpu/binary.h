// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// y = f(a, b) with broadcasting, for f32, i32 and i64 (comparisons of i32 and i64 give bool).
enum class BinaryFunction : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kPow,
  kMax,
  kMin,
  kPRelu,  // a, or a b if a < 0
  kEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kAnd,
  kOr,
  kXor,
};

Prepared PrepareBinary(const KernelSite& site, BinaryFunction function);

template <BinaryFunction kFunction>
Prepared Binary(const KernelSite& site) {
  return PrepareBinary(site, kFunction);
}

// Folds any number of operands from the left: y = f(f(a, b), c) and so on.
Prepared PrepareVariadic(const KernelSite& site, BinaryFunction function);

template <BinaryFunction kFunction>
Prepared Variadic(const KernelSite& site) {
  return PrepareVariadic(site, kFunction);
}

// The mean of any number of operands.
Prepared Mean(const KernelSite& site);

}  // namespace metadist::cpu
