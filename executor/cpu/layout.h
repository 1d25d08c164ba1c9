// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// Strides of a dense array whose second dim (the channels) varies fastest.
std::vector<int64_t> ChannelsLastStrides(const Shape& shape);

// Whether output 0 has the same dense layout as input 0, so that element i of one buffer
// corresponds to element i of the other, as kernels of one operand require.
bool KeepsLayout(const KernelSite& site);

// Whether input 0 (output 0) is channels-last.
bool ReadsChannelsLast(const KernelSite& site);
bool WritesChannelsLast(const KernelSite& site);

}  // namespace metadist::cpu
