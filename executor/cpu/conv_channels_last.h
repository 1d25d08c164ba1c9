// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dnnl.hpp>

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// Strides, gaps between taps (ONNX's dilations minus one) and padding, by spatial dim.
struct ConvWindow {
  dnnl::memory::dims strides;
  dnnl::memory::dims gaps;
  dnnl::memory::dims before;
  dnnl::memory::dims after;
};

// A convolution by oneDNN on channels-last images with packed weights. A row-major x or y is
// reordered through scratch memory. Declines if weights cannot be packed, or if that memory exceeds
// ScratchLimit.
Prepared ConvChannelsLast(const KernelSite& site, const ConvWindow& window);

}  // namespace metadist::cpu
