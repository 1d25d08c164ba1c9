// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// Strides of a dense array whose second dim (the channels) lies last.
std::vector<int64_t> ChannelsLastStrides(const Shape& shape);

// Whether output 0 lies exactly as input 0 does, both dense: element i of the one buffer belongs to
// element i of the other. What kernels of one operand need.
bool KeepsLayout(const KernelSite& site);

// Whether the channels of input 0 (output 0) lie last.
bool ReadsChannelsLast(const KernelSite& site);
bool WritesChannelsLast(const KernelSite& site);

}  // namespace metadist::cpu
