// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "executor/measure/measure.h"
#include "executor/measure/stopwatch.h"
#include "executor/measure/team.h"

namespace metadist {

// A profile under construction: decides which rows still need measuring, and reports new ones.
class Measurer {
 public:
  // Both must outlive it.
  Measurer(const MeasureOptions& options, Team& team);

  const MeasureOptions& options() const { return options_; }
  const StopRule& rule() const { return rule_; }
  Team& team() { return team_; }
  Profile& profile() { return profile_; }

  // False if the row exists already, time has run out, or the user has interrupted; and in every
  // process but the first.
  bool Wants(const Series& series, int64_t key) const;
  bool WantsFactor(const std::string& name) const;
  bool stopped() const;
  void Add(Series& series, int64_t key, Sample sample);
  void AddFactor(const std::string& name, double value);
  // Passes the current profile to options().row_done; the profile can be read back at any point.
  void Report();
  void Say(const std::string& what) const;

 private:
  const MeasureOptions& options_;
  Team& team_;
  const StopRule rule_;
  const std::chrono::steady_clock::time_point start_;
  Profile profile_;
};

// The tables, in the order of measurement.
void MeasureContractions(Measurer& measurer);
void MeasureStream(Measurer& measurer);
void MeasureKernels(Measurer& measurer);
Result<void> MeasureSlowdown(Measurer& measurer);
Result<void> MeasureCollectives(Measurer& measurer);

}  // namespace metadist
