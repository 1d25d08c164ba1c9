// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "metair/ir/result.h"
#include "profiles/profile.h"

namespace metadist {

inline constexpr char kMeasuredHere[] = "measured";  // origin of every measured row

inline constexpr int kMostMeasuredRanks = 1024;

struct MeasureOptions {
  std::vector<int> ranks = {2, 3, 4};  // group sizes of collectives; may exceed the number of cores
  bool quick = false;                  // coarse grid and few samples: seconds, not minutes
  double budget_seconds = 0;           // stop measuring new rows after this; 0 = none
  const Profile* previous = nullptr;   // its rows are kept and not measured again
  // Called after each new row, with a profile that can be written, read and resumed.
  std::function<void(const Profile&)> row_done;
  std::function<void(const std::string&)> progress;  // one short line per table
  const std::atomic<bool>* interrupted = nullptr;
  std::string date;  // ISO 8601, for the header
  std::string tool_version;
};

// The profile header for this machine.
ProfileHeader ThisMachine(const MeasureOptions& options);

// Measures this machine as a device of kind "cpu" whose ranks are threads: matrix products, copies
// by size, element-wise rates, the overhead of a node, the slow-down with several active ranks, and
// collectives among ranks. Every row has provenance "measured" and is the median of repeated
// samples (StopRule). Errors: kUsage, kDevice, kInterrupted.
Result<Profile> MeasureCpu(const MeasureOptions& options);

}  // namespace metadist
