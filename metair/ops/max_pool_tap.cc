// SPDX-License-Identifier: Apache-2.0
// The row-major index, within the window, of the largest element under each position of a sliding
// window; -1 if there is none. Attributes as in MaxPool.
#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/max_pool.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferMaxPoolTap(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Numbers(0).RankAtLeast(0, 3).Done());
  TensorType type = TRY(PoolType(call));
  type.element = ElementType::kI64;
  return std::vector<TensorType>{type};
}

Result<void> MaxPoolTapReference(const OpCall& call,
                                 std::span<const Tensor> in,
                                 std::span<Tensor> out) {
  const Window window = TRY(PoolWindow(call));
  int64_t* place = out[0].mutable_data<int64_t>();
  VisitNumberType(in[0].element(), [&](auto zero) {
    ForEachGreatest<decltype(zero)>(
        window, in[0], out[0].size(), [&](int64_t i, const Greatest& found) {
          place[i] = found.tap;
        });
  });
  return {};
}

}  // namespace

OpDef MakeMaxPoolTap() {
  return {.domain = "metadist",
          .name = "MaxPoolTap",
          .infer = InferMaxPoolTap,
          .reference = MaxPoolTapReference,
          .work = PoolWork,
          .examples = PoolExamples};
}

}  // namespace metadist::ops
