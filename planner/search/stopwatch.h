// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace metadist {

// Adds the seconds of its lifetime to `total`.
class Stopwatch {
 public:
  explicit Stopwatch(double& total) : total_(total), start_(Clock::now()) {}
  ~Stopwatch() { total_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  double& total_;
  Clock::time_point start_;
};

}  // namespace metadist
