// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace metadist {

// The memory of one rank: every buffer is allocated and counted here. Buffers live as long as the
// allocator.
class CountingAllocator {
 public:
  // Zeroed, aligned to 64 bytes; nullptr if bytes is 0. Adds to `*count`. Large buffers use huge
  // pages if the system has them: a matrix is also read across its rows, each of which would be in
  // another page.
  std::byte* Allocate(int64_t bytes, int64_t* count);
  // Frees one of these buffers; returns its `bytes`.
  int64_t Release(std::byte* memory, int64_t bytes);

 private:
  struct Free {
    std::align_val_t alignment;
    void operator()(std::byte* p) const;
  };
  std::vector<std::unique_ptr<std::byte[], Free>> blocks_;
};

}  // namespace metadist
