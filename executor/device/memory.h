// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace metadist {

// The memory of one rank: every buffer comes from here and is counted. Buffers live as long as the
// allocator.
class CountingAllocator {
 public:
  // Zeroed, aligned to 64 bytes; nullptr for no bytes. Adds to `*count`. Large ones lie in large
  // pages where the system has them: a matrix is read across its rows, each in a page of its own.
  std::byte* Allocate(int64_t bytes, int64_t* count);
  // Gives one of these back; returns its `bytes`.
  int64_t Release(std::byte* memory, int64_t bytes);

 private:
  struct Free {
    std::align_val_t alignment;
    void operator()(std::byte* p) const;
  };
  std::vector<std::unique_ptr<std::byte[], Free>> blocks_;
};

}  // namespace metadist
