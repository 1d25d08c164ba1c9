// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "metair/ops/op_def.h"

namespace metadist {

// The integers that a kernel accepts in an input whose legal values are not stated: below `count`
// in the call that was tried, and in proportion to some of its sizes in other calls.
struct FoundDomain {
  // A slot of the call, and its value in the call that was tried.
  struct Grows {
    int slot = 0;
    int64_t value = 1;
  };

  int input = 0;
  int64_t count = 0;
  bool negative_ok = false;  // [-count, count) rather than [0, count)
  std::vector<Grows> grows = {};
  std::optional<InputDomain::Bound> bound = {};  // a dim of that size, if there is one

  // The domain at these slot values.
  InputDomain At(std::span<const int64_t> values) const {
    if (bound)
      return {.kind = InputDomain::Kind::kIndex, .bounds = {*bound}, .negative_ok = negative_ok};
    int64_t now = count;
    for (const Grows& one : grows) now = now / one.value * values[static_cast<size_t>(one.slot)];
    return {.kind = InputDomain::Kind::kRange,
            .low = static_cast<double>(negative_ok ? -now : 0),
            .high = static_cast<double>(now - 1)};
  }
};

}  // namespace metadist
