// SPDX-License-Identifier: Apache-2.0
// The minimum over axes; NaN propagates; for bools: and.
#include <limits>

#include "metair/ops/extremes.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist::ops {
namespace {

struct Least {
  static double Initial(double) { return std::numeric_limits<double>::infinity(); }
  static int64_t Initial(int64_t) { return std::numeric_limits<int64_t>::max(); }
  static bool Initial(bool) { return true; }
  static double Apply(double y, double x) { return Smaller(y, x); }
  static int64_t Apply(int64_t y, int64_t x) { return y < x ? y : x; }
  static bool Apply(bool y, bool x) { return y && x; }
};

}  // namespace

OpDef MakeReduceMin() {
  return {.name = "ReduceMin",
          .since_version = 20,
          .infer = InferReduction,
          .reference = AnyReduction<Least>,
          .gradient = ReducedExtremeGradient,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
