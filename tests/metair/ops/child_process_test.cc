// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/child_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include "metair/ir/sanitizers.h"
#include "metair/ops/fenced_arrays.h"

namespace metadist::testing {
namespace {

// Doubles the question, counts, or ends in the requested way.
std::string Play(const std::string& question) {
  static int count = 0;
  ++count;
  if (question == "count") return std::to_string(count);
  if (question == "crash") std::raise(SIGSEGV);
  if (question == "exit") _exit(7);
  if (question == "spin")
    for (volatile bool go = true; go;) continue;
  if (question == "sleep") sleep(1000);
  if (question == "eat") {
    std::vector<char*> all;
    for (;;) {
      all.push_back(static_cast<char*>(std::malloc(1 << 24)));
      if (all.back() == nullptr) std::abort();
      std::memset(all.back(), 1, 1 << 24);
    }
  }
  if (question == "print") {
    std::puts("on stdout");
    std::fflush(stdout);
  }
  return question + question;
}

std::unique_ptr<ChildProcess> Start(double cpu_seconds = 60, double seconds = 60) {
  const ChildLimits limits{cpu_seconds, seconds, 128 << 20};
  return std::move(ChildProcess::Start(limits, Play)).value();
}

std::string Said(ChildProcess& child, const std::string& question) {
  auto answer = child.Ask(question);
  return answer.ok() ? answer.value() : "! " + answer.error().message;
}

TEST(ChildProcess, AnswersInAProcessThatStays) {
  const auto child = Start();
  EXPECT_EQ("abab", Said(*child, "ab"));
  EXPECT_EQ("", Said(*child, ""));
  EXPECT_EQ("3", Said(*child, "count"));
  // More than a socket buffers, in both directions.
  const std::string large(3 << 20, 'x');
  EXPECT_EQ(large + large, Said(*child, large));
}

TEST(ChildProcess, TellsHowItDiedAndStartsAnew) {
  const auto child = Start();
  EXPECT_EQ("! ended by signal 11 (Segmentation fault)", Said(*child, "crash"));
  EXPECT_EQ("1", Said(*child, "count"));
  EXPECT_EQ("! ended its process with status 7", Said(*child, "exit"));
  EXPECT_EQ("abab", Said(*child, "ab"));
}

// One limit is far where the other is reached, also on a busy machine.
TEST(ChildProcess, TimeIsLimited) {
  const auto spinning = Start(0.3, 60);
  EXPECT_EQ("! took more than 0.3 seconds of processor time", Said(*spinning, "spin"));
  EXPECT_EQ("abab", Said(*spinning, "ab"));
  const auto sleeping = Start(60, 1);
  EXPECT_EQ("! took more than 1 seconds", Said(*sleeping, "sleep"));
  EXPECT_EQ("1", Said(*sleeping, "count"));
}

// Parts of a question and of an answer left in the socket are not mistaken for others.
TEST(ChildProcess, DeathInTheMiddleOfAQuestion) {
  const auto child = std::move(ChildProcess::Start({}, [](const std::string& question) {
                       if (question[0] == 'k') std::raise(SIGKILL);
                       return question;
                     })).value();
  for (int i = 0; i < 20; ++i) {
    const std::string large(1 << 18, 'k');
    EXPECT_EQ("! ended by signal 9 (Killed)", Said(*child, large));
    EXPECT_EQ("abc", Said(*child, "abc"));
  }
}

// A worker killed from outside cannot be distinguished from one that kills itself; the next one is
// asked.
TEST(ChildProcess, KilledWorkersAreReplaced) {
  const std::string file = ::testing::TempDir() + "killed_once";
  std::remove(file.c_str());
  const auto child = std::move(ChildProcess::Start({}, [&](const std::string& question) {
                       const bool first = !std::ifstream(file).good();
                       std::ofstream(file) << question;
                       if (first) std::raise(SIGKILL);
                       return question;
                     })).value();
  EXPECT_EQ("abc", Said(*child, "abc"));
  std::remove(file.c_str());
}

TEST(ChildProcess, ManyThreadsAsk) {
  const auto child = Start();
  std::vector<std::thread> threads;
  std::vector<int> right(4, 0);
  for (size_t t = 0; t < right.size(); ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const std::string text = std::to_string(t) + "." + std::to_string(i);
        right[t] += Said(*child, text) == text + text ? 1 : 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ((std::vector<int>{100, 100, 100, 100}), right);
}

#ifndef METADIST_SANITIZED
TEST(ChildProcess, MemoryIsLimited) {
  const ChildLimits limits{20, 60, 128 << 20};
  const auto child = std::move(ChildProcess::Start(limits, Play)).value();
  EXPECT_EQ("! ended by signal 6 (Aborted), near its limit of 128 MiB", Said(*child, "eat"));
}
#endif

TEST(ChildProcess, WhatItPrintsIsNotSeen) {
  const auto child = Start();
  ::testing::internal::CaptureStdout();
  Said(*child, "print");
  EXPECT_EQ("", ::testing::internal::GetCapturedStdout());
}

TEST(FencedArrays, EndAtTheFence) {
  FencedArrays arrays;
  std::byte* a = arrays.At(0, 24);
  std::memset(a, 1, 24);
  EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(a + 24) % 4096);
  std::byte* b = arrays.At(1, 100000);
  std::memset(b, 2, 100000);
  EXPECT_EQ(std::byte{1}, a[23]);
  EXPECT_EQ(a - 8, arrays.At(0, 32));
  EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(arrays.At(0, 3 * 4096) + 3 * 4096) % 4096);
  const auto child = std::move(ChildProcess::Start({}, [](const std::string& question) {
                       FencedArrays own;
                       own.At(0, 24)[question.size()] = std::byte{1};
                       return std::string("kept");
                     })).value();
  EXPECT_EQ("kept", Said(*child, std::string(23, 'x')));
  EXPECT_EQ("! ended by signal 11 (Segmentation fault)", Said(*child, std::string(24, 'x')));
}

}  // namespace
}  // namespace metadist::testing
