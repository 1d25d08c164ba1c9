// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace metadist {

// Memory for arrays, each ending where the process has none: who reads or writes behind one, dies
// of it.
class FencedArrays {
 public:
  FencedArrays() = default;
  ~FencedArrays();
  FencedArrays(const FencedArrays&) = delete;
  FencedArrays& operator=(const FencedArrays&) = delete;

  // `bytes` bytes, aligned as their number allows, until the slot is asked for again. nullptr:
  // there is no memory.
  std::byte* At(size_t slot, size_t bytes);

 private:
  struct Region {
    std::byte* begin = nullptr;
    size_t size = 0;  // whole pages, without the fence
  };
  std::vector<Region> regions_;
};

}  // namespace metadist
