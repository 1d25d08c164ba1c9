// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"
#include "metair/ops/drawing.h"

// Shared by kernels that draw random numbers; for the numbers, see metair/ops/counter_random.h.
namespace metadist::cpu {

// Numbers generated at a time, before they are used.
inline constexpr int64_t kRandomChunk = 128;

// The source of a call's key.
class KeySource {
 public:
  explicit KeySource(const KernelSite& site);

  // Whether the key is i64, or fixed.
  bool ok() const { return ok_; }
  PhiloxKey At(const KernelArgs& args) const;

 private:
  bool given_ = false;
  PhiloxKey settled_;
  bool ok_ = true;
};

// Calls run(line, element) for every line, with its number stream and its first element.
template <typename Run>
void ForEachLine(const CounterRandom& random, PhiloxKey key, Run&& run) {
  for (int64_t line = 0; line < random.lines(); ++line)
    run(random.Line(key, line), line * random.length());
}

}  // namespace metadist::cpu
