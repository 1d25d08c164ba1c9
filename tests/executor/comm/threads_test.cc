// SPDX-License-Identifier: Apache-2.0
#include "executor/comm/threads.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "tests/executor/comm/transport_suite.h"

namespace metadist {
namespace {

using Body = std::function<Result<void>(Transport&)>;

// Runs `body` on every rank and returns each rank's status.
std::vector<Result<void>> OnRanks(int ranks, const Body& body, double timeout_seconds = 30) {
  auto group = MakeThreadGroup(ranks, timeout_seconds);
  std::vector<Result<void>> statuses(static_cast<size_t>(ranks));
  std::vector<std::thread> threads;
  for (size_t r = 0; r < group.size(); ++r)
    threads.emplace_back([&, r] { statuses[r] = body(*group[r]); });
  for (std::thread& thread : threads) thread.join();
  return statuses;
}

class Threads : public testing::TestWithParam<int> {
 protected:
  void ExpectAllRanks(const Body& body) const {
    for (const Result<void>& status : OnRanks(GetParam(), body))
      EXPECT_TRUE(status.ok()) << status.error().text();
  }
};

INSTANTIATE_TEST_SUITE_P(Ranks, Threads, testing::Range(1, 10));

TEST_P(Threads, Steps) {
  for (int64_t count : {0, 1, 100, 2000})
    ExpectAllRanks([count](Transport& world) { return transports::CheckSteps(world, count); });
}
TEST_P(Threads, Bundles) { ExpectAllRanks(transports::CheckBundles); }
TEST_P(Threads, Ring) { ExpectAllRanks(transports::CheckRing); }
TEST_P(Threads, Channels) { ExpectAllRanks(transports::CheckChannels); }
TEST_P(Threads, Numbers) { ExpectAllRanks(transports::CheckNumbers); }
TEST_P(Threads, Split) { ExpectAllRanks(transports::CheckSplit); }

TEST(ThreadGroup, SumsInRankOrderWithTheSameBitsEverywhere) {
  const Mesh mesh{{{"x", 5}}};
  const TensorType type{ElementType::kF32, {5000}};
  const CollectiveStep step{CollectiveKind::kAllReduce,
                            {0},
                            ParseSharding("[] partial{sum: x}", type.shape, mesh).value(),
                            ParseSharding("[]", type.shape, mesh).value()};
  const std::vector<Transfer> transfers = PlanTransfers(step, type, mesh).value();
  std::vector<std::vector<float>> results(5, std::vector<float>(5000));
  const auto statuses = OnRanks(5, [&](Transport& world) -> Result<void> {
    const size_t rank = static_cast<size_t>(world.rank());
    std::vector<float> in(5000);
    for (size_t i = 0; i < in.size(); ++i) in[i] = 1.0f / static_cast<float>(i + 3 * rank + 1);
    const auto run = TRY(world.Prepare({{&transfers,
                                         reinterpret_cast<std::byte*>(in.data()),
                                         reinterpret_cast<std::byte*>(results[rank].data())}}));
    TRY(run());
    return world.Barrier();
  });
  for (const Result<void>& status : statuses) EXPECT_TRUE(status.ok());
  for (size_t i = 0; i < 5000; ++i) {
    float sum = 1.0f / static_cast<float>(i + 1);
    for (size_t r = 1; r < 5; ++r) sum += 1.0f / static_cast<float>(i + 3 * r + 1);
    EXPECT_EQ(results[0][i], sum);
  }
  for (const std::vector<float>& other : results) EXPECT_EQ(results[0], other);
}

TEST(ThreadGroup, ALateRankIsAnErrorOfAllRanks) {
  const auto statuses = OnRanks(
      3,
      [](Transport& world) -> Result<void> {
        if (world.rank() == 1) return Internal("left");
        return world.Barrier();
      },
      /*timeout_seconds=*/0.1);
  for (int r : {0, 2}) {
    ASSERT_FALSE(statuses[static_cast<size_t>(r)].ok());
    EXPECT_EQ(statuses[static_cast<size_t>(r)].error().code, ErrorCode::kDevice);
    EXPECT_EQ(statuses[static_cast<size_t>(r)].error().message,
              "a rank did not arrive within 0.1 s: 2 of 3 are waiting");
  }
}

TEST(ThreadGroup, AbortWakesEveryRankOfEveryGroup) {
  const auto start = std::chrono::steady_clock::now();
  const auto statuses = OnRanks(
      4,
      [](Transport& world) -> Result<void> {
        auto part = TRY(world.Split(world.rank() / 2, 0));
        if (world.rank() == 3) {
          world.Abort({ErrorCode::kMismatch, "", "broken on purpose", "", {}});
          return {};
        }
        return world.rank() == 2 ? part->Barrier() : world.Barrier();
      },
      /*timeout_seconds=*/600);
  for (size_t r = 0; r < 3; ++r) {
    ASSERT_FALSE(statuses[r].ok());
    EXPECT_EQ(statuses[r].error().message, "broken on purpose");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

}  // namespace
}  // namespace metadist
