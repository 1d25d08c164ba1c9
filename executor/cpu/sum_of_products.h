// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "metair/ir/shape.h"

namespace metadist::cpu {

// y = sum of the products of the inputs, f32, over a space of loops along which every operand has
// its own stride: 0 for loops it does not depend on; y has stride 0 along summed loops. Needs no
// memory beside the operands.
class SumOfProducts {
 public:
  static constexpr size_t kMaxInputs = 8;
  using Pointers = std::array<const float*, kMaxInputs>;

  // strides: of each input and, last, of y, by loop of `sizes`. nullopt: more than kMaxInputs.
  static std::optional<SumOfProducts> Make(const Shape& sizes,
                                           const std::vector<std::vector<int64_t>>& strides);
  // y: `count` elements in total.
  void Run(const Pointers& inputs, float* y, int64_t count) const;

 private:
  struct Loop {
    int64_t size = 1;
    std::array<int64_t, kMaxInputs> step{};
    int64_t y_step = 0;
  };
  void Walk(size_t depth, Pointers at, float* y) const;
  void RunInner(const Pointers& at, float* y) const;

  size_t inputs_ = 0;
  bool empty_ = false;
  std::vector<Loop> outer_;
  Loop inner_;
};

}  // namespace metadist::cpu
