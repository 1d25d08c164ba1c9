// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "planner/solvers/solver.h"

// Limits for the parts of planning. Work is in the units of SolveOptions::work_limit.
namespace metadist {

// Solving one mesh under a memory limit, unless a time limit is given: branch and bound could take
// hours.
inline constexpr int64_t kSolveWork = 60 * kWorkPerSecond;
// Improving a plan with tied layers, with all layers free; at least kImprovePerEntry for every edge
// entry, so that bounds have time to rise.
inline constexpr int64_t kImproveWork = 200'000'000;
inline constexpr int64_t kImprovePerEntry = 20;
// Problems with more edge entries are not solved with all layers free.
inline constexpr int64_t kImproveEntries = 60'000'000;
// The same for meshes that only matter for the bound.
inline constexpr int64_t kProveEntries = 2'000'000;
// Least-peak searches, and each budget tried after them.
inline constexpr int64_t kLeastPeakWork = 100'000'000;
inline constexpr int64_t kShrinkWork = 50'000'000;
inline constexpr int kShrinkSteps = 8;

// Share of the time limit for solving without the memory limit.
inline constexpr double kFreeShare = 0.5;
// Share of the remaining time for solving with repeated layers tied.
inline constexpr double kTiedShare = 0.5;

// For one mesh: every solution under a smaller limit has at least 1 / kLeastShare of the whole
// work, and at least these seconds.
inline constexpr int64_t kLeastShare = 8;
inline constexpr double kLeastSeconds = 0.01;
// How often copies are counted before a limit is tightened.
inline constexpr int kMostCounting = 12;

}  // namespace metadist
