// SPDX-License-Identifier: Apache-2.0
#include "executor/memory.h"

#include <cstring>
#include <new>

namespace metadist {

namespace {
constexpr std::align_val_t kAlignment{64};
}

void CountingAllocator::Free::operator()(std::byte* p) const { ::operator delete(p, kAlignment); }

std::byte* CountingAllocator::Allocate(int64_t bytes, int64_t* count) {
  if (bytes <= 0) return nullptr;
  const size_t size = static_cast<size_t>(bytes);
  auto* memory = static_cast<std::byte*>(::operator new(size, kAlignment));
  blocks_.emplace_back(memory);
  std::memset(memory, 0, size);
  *count += bytes;
  return memory;
}

}  // namespace metadist
