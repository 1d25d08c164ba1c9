// SPDX-License-Identifier: Apache-2.0
// The maximum over axes; NaN propagates; for bools: or.
#include <limits>

#include "metair/ops/extremes.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist::ops {
namespace {

struct Greatest {
  static double Initial(double) { return -std::numeric_limits<double>::infinity(); }
  static int64_t Initial(int64_t) { return std::numeric_limits<int64_t>::lowest(); }
  static bool Initial(bool) { return false; }
  static double Apply(double y, double x) { return Larger(y, x); }
  static int64_t Apply(int64_t y, int64_t x) { return y > x ? y : x; }
  static bool Apply(bool y, bool x) { return y || x; }
};

}  // namespace

OpDef MakeReduceMax() {
  return {.name = "ReduceMax",
          .since_version = 20,
          .infer = InferReduction,
          .reference = AnyReduction<Greatest>,
          .gradient = ReducedExtremeGradient,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
