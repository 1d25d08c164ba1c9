// SPDX-License-Identifier: Apache-2.0
#include "executor/run/second_stream.h"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace metadist {
namespace {

// Served by a thread until the end of the test.
class SecondStreams : public testing::Test {
 protected:
  ~SecondStreams() override {
    stream_.Stop();
    server_.join();
  }

  SecondStream stream_;
  std::thread server_{[this] { stream_.Serve(); }};
};

TEST_F(SecondStreams, WorkInOrder) {
  std::vector<SecondStream::Work> work(20'000);
  std::vector<size_t> done;
  for (size_t i = 0; i < work.size(); ++i)
    work[i].run = [&, i]() -> Result<void> {
      done.push_back(i);
      return {};
    };
  for (SecondStream::Work& one : work) stream_.Begin(one);
  ASSERT_TRUE(stream_.Wait().ok());
  ASSERT_EQ(done.size(), work.size());
  for (size_t i = 0; i < done.size(); ++i) ASSERT_EQ(done[i], i);
  for (size_t i = 1; i < work.size(); ++i) ASSERT_LE(work[i - 1].end, work[i].begin);
  ASSERT_TRUE(stream_.Wait().ok());
}

// The last is still held up when the others are waited for.
TEST_F(SecondStreams, AreWaitedForInPart) {
  std::atomic<bool> go = false;
  int done = 0;
  const auto count = [&]() -> Result<void> {
    ++done;
    return {};
  };
  SecondStream::Work first{count}, second{count}, last{[&]() -> Result<void> {
    go.wait(false);
    return count();
  }};
  for (SecondStream::Work* work : {&first, &second, &last}) stream_.Begin(*work);
  ASSERT_TRUE(stream_.Wait(/*but=*/1).ok());
  EXPECT_EQ(done, 2);
  go = true;
  go.notify_all();
  ASSERT_TRUE(stream_.Wait().ok());
  EXPECT_EQ(done, 3);
}

TEST_F(SecondStreams, StopAtTheFirstFailure) {
  int done = 0;
  SecondStream::Work fine{[&]() -> Result<void> {
    ++done;
    return {};
  }};
  SecondStream::Work fails{[]() -> Result<void> { return Internal("broken"); }};
  SecondStream::Work throws{[]() -> Result<void> { throw std::bad_alloc(); }};
  stream_.Begin(fine);
  ASSERT_TRUE(stream_.Wait().ok());
  EXPECT_EQ(stream_.failed(), nullptr);
  for (SecondStream::Work* work : {&fails, &throws, &fine}) stream_.Begin(*work);
  EXPECT_EQ(stream_.Wait().error().message, "broken");
  EXPECT_EQ(stream_.failed(), &fails);
  EXPECT_EQ(done, 1);
}

TEST_F(SecondStreams, RunOutOfMemory) {
  SecondStream::Work throws{[]() -> Result<void> { throw std::bad_alloc(); }};
  stream_.Begin(throws);
  EXPECT_EQ(stream_.Wait().error().code, OutOfMemory().code);
}

}  // namespace
}  // namespace metadist
