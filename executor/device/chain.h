// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "executor/device/chain_buffers.h"
#include "executor/device/cpu_step.h"

namespace metadist {

// The same steps, with consecutive ones of one group run as one where all of their kernels compute
// ranges of elements: a block of all of them, then the next block. Results are the same bits;
// memory is that of the plan, of which values that only the chain reads use the beginning, over and
// over. They hold no data afterwards. group_of: by node; -1: it runs alone.
std::vector<CpuStep> RunInChains(std::vector<CpuStep> steps,
                                 const Graph& graph,
                                 const std::vector<int>& group_of,
                                 const ChainBuffers& buffers);

}  // namespace metadist
