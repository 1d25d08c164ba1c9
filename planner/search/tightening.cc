// SPDX-License-Identifier: Apache-2.0
#include "planner/search/tightening.h"

#include <algorithm>

namespace metadist {
namespace {

// A program needs more than its choice for copies and packing, some percent: few limits suffice.
constexpr int kMostTried = 10;
// The interval is closed at 1 / kClosed of the limit.
constexpr int64_t kClosed = 200;

}  // namespace

std::optional<int64_t> Tightening::Next() const {
  if (tried_ == kMostTried || next_ <= settled_ || next_ >= above_) return std::nullopt;
  if (tried_ > 0 && above_ - settled_ <= above_ / kClosed) return std::nullopt;
  return next_;
}

void Tightening::Exceeds(int64_t peak, int64_t excess) {
  ++tried_;
  above_ = std::min(next_, peak);
  next_ = above_ - std::max<int64_t>(1, excess);
  if (settled_ > 0 || next_ <= settled_) Halve();
}

void Tightening::Settles() {
  ++tried_;
  settled_ = next_;
  Halve();
}

void Tightening::Halve() { next_ = settled_ + (above_ - settled_) / 2; }

}  // namespace metadist
