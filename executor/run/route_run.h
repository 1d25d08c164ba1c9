// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/result.h"
#include "metair/ir/tensor.h"
#include "metair/spmd/collective.h"
#include "metair/spmd/mesh.h"

// Runs a redistribution alone: steps on one array, each starting from the result of the previous
// one.
namespace metadist {

struct RouteRun {
  std::vector<Tensor> held;           // by rank, at the end
  std::vector<int64_t> elements;      // by step: largest destination of any rank
  std::vector<double> step_seconds;   // by step: median over the rounds of the slowest rank's time
  std::vector<double> round_seconds;  // by round: from the first rank's start to the last one's end
};

struct RouteRunOptions {
  int warm_up = 1;              // rounds that are not measured
  int iterations = 3;           // measured rounds, at least
  double min_seconds = 0;       // keep measuring until this much time has passed
  double timeout_seconds = 60;  // the longest that a rank waits for another
};

// Runs one thread per rank. held: what each rank holds before the first step; of type.element and
// the local shape under that step's `from`. Errors: kInternal for a step that PlanTransfers
// rejects, kDevice.
Result<RouteRun> RunRoute(const std::vector<CollectiveStep>& steps,
                          const TensorType& type,
                          const Mesh& mesh,
                          std::vector<Tensor> held,
                          const RouteRunOptions& options = {});

// The same transfers, run once for all ranks sequentially in one thread, so any number of ranks is
// possible. No times.
Result<RouteRun> RunRouteInTurn(const std::vector<CollectiveStep>& steps,
                                const TensorType& type,
                                const Mesh& mesh,
                                std::vector<Tensor> held);

}  // namespace metadist
