// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace metadist {

// The memory of one rank: every buffer comes from here and is counted. Buffers live as long as the
// allocator.
class CountingAllocator {
 public:
  // Zeroed, aligned to 64 bytes; nullptr for no bytes. Adds to `*count`.
  std::byte* Allocate(int64_t bytes, int64_t* count);

 private:
  struct Free {
    void operator()(std::byte* p) const;
  };
  std::vector<std::unique_ptr<std::byte[], Free>> blocks_;
};

}  // namespace metadist
