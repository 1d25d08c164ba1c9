// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace metadist {

// Memory for arrays, each directly followed by an inaccessible page: reading or writing past the
// end crashes.
class FencedArrays {
 public:
  FencedArrays() = default;
  ~FencedArrays();
  FencedArrays(const FencedArrays&) = delete;
  FencedArrays& operator=(const FencedArrays&) = delete;

  // `bytes` bytes, aligned as their number permits, valid until the slot is requested again.
  // nullptr: out of memory.
  std::byte* At(size_t slot, size_t bytes);

 private:
  struct Region {
    std::byte* begin = nullptr;
    size_t size = 0;  // whole pages, without the inaccessible one
  };
  std::vector<Region> regions_;
};

}  // namespace metadist
