// SPDX-License-Identifier: Apache-2.0
// The index of the largest element along `axis`: the first, or (select_last_index = 1) the last;
// NaN is larger than any number.
#include "metair/ops/arg_max.h"

#include <limits>

#include "metair/ops/arg_extreme.h"
#include "metair/ops/ops.h"
#include "metair/ops/range.h"
#include "metair/ops/reduce.h"
#include "metair/ops/reduce_mean.h"

namespace metadist {

ValueId ComposeExtremePlaces(Composer& compose,
                             const OpCall& call,
                             const std::string& reduction,
                             int64_t axis,
                             int64_t nowhere) {
  const ValueId x = compose.Operand(0);
  ValueId positions = ComposePositions(compose, 0, call.shape(0)[static_cast<size_t>(axis)]);
  if (axis + 1 < call.rank(0))
    positions = compose.With("Unsqueeze", positions, AxesBetween(1, call.rank(0) - axis));
  ValueId hit = compose.Add("Equal", {x, compose.Fold(reduction, x, {axis})});
  if (ClassOf(call.type(0).element) == ElementClass::kFloat)
    hit = compose.Add("Or", {hit, compose.Add("IsNaN", {x})});
  return compose.Add("Where", {hit, positions, compose.Integer(nowhere)});
}

Result<Graph> ComposeArgExtreme(const OpCall& call, const std::string& reduction) {
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", 0), call.rank(0)));
  const bool last = call.attributes->Int("select_last_index", 0) != 0;
  const bool keep = call.attributes->Int("keepdims", 1) != 0;
  Composer compose(call);
  const int64_t nowhere = last ? -1 : std::numeric_limits<int64_t>::max();
  const ValueId found = ComposeExtremePlaces(compose, call, reduction, axis, nowhere);
  return compose.Done({compose.Fold(last ? "ReduceMax" : "ReduceMin", found, {axis}, keep)});
}

}  // namespace metadist

namespace metadist::ops {
namespace {

Result<Graph> DecomposeArgMax(const OpCall& call) { return ComposeArgExtreme(call, "ReduceMax"); }

}  // namespace

OpDef MakeArgMax() {
  return {.name = "ArgMax",
          .since_version = 13,
          .infer = InferArgExtreme,
          .reference = ArgExtreme<TowardsGreatest>,
          .decompose = DecomposeArgMax,
          .work = ReductionWork,
          .examples = ArgExtremeExamples};
}

}  // namespace metadist::ops
