// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/result.h"
#include "metair/ir/tensor.h"
#include "metair/spmd/collective.h"
#include "metair/spmd/mesh.h"

// Runs a redistribution by itself: steps on one array, each from where the last one ended.
namespace metadist {

struct RouteRun {
  std::vector<Tensor> held;           // by rank, at the end
  std::vector<int64_t> elements;      // by step: most that a rank's destination holds
  std::vector<double> step_seconds;   // by step: median over the rounds of the slowest rank
  std::vector<double> round_seconds;  // by round: from the first rank's start to the last one's end
};

struct RouteRunOptions {
  int warm_up = 1;              // rounds that are not measured
  int iterations = 3;           // measured rounds, at least
  double min_seconds = 0;       // measure on until this much time has passed
  double timeout_seconds = 60;  // longest a rank waits for another
};

// With one thread a rank. held: what each rank holds before the first step; of type.element and the
// local shape under its `from`. Errors: kInternal for a step that PlanTransfers refuses, kDevice.
Result<RouteRun> RunRoute(const std::vector<CollectiveStep>& steps,
                          const TensorType& type,
                          const Mesh& mesh,
                          std::vector<Tensor> held,
                          const RouteRunOptions& options = {});

// The same transfers, once, one rank after the other in one thread; for any number of ranks. No
// times.
Result<RouteRun> RunRouteInTurn(const std::vector<CollectiveStep>& steps,
                                const TensorType& type,
                                const Mesh& mesh,
                                std::vector<Tensor> held);

}  // namespace metadist
