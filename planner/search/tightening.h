// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace metadist {

// Which limits to give a problem whose programs may need more memory than the problem counts, so
// that a program keeps the true limit: the true one first, then less by what was exceeded until a
// program fits or no choice is left, then halves between the largest limit that is known to give
// nothing more and the smallest whose program exceeded. Bytes.
class Tightening {
 public:
  explicit Tightening(int64_t limit) : next_(limit), above_(limit + 1) {}

  // The limit to try; none where the interval is closed or enough were tried.
  std::optional<int64_t> Next() const;

  // What came of it. A choice of that peak whose program exceeds the true limit by `excess`:
  void Exceeds(int64_t peak, int64_t excess);
  // A program that fits, or no choice at all: smaller limits give nothing more.
  void Settles();

 private:
  void Halve();

  int64_t next_;
  int64_t above_;        // smallest limit whose program exceeded
  int64_t settled_ = 0;  // largest limit that gives nothing more
  int tried_ = 0;
};

}  // namespace metadist
