// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "executor/arrangement.h"
#include "executor/rank_step.h"
#include "metair/ir/graph.h"
#include "metair/spmd/buffer_plan.h"

namespace metadist {

// Where the values of a rank lie.
struct ChainSite {
  const Graph& graph;
  const BufferPlan& plan;
  const Arrangement& arrangement;
  const std::vector<std::byte*>& buffers;  // by value id
};

// The same steps, with consecutive ones that compute elements from elements run as one: a block of
// all of them, then the next block. Results are the same bits; memory is that of `plan`, of which
// values that only the chain reads use the beginning, over and over. They hold no data afterwards.
std::vector<RankStep> FuseChains(std::vector<RankStep> steps, const ChainSite& site);

}  // namespace metadist
