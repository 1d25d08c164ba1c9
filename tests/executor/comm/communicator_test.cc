// SPDX-License-Identifier: Apache-2.0
#include "executor/comm/communicator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>
#include <thread>

#include "executor/comm/reduce.h"
#include "executor/comm/threads.h"
#include "metair/ir/tensor.h"

namespace metadist {
namespace {

using Body = std::function<Result<void>(Communicator&)>;

// Runs `body` on every rank and returns each rank's status.
std::vector<Result<void>> OnRanks(int ranks, const Body& body, double timeout_seconds = 30) {
  auto group = MakeThreadGroup(ranks, {timeout_seconds});
  std::vector<Result<void>> statuses(static_cast<size_t>(ranks));
  std::vector<std::thread> threads;
  for (size_t r = 0; r < group.size(); ++r)
    threads.emplace_back([&, r] { statuses[r] = body(*group[r]); });
  for (std::thread& thread : threads) thread.join();
  return statuses;
}

void ExpectAllRanks(int ranks, const Body& body) {
  for (const Result<void>& status : OnRanks(ranks, body))
    EXPECT_TRUE(status.ok()) << status.error().text();
}

// The element that rank `rank` contributes at `i`: small integers, exact in every type and sum.
int64_t Element(int rank, int64_t i) { return (rank * 7 + i * 3) % 5 + (rank == 0 ? 0 : 1); }

template <typename T>
T Make(int64_t value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
    return T(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

template <typename T>
double Read(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
    return static_cast<double>(static_cast<float>(value));
  else
    return static_cast<double>(value);
}

struct Case {
  int ranks;
  int64_t count;
};

class Collectives : public testing::TestWithParam<Case> {};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (int ranks = 1; ranks <= 9; ++ranks)
    for (int64_t count : {0, 1, 4, 100, 1000, 10000}) cases.push_back({ranks, count});
  return cases;
}

std::string CaseName(const testing::TestParamInfo<Case>& info) {
  return std::to_string(info.param.ranks) + "x" + std::to_string(info.param.count);
}

INSTANTIATE_TEST_SUITE_P(Threads, Collectives, testing::ValuesIn(Cases()), CaseName);

template <typename T>
Result<void> CheckSums(Communicator& comm, int64_t count) {
  const int n = comm.size();
  std::vector<T> in(static_cast<size_t>(n * count + 1));
  std::vector<T> out(static_cast<size_t>(count + 1), Make<T>(1));
  for (int64_t i = 0; i < n * count; ++i)
    in[static_cast<size_t>(i)] = Make<T>(Element(comm.rank(), i));
  const auto expected = [&](int64_t i) {
    int64_t sum = 0;
    for (int r = 0; r < n; ++r) sum += Element(r, i);
    return static_cast<double>(sum);
  };
  TRY(comm.AllReduce(in.data(), out.data(), count, ElementTypeOf<T>(), ReduceOp::kSum));
  for (int64_t i = 0; i < count; ++i)
    if (Read(out[static_cast<size_t>(i)]) != expected(i)) return Internal("wrong sum");
  if (Read(out[static_cast<size_t>(count)]) != 1) return Internal("wrote beyond the end");
  TRY(comm.ReduceScatter(in.data(), out.data(), count, ElementTypeOf<T>(), ReduceOp::kSum));
  for (int64_t i = 0; i < count; ++i)
    if (Read(out[static_cast<size_t>(i)]) != expected(comm.rank() * count + i))
      return Internal("wrong part of the sum");
  return {};
}

TEST_P(Collectives, SumInEveryElementType) {
  const auto [ranks, count] = GetParam();
  ExpectAllRanks(ranks, [count = count](Communicator& comm) -> Result<void> {
    TRY(CheckSums<double>(comm, count));
    TRY(CheckSums<float>(comm, count));
    TRY(CheckSums<Half>(comm, count));
    TRY(CheckSums<BFloat16>(comm, count));
    TRY(CheckSums<int8_t>(comm, count));
    TRY(CheckSums<int32_t>(comm, count));
    TRY(CheckSums<int64_t>(comm, count));
    return CheckSums<uint16_t>(comm, count);
  });
}

TEST_P(Collectives, MoveBlocks) {
  const auto [ranks, count] = GetParam();
  ExpectAllRanks(ranks, [count = count](Communicator& comm) -> Result<void> {
    const int n = comm.size();
    const int me = comm.rank();
    const auto size = static_cast<size_t>(n * count);
    std::vector<int64_t> in(size + 1), out(size + 1, -1);
    for (size_t i = 0; i < size; ++i) in[i] = me * 1000000 + static_cast<int64_t>(i);
    const auto at = [count](int r, int64_t i) { return static_cast<size_t>(r * count + i); };
    TRY(comm.AllGather(in.data(), out.data(), count * 8));
    for (int r = 0; r < n; ++r)
      for (int64_t i = 0; i < count; ++i)
        if (out[at(r, i)] != r * 1000000 + i) return Internal("wrong gather");
    TRY(comm.AllToAll(in.data(), out.data(), count * 8));
    for (int r = 0; r < n; ++r)
      for (int64_t i = 0; i < count; ++i)
        if (out[at(r, i)] != r * 1000000 + me * count + i) return Internal("wrong all-to-all");
    TRY(comm.SendRecv(in.data(), count * 8, (me + 1) % n, out.data(), count * 8, (me + n - 1) % n));
    for (int64_t i = 0; i < count; ++i)
      if (out[at(0, i)] != ((me + n - 1) % n) * 1000000 + i) return Internal("wrong message");
    TRY(comm.Broadcast(in.data(), count * 8, n - 1));
    for (int64_t i = 0; i < count; ++i)
      if (in[at(0, i)] != (n - 1) * 1000000 + i) return Internal("wrong broadcast");
    if (out[size] != -1) return Internal("wrote beyond the end");
    return comm.Barrier();
  });
}

TEST(Communicator, SplitsByColourAndKey) {
  ExpectAllRanks(6, [](Communicator& comm) -> Result<void> {
    auto part = TRY(comm.Split(comm.rank() % 2, -comm.rank()));
    if (part->size() != 3) return Internal("wrong size");
    if (part->rank() != 2 - comm.rank() / 2) return Internal("wrong rank");
    int64_t mine = comm.rank();
    int64_t sum = 0;
    TRY(part->AllReduce(&mine, &sum, 1, ElementType::kI64, ReduceOp::kSum));
    if (sum != (comm.rank() % 2 == 0 ? 6 : 9)) return Internal("wrong group");
    return {};
  });
}

TEST(Communicator, SumsInRankOrderWithTheSameBitsEverywhere) {
  std::vector<std::vector<float>> results(5, std::vector<float>(5000));
  ExpectAllRanks(5, [&](Communicator& comm) {
    std::vector<float> in(5000);
    for (size_t i = 0; i < in.size(); ++i)
      in[i] = 1.0f / static_cast<float>(i + 3 * static_cast<size_t>(comm.rank()) + 1);
    return comm.AllReduce(in.data(),
                          results[static_cast<size_t>(comm.rank())].data(),
                          5000,
                          ElementType::kF32,
                          ReduceOp::kSum);
  });
  for (size_t i = 0; i < 5000; ++i) {
    float sum = 1.0f / static_cast<float>(i + 1);
    for (size_t r = 1; r < 5; ++r) sum += 1.0f / static_cast<float>(i + 3 * r + 1);
    EXPECT_EQ(results[0][i], sum);
  }
  for (const std::vector<float>& other : results) EXPECT_EQ(results[0], other);
}

TEST(Communicator, ALateRankIsAnErrorOfAllRanks) {
  const auto statuses = OnRanks(
      3,
      [](Communicator& comm) -> Result<void> {
        if (comm.rank() == 1) return Internal("left");
        return comm.Barrier();
      },
      /*timeout_seconds=*/0.1);
  for (int r : {0, 2}) {
    ASSERT_FALSE(statuses[static_cast<size_t>(r)].ok());
    EXPECT_EQ(statuses[static_cast<size_t>(r)].error().code, ErrorCode::kDevice);
    EXPECT_EQ(statuses[static_cast<size_t>(r)].error().message,
              "a rank did not arrive within 0.1 s: 2 of 3 are waiting");
  }
}

TEST(Communicator, AbortWakesEveryRankOfEveryGroup) {
  const auto start = std::chrono::steady_clock::now();
  const auto statuses = OnRanks(
      4,
      [](Communicator& comm) -> Result<void> {
        auto part = TRY(comm.Split(comm.rank() / 2, 0));
        if (comm.rank() == 3) {
          comm.Abort({ErrorCode::kMismatch, "", "broken on purpose", "", {}});
          return {};
        }
        return comm.rank() == 2 ? part->Barrier() : comm.Barrier();
      },
      /*timeout_seconds=*/600);
  for (size_t r = 0; r < 3; ++r) {
    ASSERT_FALSE(statuses[r].ok());
    EXPECT_EQ(statuses[r].error().message, "broken on purpose");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(Communicator, ReceiveWithoutMatchingSendIsRefused) {
  const auto statuses = OnRanks(2, [](Communicator& comm) {
    int64_t x = 0, y = 0;
    return comm.SendRecv(&x, 8, comm.rank(), &y, 8, 1 - comm.rank());
  });
  EXPECT_EQ(statuses[0].error().message, "a receive has no matching send");
  EXPECT_FALSE(statuses[1].ok());
}

TEST(Reduce, EveryOperation) {
  const auto reduce = [](std::vector<int32_t> a, std::vector<int32_t> b, ReduceOp op) {
    std::vector<int32_t> out(a.size());
    const void* in[] = {a.data(), b.data()};
    Reduce(
        in, out.data(), static_cast<int64_t>(a.size()), ElementType::kI32, ElementType::kI32, op);
    return out;
  };
  using V = std::vector<int32_t>;
  EXPECT_EQ(reduce({1, INT32_MAX}, {2, 1}, ReduceOp::kSum), (V{3, INT32_MIN}));
  EXPECT_EQ(reduce({3, -4}, {2, 5}, ReduceOp::kProd), (V{6, -20}));
  EXPECT_EQ(reduce({3, -4}, {2, 5}, ReduceOp::kMax), (V{3, 5}));
  EXPECT_EQ(reduce({3, -4}, {2, 5}, ReduceOp::kMin), (V{2, -4}));
  EXPECT_EQ(reduce({6, 1}, {3, 0}, ReduceOp::kAnd), (V{2, 0}));
  EXPECT_EQ(reduce({6, 1}, {3, 0}, ReduceOp::kOr), (V{7, 1}));
}

TEST(Reduce, WhatIsNoNumberStaysInMaximaAndMinima) {
  const float nan = std::nanf("");
  const std::vector<float> a = {nan, 1, 2}, b = {1, nan, 3};
  const void* in[] = {a.data(), b.data()};
  for (const ReduceOp op : {ReduceOp::kMax, ReduceOp::kMin}) {
    std::vector<float> out(3);
    Reduce(in, out.data(), 3, ElementType::kF32, ElementType::kF32, op);
    EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1])) << Name(op);
    EXPECT_EQ(out[2], op == ReduceOp::kMax ? 3 : 2);
  }
}

TEST(Reduce, IdentityLeavesTheOtherOperand) {
  for (ReduceOp op : {ReduceOp::kSum,
                      ReduceOp::kProd,
                      ReduceOp::kMax,
                      ReduceOp::kMin,
                      ReduceOp::kAnd,
                      ReduceOp::kOr})
    for (ElementType type : {ElementType::kF32,
                             ElementType::kF16,
                             ElementType::kI8,
                             ElementType::kU64,
                             ElementType::kBool}) {
      const Tensor x = Tensor::Of<float>({4}, {0, 1, 1, 0}).Cast(type);
      Tensor identity = Tensor::Zeros(x.type());
      FillIdentity(identity.mutable_bytes(), 4, type, op);
      Tensor out = Tensor::Zeros(x.type());
      const void* in[] = {identity.bytes(), x.bytes()};
      Reduce(in, out.mutable_bytes(), 4, type, type, op);
      EXPECT_TRUE(Identical(x, out)) << Name(op) << " of " << Name(type);
    }
}

}  // namespace
}  // namespace metadist
