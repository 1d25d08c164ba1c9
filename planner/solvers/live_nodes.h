// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Which nodes can hold memory at a time, without looking at all of them.
class LiveNodes {
 public:
  explicit LiveNodes(const Reduced& reduced);

  // Ascending: all nodes with a row over that kept time, and some with rows near it only.
  std::span<const int> At(int time) const {
    const size_t stretch = static_cast<size_t>(time / length_);
    return {nodes_.data() + first_[stretch], nodes_.data() + first_[stretch + 1]};
  }

 private:
  // Times per stretch, and where each stretch's nodes begin.
  int64_t length_ = 1;
  std::vector<size_t> first_;
  std::vector<int> nodes_;
};

}  // namespace metadist
