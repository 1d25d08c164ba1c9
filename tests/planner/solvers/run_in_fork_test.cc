// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/run_in_fork.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

namespace metadist {
namespace {

using Work = std::function<void(const std::atomic<bool>& stop)>;

constexpr double kLong = 60;

double SecondsOf(const std::function<void()>& what) {
  const auto start = std::chrono::steady_clock::now();
  what();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(RunInFork, LeavesSharedMemoryOnly) {
  const SharedMemory shared = MakeSharedMemory(sizeof(int));
  ASSERT_NE(shared.get(), nullptr);
  int& there = *reinterpret_cast<int*>(shared.get());
  int here = 0;
  const auto work = [&](const std::atomic<bool>&) { there = here = 7; };
  EXPECT_EQ(RunInFork(work, kLong, nullptr), ForkEnd::kDone);
  EXPECT_EQ(there, 7);
  EXPECT_EQ(here, 0);
}

TEST(RunInFork, OutlivesItsWork) {
  const std::vector<Work> deaths = {
      [](const std::atomic<bool>&) { std::abort(); },
      [](const std::atomic<bool>&) { std::raise(SIGSEGV); },
      [](const std::atomic<bool>&) { kill(getpid(), SIGKILL); },
      [](const std::atomic<bool>&) { _exit(0); },
      [](const std::atomic<bool>&) { throw std::runtime_error("a fault"); },
  };
  for (const Work& work : deaths) EXPECT_EQ(RunInFork(work, kLong, nullptr), ForkEnd::kDied);
  EXPECT_EQ(RunInFork([](const std::atomic<bool>&) { throw std::bad_alloc(); }, kLong, nullptr),
            ForkEnd::kOutOfMemory);
}

TEST(RunInFork, PassesTheInterruptOn) {
  std::atomic<bool> interrupted = false;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    interrupted = true;
  });
  const auto until_stopped = [](const std::atomic<bool>& stop) {
    while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  EXPECT_EQ(RunInFork(until_stopped, kLong, &interrupted), ForkEnd::kDone);
  later.join();
}

TEST(RunInFork, EndsWhatDoesNotStop) {
  const std::atomic<bool> interrupted = true;
  const auto for_ever = [](const std::atomic<bool>&) {
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  };
  ForkEnd end = ForkEnd::kDone;
  EXPECT_LT(SecondsOf([&] { end = RunInFork(for_ever, kLong, &interrupted); }), kLong / 2);
  EXPECT_EQ(end, ForkEnd::kStopped);
  EXPECT_LT(SecondsOf([&] { end = RunInFork(for_ever, /*seconds=*/0, nullptr); }), kLong / 2);
  EXPECT_EQ(end, ForkEnd::kStopped);
  // A process that was suspended cannot react to `stop`.
  const auto suspended = [](const std::atomic<bool>&) { std::raise(SIGSTOP); };
  EXPECT_EQ(RunInFork(suspended, kLong, &interrupted), ForkEnd::kStopped);
}

// Other threads allocate memory at every fork, and exceptions are thrown.
TEST(RunInFork, ServesManyThreads) {
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const auto work = [t](const std::atomic<bool>&) {
        std::vector<std::vector<int>> lists;
        for (int i = 0; i < 100; ++i) lists.emplace_back(static_cast<size_t>(10 * i + t), i);
        try {
          throw std::runtime_error("within the work");
        } catch (const std::exception&) {
        }
      };
      for (int i = 0; i < 10; ++i) {
        done += RunInFork(work, kLong, nullptr) == ForkEnd::kDone ? 1 : 0;
        const std::vector<std::vector<int>> lists(100, std::vector<int>(100, t));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 40);
}

}  // namespace
}  // namespace metadist
