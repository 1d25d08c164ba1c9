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

inline constexpr char kMeasuredHere[] = "measured";  // the origin of every row that is measured

inline constexpr int kMostMeasuredRanks = 1024;

struct MeasureOptions {
  std::vector<int> ranks = {2, 3, 4};  // group sizes of collectives; beyond the cores, too
  bool quick = false;                  // coarse grid and few samples: seconds, not minutes
  double budget_seconds = 0;           // stop measuring new rows after this; 0 = none
  const Profile* previous = nullptr;   // rows that it holds are kept and not measured again
  // After each new row, with a profile that can be written, read and resumed.
  std::function<void(const Profile&)> row_done;
  std::function<void(const std::string&)> progress;  // one short line a table
  const std::atomic<bool>* interrupted = nullptr;
  std::string date;  // ISO 8601, of the header
  std::string tool_version;
};

// What the profiles of these options say of the machine.
ProfileHeader ThisMachine(const MeasureOptions& options);

// Measures this machine as a device of kind "cpu" whose ranks are threads: matrix products, copies
// by bytes, element-wise rates, the cost of a node, slow-down with several ranks, and collectives
// among ranks. Every row has provenance "measured". Rows are the median of repeated samples; a row
// ends at 10 samples and its share of time, or at its timeout. Errors: kDevice, kInterrupted.
Result<Profile> MeasureCpu(const MeasureOptions& options);

}  // namespace metadist
