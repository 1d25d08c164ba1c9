// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/broadcast.h"

namespace metadist {

std::vector<int64_t> BroadcastStrides(const Shape& from, const Shape& to) {
  const std::vector<int64_t> own = Strides(from);
  std::vector<int64_t> strides(to.size(), 0);
  const size_t lead = to.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d) strides[lead + d] = from[d] == 1 ? 0 : own[d];
  return strides;
}

}  // namespace metadist
