// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "executor/measure/measure.h"
#include "executor/measure/stopwatch.h"

namespace metadist {

// A profile in the making: which rows are still wanted, and what to do when one is there.
class Measurer {
 public:
  explicit Measurer(const MeasureOptions& options);

  const MeasureOptions& options() const { return options_; }
  const StopRule& rule() const { return rule_; }
  Profile& profile() { return profile_; }

  // False where the row exists already, or no more time is left, or the user wants to stop.
  bool Wants(const Series& series, int64_t key) const;
  bool WantsFactor(const std::string& name) const;
  bool stopped() const;
  void Add(Series& series, int64_t key, Sample sample);
  void AddFactor(const std::string& name, double value);
  // Hands the profile as it stands to whoever keeps it; it can be read again at any time.
  void Report();
  void Say(const std::string& what) const;

 private:
  const MeasureOptions& options_;
  const StopRule rule_;
  const std::chrono::steady_clock::time_point start_;
  Profile profile_;
};

// The tables, in the order in which they are measured.
void MeasureContractions(Measurer& measurer);
void MeasureStream(Measurer& measurer);
void MeasureKernels(Measurer& measurer);
Result<void> MeasureSlowdown(Measurer& measurer);
Result<void> MeasureCollectives(Measurer& measurer);

}  // namespace metadist
