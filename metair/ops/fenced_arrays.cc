// SPDX-License-Identifier: Apache-2.0
// Source: Perens 1987, Electric Fence.
#include "metair/ops/fenced_arrays.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace metadist {
namespace {

size_t PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

FencedArrays::~FencedArrays() {
  for (const Region& region : regions_)
    if (region.begin != nullptr) munmap(region.begin, region.size + PageBytes());
}

std::byte* FencedArrays::At(size_t slot, size_t bytes) {
  if (slot >= regions_.size()) regions_.resize(slot + 1);
  Region& region = regions_[slot];
  const size_t page = PageBytes();
  if (region.begin == nullptr || region.size < bytes) {
    if (region.begin != nullptr) munmap(region.begin, region.size + page);
    region = {};
    const size_t size = std::max(page, (bytes + page - 1) / page * page);
    void* memory =
        mmap(nullptr, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    region = {static_cast<std::byte*>(memory), size};
    mprotect(region.begin + size, page, PROT_NONE);
  }
  return region.begin + region.size - bytes;
}

}  // namespace metadist
