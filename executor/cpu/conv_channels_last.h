// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dnnl.hpp>

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// Strides, gaps between taps (ONNX's dilations less one) and padding, by dim of space.
struct ConvWindow {
  dnnl::memory::dims strides;
  dnnl::memory::dims gaps;
  dnnl::memory::dims before;
  dnnl::memory::dims after;
};

// A convolution by oneDNN over images whose channels lie last, and with packed weights. Where x or
// y lie row by row, they are reordered through scratch memory. Declines where weights cannot be
// packed, or where that memory is more than ScratchLimit.
Prepared ConvChannelsLast(const KernelSite& site, const ConvWindow& window);

}  // namespace metadist::cpu
