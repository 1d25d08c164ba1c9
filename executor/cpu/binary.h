// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// y = f(a, b) with broadcasting, for f32, i32 and i64 (truth values for the last two).
enum class BinaryFunction : uint8_t {
  kPlus,
  kMinus,
  kTimes,
  kOver,
  kPower,
  kLarger,
  kSmaller,
  kIsEqual,
  kIsLess,
  kIsLessEqual,
  kIsGreater,
  kIsGreaterEqual,
  kBoth,
  kEither,
};

Prepared PrepareBinary(const KernelSite& site, BinaryFunction function);

template <BinaryFunction kFunction>
Prepared Binary(const KernelSite& site) {
  return PrepareBinary(site, kFunction);
}

}  // namespace metadist::cpu
