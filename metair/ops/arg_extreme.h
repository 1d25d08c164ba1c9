// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ops/compute_type.h"
#include "metair/ops/extremes.h"
#include "metair/ops/lines.h"
#include "metair/ops/op_def.h"

// Shared by operators that find the index of an extreme element along `axis`.
namespace metadist {

Result<std::vector<TensorType>> InferArgExtreme(const OpCall& call);
std::vector<OpExample> ArgExtremeExamples();

// Better: TowardsGreatest or TowardsLeast.
template <typename Better>
Result<void> ArgExtreme(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", 0), in[0].rank()));
  const bool last = call.attributes->Int("select_last_index", 0) != 0;
  int64_t* y = out[0].mutable_data<int64_t>();
  VisitNumberType(in[0].element(), [&](auto zero) {
    using T = decltype(zero);
    ForEachLine(in[0].shape(), axis, [&](const Line& line) {
      const T* x = in[0].data<T>() + line.first;
      int64_t best = 0;
      for (int64_t i = 1; i < line.size; ++i) {
        const T now = x[i * line.stride];
        const T then = x[best * line.stride];
        if (Better()(now, then) || (last && !Better()(then, now))) best = i;
      }
      *y++ = best;
    });
  });
  return {};
}

}  // namespace metadist
