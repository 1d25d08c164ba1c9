// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "executor/device/chain_buffers.h"
#include "executor/device/cpu_step.h"

namespace metadist {

// The same steps, with consecutive ones that compute elements from elements run as one: a block of
// all of them, then the next block. Results are the same bits; memory is that of the plan, of which
// values that only the chain reads use the beginning, over and over. They hold no data afterwards.
std::vector<CpuStep> FuseChains(std::vector<CpuStep> steps,
                                const Graph& graph,
                                const ChainBuffers& buffers);

}  // namespace metadist
