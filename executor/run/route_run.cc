// SPDX-License-Identifier: Apache-2.0
//
// A rank has its initial array, which is kept for the next round, and two buffers that steps use
// alternately, each as large as its largest use: besides the initial array, no more is needed at
// any time than the source and the destination of one step.
#include "executor/run/route_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "executor/comm/run_ranks.h"
#include "executor/comm/threads.h"
#include "executor/comm/transfer.h"
#include "executor/measure/stopwatch.h"

namespace metadist {
namespace {

using Clock = std::chrono::steady_clock;

// Transfers by step, then by rank.
using Transfers = std::vector<std::vector<Transfer>>;

Result<Transfers> PlanAll(const std::vector<CollectiveStep>& steps,
                          const TensorType& type,
                          const Mesh& mesh) {
  Transfers transfers;
  for (size_t s = 0; s < steps.size(); ++s) {
    auto planned = PlanTransfers(steps[s], type, mesh);
    if (!planned.ok()) return std::move(planned).error().in(fmt::format("step {}", s + 1));
    transfers.push_back(std::move(planned).value());
  }
  return transfers;
}

// The addresses of the source (before step 0) and of every step's destination, for every rank.
class RouteBuffers {
 public:
  RouteBuffers(const Transfers& transfers, const TensorType& type, std::vector<Tensor> held)
      : held_(std::move(held)), at_(transfers.size() + 1) {
    for (const Tensor& tensor : held_) at_[0].push_back(const_cast<std::byte*>(tensor.bytes()));
    for (size_t rank = 0; rank < held_.size(); ++rank) {
      std::array<int64_t, 2> sizes = {0, 0};
      for (size_t s = 0; s < transfers.size(); ++s)
        sizes[s % 2] = std::max(sizes[s % 2], transfers[s][rank].elements);
      for (int64_t size : sizes) own_.push_back(Tensor::Zeros({type.element, {size}}));
      for (size_t s = 0; s < transfers.size(); ++s)
        at_[s + 1].push_back(own_[own_.size() - 2 + s % 2].mutable_bytes());
    }
  }

  const std::vector<void*>& before(size_t step) const { return at_[step]; }
  const std::vector<void*>& after(size_t step) const { return at_[step + 1]; }

  // Copies of the arrays that ranks hold after the last of `steps`.
  std::vector<Tensor> End(const std::vector<CollectiveStep>& steps,
                          const TensorType& type,
                          const Mesh& mesh) const {
    if (steps.empty()) return held_;
    std::vector<Tensor> out;
    for (size_t rank = 0; rank < held_.size(); ++rank) {
      const Shape shape = LocalShape(type.shape, steps.back().to, mesh, static_cast<int64_t>(rank));
      const auto* bytes = static_cast<const std::byte*>(at_.back()[rank]);
      out.push_back(Tensor::Mapped({type.element, shape}, nullptr, bytes).Clone());
    }
    return out;
  }

 private:
  std::vector<Tensor> held_;
  std::vector<Tensor> own_;             // two per rank
  std::vector<std::vector<void*>> at_;  // by boundary between steps, then by rank
};

std::vector<int64_t> LargestElements(const Transfers& transfers) {
  std::vector<int64_t> largest;
  for (const std::vector<Transfer>& step : transfers) {
    largest.push_back(0);
    for (const Transfer& transfer : step)
      largest.back() = std::max(largest.back(), transfer.elements);
  }
  return largest;
}

// When a rank began a round, and when it ended each step.
struct RoundTimes {
  Clock::time_point start;
  std::vector<Clock::time_point> ends;
};

class Rounds {
 public:
  Rounds(const Transfers& transfers, const RouteBuffers& buffers, const RouteRunOptions& options)
      : transfers_(transfers), buffers_(buffers), options_(options) {}

