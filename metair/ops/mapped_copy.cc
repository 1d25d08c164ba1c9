// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/mapped_copy.h"

#include <cstring>

namespace metadist {

void CopyMapped(const Tensor& from, const std::vector<std::vector<int64_t>>& maps, Tensor& to) {
  const size_t bytes = static_cast<size_t>(ByteSize(from.element()));
  const std::vector<int64_t> strides = Strides(from.shape());
  std::byte* target = to.mutable_bytes();
  for (int64_t i = 0; i < to.size(); ++i) {
    int64_t rest = i;
    int64_t at = 0;
    for (size_t d = maps.size(); d-- > 0 && at >= 0;) {
      const int64_t size = to.shape()[d];
      const int64_t place = maps[d][static_cast<size_t>(rest % size)];
      at = place < 0 ? -1 : at + place * strides[d];
      rest /= size;
    }
    if (at >= 0)
      std::memcpy(target + static_cast<size_t>(i) * bytes,
                  from.bytes() + static_cast<size_t>(at) * bytes,
                  bytes);
  }
}

}  // namespace metadist
