// SPDX-License-Identifier: Apache-2.0
// Plain loops; the innermost is the one along which most operands are contiguous, and longer ones
// are preferred. Summed loops are inside the others, so partial results stay in the L1 cache.
#include "executor/cpu/sum_of_products.h"

#include <algorithm>
#include <tuple>

#include "executor/cpu/row.h"
#include "metair/ir/multiversion.h"

namespace metadist::cpu {
namespace {

constexpr int64_t kShort = 4;  // too short for vectors

// y[j * y_step] += x(j); the sum of all x(j) if y_step is 0.
template <typename Function>
METADIST_INLINE void Accumulate(float* y, int64_t y_step, int64_t count, Function x) {
  if (y_step == 1)
    for (int64_t j = 0; j < count; ++j) y[j] += x(j);
  else if (y_step != 0)
    for (int64_t j = 0; j < count; ++j) y[j * y_step] += x(j);
  else {
    float lane[kLanes] = {};
    int64_t j = 0;
    for (; j + kLanes <= count; j += kLanes)
      for (int64_t l = 0; l < kLanes; ++l) lane[l] += x(j + l);
    float rest = 0;
    for (; j < count; ++j) rest += x(j);
    for (int64_t width = kLanes / 2; width > 0; width /= 2)
      for (int64_t l = 0; l < width; ++l) lane[l] += lane[l + width];
    *y += lane[0] + rest;
  }
}

// y += scale x.
METADIST_MULTIVERSION
void AddOne(float scale, const float* x, int64_t step, float* y, int64_t y_step, int64_t count) {
  if (step == 1)
    Accumulate(y, y_step, count, [=](int64_t j) { return scale * x[j]; });
  else
    Accumulate(y, y_step, count, [=](int64_t j) { return scale * x[j * step]; });
}

struct Two {
  const float* a;
  const float* b;
  int64_t a_step, b_step;
};

// y += scale a b.
METADIST_MULTIVERSION
void AddTwo(float scale, const Two& x, float* y, int64_t y_step, int64_t count) {
  const auto [a, b, a_step, b_step] = x;
  if (a_step == 1 && b_step == 1)
    Accumulate(y, y_step, count, [=, a = a, b = b](int64_t j) { return scale * a[j] * b[j]; });
  else
    Accumulate(y, y_step, count, [=, a = a, b = b, p = a_step, q = b_step](int64_t j) {
      return scale * a[j * p] * b[j * q];
    });
}

}  // namespace

std::optional<SumOfProducts> SumOfProducts::Make(const Shape& sizes,
                                                 const std::vector<std::vector<int64_t>>& strides) {
  SumOfProducts made;
  made.inputs_ = strides.size() - 1;
  if (made.inputs_ > kMaxInputs) return std::nullopt;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) made.empty_ = true;
    if (sizes[d] == 1) continue;
    Loop loop{sizes[d], {}, strides.back()[d]};
    for (size_t i = 0; i < made.inputs_; ++i) loop.step[i] = strides[i][d];
    made.outer_.push_back(loop);
  }
  if (made.outer_.empty()) return made;
  const auto worth = [&](const Loop& loop) {
    int64_t near = loop.y_step <= 1 ? 1 : 0;
    for (size_t i = 0; i < made.inputs_; ++i) near += loop.step[i] <= 1 ? 1 : 0;
    return std::tuple(loop.size >= kShort, near, loop.size);
  };
  const auto best =
      std::max_element(made.outer_.begin(), made.outer_.end(), [&](const auto& a, const auto& b) {
        return worth(a) < worth(b);
      });
  made.inner_ = *best;
  made.outer_.erase(best);
  std::stable_sort(made.outer_.begin(), made.outer_.end(), [](const Loop& a, const Loop& b) {
    return a.y_step > b.y_step;
  });
  return made;
}

void SumOfProducts::Run(const Pointers& inputs, float* y, int64_t count) const {
  std::fill_n(y, count, 0.0f);
  if (!empty_) Walk(0, inputs, y);
}

void SumOfProducts::Walk(size_t depth, Pointers at, float* y) const {
  if (depth == outer_.size()) return RunInner(at, y);
  const Loop& loop = outer_[depth];
  for (int64_t j = 0; j < loop.size; ++j, y += loop.y_step) {
    Walk(depth + 1, at, y);
    for (size_t i = 0; i < inputs_; ++i) at[i] += loop.step[i];
  }
}

void SumOfProducts::RunInner(const Pointers& at, float* y) const {
  float scale = 1;
  std::array<size_t, kMaxInputs> moving{};
  size_t count = 0;
  for (size_t i = 0; i < inputs_; ++i) {
    if (inner_.step[i] == 0)
      scale *= *at[i];
    else
      moving[count++] = i;
  }
  const auto step = [&](size_t i) { return inner_.step[moving[i]]; };
  const auto from = [&](size_t i) { return at[moving[i]]; };
  if (count == 1) return AddOne(scale, from(0), step(0), y, inner_.y_step, inner_.size);
  if (count == 2)
    return AddTwo(scale, {from(0), from(1), step(0), step(1)}, y, inner_.y_step, inner_.size);
  Accumulate(y, inner_.y_step, inner_.size, [&](int64_t j) {
    float product = scale;
    for (size_t i = 0; i < count; ++i) product *= from(i)[j * step(i)];
    return product;
  });
}

}  // namespace metadist::cpu
