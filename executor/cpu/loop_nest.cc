// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/loop_nest.h"

#include <algorithm>
#include <numeric>

namespace metadist::cpu {

std::optional<LoopNest> LoopNest::Make(const Shape& shape,
                                       const std::vector<std::vector<int64_t>>& strides) {
  struct Dim {
    int64_t size;
    Offsets stride;
  };
  std::vector<Dim> dims;
  LoopNest nest;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0) nest.empty = true;
    if (shape[d] == 1) continue;
    Dim next{shape[d], {}};
    for (size_t o = 0; o < strides.size(); ++o) next.stride[o] = strides[o][d];
    bool merges = !dims.empty();
    for (size_t o = 0; merges && o < strides.size(); ++o)
      merges = dims.back().stride[o] == next.stride[o] * next.size;
    if (merges)
      dims.back() = {dims.back().size * next.size, next.stride};
    else
      dims.push_back(next);
  }
  if (dims.size() > kMaxDims + 1) return std::nullopt;
  if (!dims.empty()) {
    nest.inner = dims.back().size;
    nest.inner_stride = dims.back().stride;
    dims.pop_back();
  }
  nest.depth = dims.size();
  for (size_t d = 0; d < dims.size(); ++d) {
    nest.size[d] = dims[d].size;
    nest.stride[d] = dims[d].stride;
  }
  return nest;
}

std::optional<LoopNest> LoopNest::MakeInOrderOf(size_t operand,
                                                const Shape& shape,
                                                std::vector<std::vector<int64_t>> strides) {
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return strides[operand][a] > strides[operand][b];
  });
  const auto sorted = [&](const std::vector<int64_t>& values) {
    std::vector<int64_t> result;
    for (size_t d : order) result.push_back(values[d]);
    return result;
  };
  for (std::vector<int64_t>& list : strides) list = sorted(list);
  return Make(sorted(shape), strides);
}

bool LoopNest::Along(size_t a, size_t b) const {
  int64_t step = 1;
  const auto even = [&](int64_t count, const Offsets& of) {
    const bool same = count == 1 || (of[a] == of[b] && of[b] == step);
    step *= count;
    return same;
  };
  bool along = even(inner, inner_stride);
  for (size_t d = depth; d-- > 0;) along = even(size[d], stride[d]) && along;
  return along;
}

std::vector<int64_t> StretchedStrides(const Shape& from, const Shape& to) {
  std::vector<int64_t> strides(to.size(), 0);
  int64_t step = 1;
  for (size_t i = 0; i < from.size(); ++i) {
    const size_t f = from.size() - 1 - i;
    if (from[f] != 1) strides[to.size() - 1 - i] = step;
    step *= from[f];
  }
  return strides;
}

}  // namespace metadist::cpu
