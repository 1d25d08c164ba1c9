// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "executor/device/chain_buffers.h"
#include "executor/device/cpu_step.h"

namespace metadist {

// The same steps, with consecutive ones of one group joined to chains where their kernels compute
// ranges of elements: all nodes of a chain process one block, then the next block. Results are
// bit-identical. Memory stays as planned: values read only within a chain repeatedly use the first
// block of their buffers, which hold no valid data afterwards. group_of: by node; -1: it runs
// alone.
std::vector<CpuStep> RunInChains(std::vector<CpuStep> steps,
                                 const Graph& graph,
                                 const std::vector<int>& group_of,
                                 const ChainBuffers& buffers);

}  // namespace metadist
