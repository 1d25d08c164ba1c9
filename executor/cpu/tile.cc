// SPDX-License-Identifier: Apache-2.0
// Each dim is walked as [repeats, size]; the stride of x along the repeats is 0.
#include "executor/cpu/copying.h"
#include "executor/cpu/makers.h"

namespace metadist::cpu {

Prepared Tile(const KernelSite& site) {
  const Shape& from = site.shape(0);
  const Shape& to = site.out().shape;
  if (NumElements(to) == 0) return Decline("nothing to do");
  const std::vector<int64_t> strides = site.StridesOf(0);
  Shape sizes;
  StridedCopy::Side source;
  for (size_t d = 0; d < from.size(); ++d) {
    sizes.insert(sizes.end(), {to[d] / from[d], from[d]});
    source.strides.insert(source.strides.end(), {0, strides[d]});
  }
  return Copying(site, sizes, source);
}

}  // namespace metadist::cpu
