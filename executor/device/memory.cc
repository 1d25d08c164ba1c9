// SPDX-License-Identifier: Apache-2.0
#include "executor/device/memory.h"

#include <sys/mman.h>

#include <cstring>

namespace metadist {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr size_t kLargePage = 2 << 20;

}  // namespace

void CountingAllocator::Free::operator()(std::byte* p) const { ::operator delete(p, alignment); }

std::byte* CountingAllocator::Allocate(int64_t bytes, int64_t* count) {
  if (bytes <= 0) return nullptr;
  const size_t size = static_cast<size_t>(bytes);
  const bool large = size >= kLargePage;
  const std::align_val_t alignment = large ? std::align_val_t{kLargePage} : kAlignment;
  auto* memory = static_cast<std::byte*>(::operator new(size, alignment));
  blocks_.emplace_back(memory, Free{alignment});
  // Only advice: it affects nothing but speed.
  if (large) madvise(memory, size / kLargePage * kLargePage, MADV_HUGEPAGE);
  std::memset(memory, 0, size);
  *count += bytes;
  return memory;
}

int64_t CountingAllocator::Release(std::byte* memory, int64_t bytes) {
  std::erase_if(blocks_, [&](const auto& block) { return block.get() == memory; });
  return bytes;
}

}  // namespace metadist
