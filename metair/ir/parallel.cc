// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace metadist {

void ParallelFor(size_t count, int threads, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next = 0;
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  const size_t wanted = std::min(count, static_cast<size_t>(std::max(1, threads)));
  // Declared after the variables that `run` refers to: a future's destructor waits for its thread.
  std::vector<std::future<void>> others;
  try {
    for (size_t t = 1; t < wanted; ++t) others.push_back(std::async(std::launch::async, run));
  } catch (const std::system_error&) {  // no more threads available
  }
  run();
  for (std::future<void>& other : others) other.get();
}

Result<void> RunAtOnce(size_t count, const std::function<void(size_t)>& work) {
  enum : int { kWait, kGo, kGiveUp };
  std::atomic<int> gate = kWait;
  std::atomic<bool> out_of_memory = false;
  std::vector<std::thread> threads;
  std::string failure;
  try {
    for (size_t i = 0; i < count; ++i)
      threads.emplace_back([&, i] {
        gate.wait(kWait);
        if (gate != kGo) return;
        try {
          work(i);
        } catch (const std::bad_alloc&) {
          out_of_memory = true;
        }
      });
  } catch (const std::system_error& error) {
    failure = error.what();
  } catch (const std::bad_alloc&) {
    failure = "out of memory";
  }
  gate = failure.empty() ? kGo : kGiveUp;
  gate.notify_all();
  for (std::thread& thread : threads) thread.join();
  if (out_of_memory) return OutOfMemory();
  if (failure.empty()) return {};
  return Error{
      ErrorCode::kDevice,
      "",
      fmt::format("{} threads are needed, and {} can be had: {}", count, threads.size(), failure),
      "use fewer ranks, or raise the limits of processes and memory (`ulimit -u`, "
      "`ulimit -v`)",
      {}};
}

}  // namespace metadist
