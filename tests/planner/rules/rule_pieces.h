// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "metair/ir/tensor.h"
#include "planner/rules/factor/rule.h"

// The part of a rank under a factor, for the rule checker; shares no code with discovery.
namespace metadist::testing {

// The range of the index-th of `count` balanced pieces of [0, size).
inline std::pair<int64_t, int64_t> Part(int64_t size, int64_t count, int64_t index) {
  const int64_t low = index * (size / count) + std::min(index, size % count);
  return {low, low + size / count + (index < size % count ? 1 : 0)};
}

inline std::vector<bool> Owned(const Cut& cut, int64_t size, int64_t ranks, int64_t rank) {
  std::vector<bool> owned;
  for (int64_t b = 0; b < cut.repeat; ++b)
    for (const Cut::Part& part : cut.parts) {
      const auto [low, high] = Part(part.size, ranks, rank);
      for (int64_t i = 0; i < part.size * part.unit; ++i)
        owned.push_back(i / part.unit >= low && i / part.unit < high);
    }
  owned.resize(static_cast<size_t>(size), false);
  return owned;
}

// A piece and its halo, as if the dim were unbounded.
inline std::pair<int64_t, int64_t> Wide(const Cut& cut, int64_t ranks, int64_t rank) {
  const auto [low, high] = Part(cut.parts[0].size, ranks, rank);
  const int64_t unit = cut.parts[0].unit;
  return {low * unit - cut.halo.before, high * unit + cut.halo.behind};
}

// The indices of a dim that a rank reads or produces, including those beyond its piece.
inline std::vector<bool> Widely(const Cut& cut, int64_t size, int64_t ranks, int64_t rank) {
  if (cut.halo.empty()) return Owned(cut, size, ranks, rank);
  const auto [begin, end] = Wide(cut, ranks, rank);
  std::vector<bool> held(static_cast<size_t>(size), false);
  for (int64_t i = begin; i < end; ++i) {
    const bool around = cut.halo.course == Halo::Course::kAround;
    if (!around && (i < 0 || i >= size)) continue;
    const bool mirrored = cut.halo.course == Halo::Course::kMirrored;
    held[static_cast<size_t>(mirrored ? size - 1 - i : (i + size) % size)] = true;
  }
  return held;
}

// The index at which a rank begins to read a dim with wrap-around; else 0.
inline int64_t FirstOf(const Cut& cut, int64_t size, int64_t ranks, int64_t rank) {
  if (cut.halo.course != Halo::Course::kAround) return 0;
  return (Wide(cut, ranks, rank).first + size) % size;
}

// True if pieces are large enough for their halos: only the first and the last piece reach the
// ends.
inline bool HasRoom(const Factor& factor, int64_t ranks) {
  for (const auto* cuts : {&factor.inputs, &factor.outputs})
    for (const Cut& cut : *cuts) {
      if (cut.halo.empty()) continue;
      for (int64_t r = 0; r < ranks; ++r) {
        const auto [begin, end] = Wide(cut, ranks, r);
        const auto [low, high] = Part(cut.parts[0].size, ranks, r);
        const int64_t width = (high - low) * cut.parts[0].unit;
        if (cut.halo.before > width || cut.halo.behind > width) return false;
        if (cut.halo.course == Halo::Course::kAround) {
          if (begin >= end || end - begin > cut.size()) return false;
          continue;
        }
        if ((r > 0 && begin < 0) || (r + 1 < ranks && end > cut.size())) return false;
        if (std::min(end, cut.size()) <= std::max<int64_t>(begin, 0)) return false;
      }
    }
  return true;
}

// The array extended by `more` zeros at the end of a dim, or shortened if negative.
inline Tensor Resized(const Tensor& x, int dim, int64_t more) {
  Shape shape = x.shape();
  int64_t inner = ByteSize(x.element());
  for (size_t d = static_cast<size_t>(dim) + 1; d < shape.size(); ++d) inner *= shape[d];
  const int64_t before = shape[static_cast<size_t>(dim)] * inner;
  shape[static_cast<size_t>(dim)] += more;
  const int64_t after = shape[static_cast<size_t>(dim)] * inner;
  Tensor out = Tensor::Zeros({x.element(), shape});
  for (int64_t row = 0; row < (before == 0 ? 0 : x.type().bytes() / before); ++row)
    std::copy_n(
        x.bytes() + row * before, std::min(before, after), out.mutable_bytes() + row * after);
  return out;
}

// Indices whose target a rank does not hold point beyond its part; the others give the number of
// indices of the dim that the rank holds before the target.
inline Tensor CountedWithin(const Tensor& whole,
                            const CountedIndex& index,
                            int64_t ranks,
                            int64_t rank) {
  const int64_t size = index.view.size();
  const std::vector<bool> owned = Owned(index.view, size, ranks, rank);
  Tensor x = whole.Clone();
  for (int64_t i = 0; i < x.size(); ++i) {
    if (index.column >= 0 && i % x.dim(x.rank() - 1) != index.column) continue;
    int64_t& at = x.mutable_data<int64_t>()[i];
    const int64_t target = at < 0 && index.from_end ? at + size : at;
    int64_t before = 0;
    bool held = false;
    for (int64_t j = 0; j < size && !held; ++j) {
      held = j == target && owned[static_cast<size_t>(j)];
      before += owned[static_cast<size_t>(j)] && !held ? 1 : 0;
    }
    at = before;
  }
  return x;
}

}  // namespace metadist::testing
