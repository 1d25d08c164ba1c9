// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ops/elementwise.h"

// How reductions and cumulative operators fold an element into a result; integers wrap.
namespace metadist {

struct SumFold {
  static int Initial(auto) { return 0; }
  static double Apply(double sum, double x) { return sum + x; }
  static int64_t Apply(int64_t sum, int64_t x) { return WrapAdd(sum, x); }
};

struct ProductFold {
  static int Initial(auto) { return 1; }
  static double Apply(double product, double x) { return product * x; }
  static int64_t Apply(int64_t product, int64_t x) { return WrapMul(product, x); }
};

}  // namespace metadist
