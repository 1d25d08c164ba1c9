// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// y = f(a, b) with broadcasting, for f32, i32 and i64 (truth values for the last two).
enum class BinaryFunction : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kPow,
  kMax,
  kMin,
  kPRelu,  // a, or a times b where it is below 0
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

// The operands one after the other, from the left: y = f(f(a, b), c) and so on, any number of them.
Prepared PrepareVariadic(const KernelSite& site, BinaryFunction function);

template <BinaryFunction kFunction>
Prepared Variadic(const KernelSite& site) {
  return PrepareVariadic(site, kFunction);
}

// Their mean.
Prepared Mean(const KernelSite& site);

}  // namespace metadist::cpu
