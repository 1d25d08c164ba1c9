// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/parallel.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <vector>

namespace metadist {

void ParallelFor(size_t count, int threads, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next = 0;
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  const size_t wanted = std::min(count, static_cast<size_t>(std::max(1, threads)));
  // Declared after what `run` refers to: a future's destructor waits for its thread.
  std::vector<std::future<void>> others;
  for (size_t t = 1; t < wanted; ++t) others.push_back(std::async(std::launch::async, run));
  run();
  for (std::future<void>& other : others) other.get();
}

}  // namespace metadist