  Result<void> Run(int64_t ranks) {
    auto group = MakeThreadGroup(static_cast<int>(ranks), options_.timeout_seconds);
    times_.resize(group.size());
    return RunRanks(group, [this](Transport& world) { return RunRank(world); });
  }

  void Report(RouteRun& out) const {
    const size_t rounds = times_.empty() ? 0 : times_[0].size();
    std::vector<std::vector<double>> slowest(transfers_.size(), std::vector<double>(rounds, 0));
    for (size_t i = 0; i < rounds; ++i) {
      Clock::time_point first = times_[0][i].start;
      Clock::time_point last = first;
      for (const std::vector<RoundTimes>& rank : times_) {
        first = std::min(first, rank[i].start);
        for (size_t s = 0; s < transfers_.size(); ++s) {
          const Clock::time_point begin = s == 0 ? rank[i].start : rank[i].ends[s - 1];
          slowest[s][i] = std::max(slowest[s][i], SecondsBetween(begin, rank[i].ends[s]));
          last = std::max(last, rank[i].ends[s]);
        }
      }
      out.round_seconds.push_back(SecondsBetween(first, last));
    }
    for (std::vector<double>& step : slowest)
      out.step_seconds.push_back(Quantile(std::move(step), 0.5));
  }

 private:
  Result<void> RunRank(Transport& world) {
    const size_t rank = static_cast<size_t>(world.rank());
    std::vector<Transport::Step> steps;
    for (size_t s = 0; s < transfers_.size(); ++s)
      steps.push_back(TRY(world.Prepare({{&transfers_[s],
                                          static_cast<std::byte*>(buffers_.before(s)[rank]),
                                          static_cast<std::byte*>(buffers_.after(s)[rank])}})));
    RoundTimes round{{}, std::vector<Clock::time_point>(steps.size())};
    Clock::time_point measured_since = Clock::now();
    for (int done = 0;; ++done) {
      if (done == options_.warm_up) measured_since = Clock::now();
      const bool enough = done >= options_.warm_up + options_.iterations &&
                          SecondsBetween(measured_since, Clock::now()) >= options_.min_seconds;
      if (TRY(world.Decide(enough ? 1 : 0)) == 1) return {};
      round.start = Clock::now();
      for (size_t s = 0; s < steps.size(); ++s) {
        TRY(steps[s]());
        round.ends[s] = Clock::now();
      }
      if (done >= options_.warm_up) times_[rank].push_back(round);
    }
  }

  const Transfers& transfers_;
  const RouteBuffers& buffers_;
  const RouteRunOptions& options_;
  std::vector<std::vector<RoundTimes>> times_;  // by rank, then by measured round
};

}  // namespace

Result<RouteRun> RunRoute(const std::vector<CollectiveStep>& steps,
                          const TensorType& type,
                          const Mesh& mesh,
                          std::vector<Tensor> held,
                          const RouteRunOptions& options) {
  const Transfers transfers = TRY(PlanAll(steps, type, mesh));
  const RouteBuffers buffers(transfers, type, std::move(held));
  Rounds rounds(transfers, buffers, options);
  TRY(rounds.Run(mesh.ranks()));
  RouteRun out;
  rounds.Report(out);
  out.elements = LargestElements(transfers);
  out.held = buffers.End(steps, type, mesh);
  return out;
}

Result<RouteRun> RunRouteInTurn(const std::vector<CollectiveStep>& steps,
                                const TensorType& type,
                                const Mesh& mesh,
                                std::vector<Tensor> held) {
  const Transfers transfers = TRY(PlanAll(steps, type, mesh));
  const RouteBuffers buffers(transfers, type, std::move(held));
  for (size_t s = 0; s < transfers.size(); ++s)
    RunTransfersInTurn(transfers[s], buffers.before(s), buffers.after(s));
  RouteRun out;
  out.elements = LargestElements(transfers);
  out.held = buffers.End(steps, type, mesh);
  return out;
}

}  // namespace metadist
