// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace metadist {

// The solvers' own generator (xorshift64*, Marsaglia 2003, Vigna 2016): same seed, same numbers on
// every machine.
class Random {
  __extension__ using Wide = unsigned __int128;

 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 0x2545F4914F6CDD1Dull) {
    if (state_ == 0) state_ = 1;
    for (int k = 0; k < 4; ++k) Next();
  }

  uint64_t Next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1Dull;
  }

  // Uniform in [0, count); count > 0.
  int Below(int64_t count) {
    return static_cast<int>((static_cast<Wide>(Next()) * static_cast<uint64_t>(count)) >> 64);
  }

  // Uniform in [0, 1).
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

  // Shuffles an array or a part of one.
  template <typename Items>
  void Shuffle(Items&& items) {
    for (size_t k = items.size(); k > 1; --k)
      std::swap(items[k - 1], items[Below(static_cast<int64_t>(k))]);
  }

  // Shuffles within pieces of consecutive items and shuffles the pieces, for items whose neighbours
  // are related: the data read for a piece stays in the cache. Up to kPiece items are one piece.
  template <typename T>
  void ShuffleInPieces(std::vector<T>& items) {
    constexpr size_t kPiece = 2048;
    std::vector<size_t> pieces;
    for (size_t first = 0; first < items.size(); first += kPiece) pieces.push_back(first);
    Shuffle(pieces);
    std::vector<T> out;
    out.reserve(items.size());
    for (size_t first : pieces) {
      const std::span<T> piece =
          std::span(items).subspan(first, std::min(kPiece, items.size() - first));
      Shuffle(piece);
      out.insert(out.end(), piece.begin(), piece.end());
    }
    items = std::move(out);
  }

 private:
  uint64_t state_;
};

}  // namespace metadist
