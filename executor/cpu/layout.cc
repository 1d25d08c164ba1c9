// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/layout.h"

namespace metadist::cpu {

std::vector<int64_t> ChannelsLastStrides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  if (shape.size() < 2) return strides;
  int64_t step = shape[1];
  for (size_t d = shape.size(); d-- > 2;) {
    strides[d] = step;
    step *= shape[d];
  }
  strides[0] = step;
  return strides;
}

bool KeepsLayout(const KernelSite& site) {
  if (!site.strided(0)) return site.out_strides.empty();
  return site.shape(0) == site.out().shape && site.out_strides == site.strides[0] &&
         ReadsChannelsLast(site);
}

bool ReadsChannelsLast(const KernelSite& site) {
  return site.strided(0) && site.strides[0] == ChannelsLastStrides(site.shape(0));
}

bool WritesChannelsLast(const KernelSite& site) {
  return !site.out_strides.empty() && site.out_strides == ChannelsLastStrides(site.out().shape);
}

}  // namespace metadist::cpu
