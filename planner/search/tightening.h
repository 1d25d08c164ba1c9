// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace metadist {

// The limits to try for a problem whose programs may need more memory than the problem counts, so
// that a program observes the true limit: the true one first, then less by the excess until a
// program fits or no choice is left, then by bisection between the largest limit known to give
// nothing better and the smallest whose program exceeded the true limit. Bytes.
class Tightening {
 public:
  explicit Tightening(int64_t limit) : next_(limit), above_(limit + 1) {}

  // The limit to try; nullopt if the interval is closed or enough were tried.
  std::optional<int64_t> Next() const;

  // The result for that limit: a choice of that peak whose program exceeds the true limit by
  // `excess`.
  void Exceeds(int64_t peak, int64_t excess);
  // Or: a program that fits, or no choice at all, so smaller limits give nothing better.
  void Settles();

 private:
  void Halve();

  int64_t next_;
  int64_t above_;        // smallest limit whose program exceeded the true limit
  int64_t settled_ = 0;  // largest limit that gives nothing better
  int tried_ = 0;
};

}  // namespace metadist
