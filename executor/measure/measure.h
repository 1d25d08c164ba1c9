// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "executor/comm/messenger.h"
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
  // Where ranks are processes: these. The caller is the first; the others call ServeMeasurement.
  Messenger* processes = nullptr;
  std::string library;  // that carries their messages, for the header
};

// ProfileHeader::launch_mode of profiles whose ranks were threads, or processes.
inline constexpr char kOfThreads[] = "threads";
inline constexpr char kOfProcesses[] = "processes";

// The profile header for this machine.
ProfileHeader ThisMachine(const MeasureOptions& options);

// Measures this machine as a device of kind "cpu" whose ranks are threads, or processes (maybe on
// several machines, represented by that of the first rank): matrix products, copies by size,
// element-wise rates, the overhead of a node, the slow-down with several active ranks, and
// collectives among ranks. Every row has provenance "measured" and is the median of repeated
// samples (StopRule). Errors: kUsage, kDevice, kInterrupted.
Result<Profile> MeasureCpu(const MeasureOptions& options);

// Whether a text from the first process asks for a measurement, and what the other processes then
// do: their part of it.
bool IsMeasurement(const std::string& text);
Result<void> ServeMeasurement(Messenger& processes, const std::string& text);

}  // namespace metadist
