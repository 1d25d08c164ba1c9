// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "profiles/profile.h"

namespace metadist {

// When a row has been measured well enough: after at least `min_samples` samples and `min_seconds`,
// at most `max_seconds`. A sample repeats short work until it lasts `sample_seconds`.
struct StopRule {
  int min_samples = 10;
  double min_seconds = 0.1;
  double max_seconds = 5;
  double sample_seconds = 50e-6;

  static StopRule For(bool quick);
  bool Enough(size_t samples, double seconds) const;
  // Repetitions per sample of work that takes `seconds` once.
  int Repetitions(double seconds) const;
};

double SecondsBetween(std::chrono::steady_clock::time_point from,
                      std::chrono::steady_clock::time_point to);

// The element at this share of the sorted values; 0 if there are none.
double Quantile(std::vector<double> values, double share);

// CPU seconds of this thread.
double ThreadSeconds();

// Median, deviation and percentiles of `seconds`, which must not be empty.
Sample Summarize(const std::vector<double>& seconds, const std::string& origin);

// Times one call of `work`, on this thread.
Sample Measure(const std::function<void()>& work, const StopRule& rule, const std::string& origin);

}  // namespace metadist
