// SPDX-License-Identifier: Apache-2.0
// The stop rule is that of NVIDIA/nvbench, scaled to kernels of microseconds.
#include "executor/measure/stopwatch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "metair/ir/check.h"

namespace metadist {
namespace {

constexpr int kMaxRepetitions = 100000;

}  // namespace

double SecondsBetween(std::chrono::steady_clock::time_point from,
                      std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

double Quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
}

double ThreadSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

StopRule StopRule::For(bool quick) {
  if (quick)
    return {.min_samples = 5, .min_seconds = 2e-3, .max_seconds = 0.3, .sample_seconds = 20e-6};
  return {};
}

bool StopRule::Enough(size_t samples, double seconds) const {
  if (samples > 0 && seconds >= max_seconds) return true;
  return static_cast<int>(samples) >= min_samples && seconds >= min_seconds;
}

int StopRule::Repetitions(double seconds) const {
  if (seconds <= 0) return kMaxRepetitions;
  return static_cast<int>(
      std::clamp(std::ceil(sample_seconds / seconds), 1.0, static_cast<double>(kMaxRepetitions)));
}

Sample Summarize(const std::vector<double>& seconds, const std::string& origin) {
  CHECK(!seconds.empty(), "a row needs samples");
  const double median = Quantile(seconds, 0.5);
  std::vector<double> deviations;
  for (double x : seconds) deviations.push_back(std::abs(x - median));
  Sample sample;
  // A clock too coarse for the work must not make a row free.
  sample.time_us = std::max(median * 1e6, 1e-4);
  sample.mad_us = Quantile(std::move(deviations), 0.5) * 1e6;
  sample.p10_us = Quantile(seconds, 0.1) * 1e6;
  sample.p90_us = Quantile(seconds, 0.9) * 1e6;
  sample.samples = static_cast<int64_t>(seconds.size());
  sample.origin = origin;
  return sample;
}

Sample Measure(const std::function<void()>& work, const StopRule& rule, const std::string& origin) {
  using Clock = std::chrono::steady_clock;
  const auto timed = [&](int repetitions) {
    const auto start = Clock::now();
    for (int i = 0; i < repetitions; ++i) work();
    return std::chrono::duration<double>(Clock::now() - start).count() / repetitions;
  };
  timed(1);  // touches code and data once
  const int repetitions = rule.Repetitions(timed(2));
  std::vector<double> samples;
  double total = 0;
  while (!rule.Enough(samples.size(), total)) {
    samples.push_back(timed(repetitions));
    total += samples.back() * repetitions;
  }
  return Summarize(samples, origin);
}

}  // namespace metadist
