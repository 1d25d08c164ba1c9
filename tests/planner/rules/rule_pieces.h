// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "metair/ir/tensor.h"
#include "planner/rules/rule.h"

// What a rank holds under a factor, for the judge of rules; shares no code with discovery.
namespace metadist::testing {

// Part of [0, size) that is the index-th of count balanced pieces.
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

// The array with `more` indices more behind the others of a dim, zeros; less where negative.
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

// Indices whose target a rank does not hold point behind what it holds; the others say how many
// indices of the dim the rank holds before the target.
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
