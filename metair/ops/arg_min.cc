// SPDX-License-Identifier: Apache-2.0
// The index of the smallest element along `axis`: the first, or (select_last_index = 1) the last;
// NaN is smaller than any number.
#include "metair/ops/arg_extreme.h"
#include "metair/ops/arg_max.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist::ops {
namespace {

Result<Graph> DecomposeArgMin(const OpCall& call) { return ComposeArgExtreme(call, "ReduceMin"); }

}  // namespace

OpDef MakeArgMin() {
  return {.name = "ArgMin",
          .since_version = 13,
          .infer = InferArgExtreme,
          .reference = ArgExtreme<TowardsLeast>,
          .decompose = DecomposeArgMin,
          .work = ReductionWork,
          .examples = ArgExtremeExamples};
}

}  // namespace metadist::ops
