// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dnnl.hpp>

#include "executor/cpu/kernel.h"
#include "metair/ops/window.h"

namespace metadist::cpu {

// The operands of a convolution; no bias: empty.
struct ConvOperands {
  dnnl::memory::desc x, w, bias, y;
};
// Those of a call, row-major. w: by group, if there are several.
ConvOperands DenseOperands(const KernelSite& site);

dnnl::convolution_forward::primitive_desc ConvDescriptor(const ConvOperands& operands,
                                                         const Window& window);

// A convolution by oneDNN on channels-last images with packed weights. A row-major x or y is
// reordered through scratch memory. Declines if weights cannot be packed, or if that memory exceeds
// ScratchLimit.
Prepared ConvChannelsLast(const KernelSite& site, const Window& window);

}  // namespace metadist::cpu
