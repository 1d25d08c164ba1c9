// SPDX-License-Identifier: Apache-2.0
// Moves blocks of pixels to channels and back: one copy that permutes six dims.
#include <array>

#include "executor/cpu/copying.h"
#include "executor/cpu/makers.h"

namespace metadist::cpu {
namespace {

// y = x reshaped to `split`, with its dims permuted by `order`.
Prepared Permuted(const KernelSite& site, const Shape& split, const std::array<size_t, 6>& order) {
  const std::vector<int64_t> strides = Strides(split);
  Shape shape;
  StridedCopy::Side from;
  for (const size_t d : order) {
    shape.push_back(split[d]);
    from.strides.push_back(strides[d]);
  }
  return Copying(site, shape, from);
}

}  // namespace

Prepared DepthToSpace(const KernelSite& site) {
  const Shape& x = site.shape(0);
  const int64_t block = site.attributes().Int("blocksize", 1);
  const int64_t channels = site.out().shape[1];
  if (site.attributes().String("mode", "DCR") == "DCR")
    return Permuted(site, {x[0], block, block, channels, x[2], x[3]}, {0, 3, 4, 1, 5, 2});
  return Permuted(site, {x[0], channels, block, block, x[2], x[3]}, {0, 1, 4, 2, 5, 3});
}

Prepared SpaceToDepth(const KernelSite& site) {
  const Shape& x = site.shape(0);
  const Shape& y = site.out().shape;
  const int64_t block = site.attributes().Int("blocksize", 1);
  return Permuted(site, {x[0], x[1], y[2], block, y[3], block}, {0, 3, 5, 1, 2, 4});
}

}  // namespace metadist::cpu
