// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "executor/comm/transport.h"
#include "executor/host/bind_data.h"
#include "executor/host/run_options.h"
#include "executor/run/rank_program.h"

namespace metadist {

// A rank's parts of a value, cut from the tensor `whole`: one array, or one for each micro-batch of
// a batched input. None if `whole` has no data.
std::vector<Tensor> LocalParts(
    const Program& program, int stage, ValueId value, int64_t rank, const Tensor& whole);

// For ranks that share memory: each cuts its parts from whole tensors. Both arguments must outlive
// it.
DataMaker SharedData(const Program& program, const WholeData& data);

// Repeats the step as rank 0's options require, and reports. Collective over `world`. Errors: those
// of the calls, with the node; kDevice; kInterrupted.
Result<RankReport> RepeatSteps(RankProgram& program, Transport& world, const RunOptions& options);

}  // namespace metadist
