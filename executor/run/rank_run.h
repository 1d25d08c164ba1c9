// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "executor/comm/transport.h"
#include "executor/host/bind_data.h"
#include "executor/host/run_options.h"
#include "executor/run/rank_program.h"

namespace metadist {

// What a rank of a stage's mesh holds of a value, of which `whole` holds all elements, and all
// micro-batches of a batched input: one array for each. Absent data gives none.
std::vector<Tensor> LocalParts(
    const Program& program, int stage, ValueId value, int64_t rank, const Tensor& whole);

// For ranks that share memory: each cuts its parts from whole arrays. Both must outlive it.
DataMaker SharedData(const Program& program, const WholeData& data);

// Repeats the step as the options of rank 0 say, and tells of it. Collective over `world`.
// Errors: those of the calls, with the node; kDevice; kInterrupted.
Result<RankReport> RepeatSteps(RankProgram& program, Transport& world, const RunOptions& options);

}  // namespace metadist
