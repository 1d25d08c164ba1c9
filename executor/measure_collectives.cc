// SPDX-License-Identifier: Apache-2.0
// Collectives among thread ranks. All ranks repeat the call between two meetings; a sample is the
// slowest rank's time. Rank 0 decides how often and tells the others before the next meeting.
// Before each call a rank works: it writes what it will send, as a program's kernel does, and
// computes a little. Back to back, a rank would read from caches what its peer must have written,
// and find its peers awake and on their way. The time of the work is taken off again.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>

#include "executor/comm/placement.h"
#include "executor/comm/threads.h"
#include "executor/cpu/kernel.h"
#include "executor/measurer.h"
#include "executor/stopwatch.h"
#include "metair/ir/parallel.h"
#include "profiles/factors.h"

namespace metadist {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWorkSeconds = 30e-6;  // before a call, at least

// One communicator shape: `ranks` threads in groups of `group` neighbours that work at once.
struct Shape {
  int ranks;
  int group;
};

// Buffers of one rank for `bytes` as nccl-tests counts them.
struct Buffers {
  std::vector<float> in;
  std::vector<float> out;
};

// Writes what is sent and computes for kWorkSeconds in all; how long that really took, on the
// thread's own clock, which stands still while another thread has the core.
double Work(std::vector<float>& sent) {
  const double start = ThreadSeconds();
  for (float& x : sent) x = 1 - x;
  double spent = 0;
  do {
    for (int i = 0; i < 1000; ++i) asm volatile("" : : : "memory");
    spent = ThreadSeconds() - start;
  } while (spent < kWorkSeconds);
  return spent;
}

Result<void> Call(Communicator& comm, Collective op, int64_t bytes, Buffers& buffers) {
  const int n = comm.size();
  const int64_t part = bytes / n / 4 * 4;
  const void* in = buffers.in.data();
  void* out = buffers.out.data();
  switch (op) {
    case Collective::kAllReduce:
      return comm.AllReduce(in, out, bytes / 4, ElementType::kF32, ReduceOp::kSum);
    case Collective::kAllGather:
      return comm.AllGather(in, out, part);
    case Collective::kReduceScatter:
      return comm.ReduceScatter(in, out, part / 4, ElementType::kF32, ReduceOp::kSum);
    case Collective::kAllToAll:
      return comm.AllToAll(in, out, part);
    case Collective::kSendRecv:
      return comm.SendRecv(in, bytes, (comm.rank() + 1) % n, out, bytes, (comm.rank() + n - 1) % n);
  }
  return {};
}

class Bench {
 public:
  Bench(Measurer& measurer, Shape shape)
      : measurer_(measurer),
        shape_(shape),
        turns_(std::ceil(shape.ranks / static_cast<double>(measurer.profile().header.cores))) {}
  // All rows of this shape.
  Result<void> Run();

 private:
  struct Round {
    Collective op;
    int64_t bytes;
  };
  Result<void> RunRank(Communicator& world);
  Result<void> MeasureStep(Communicator& world);
  Result<std::vector<double>> Samples(Communicator& world, Communicator& group, Round round);
  Series& RowsOf(Collective op) {
    return measurer_.profile().collectives[{op,
                                            "f32",
                                            shape_.group,
                                            1,
                                            shape_.group,
                                            shape_.ranks / shape_.group,
                                            /*strided=*/false}];
  }

  // Of the core with most ranks, since the last two meetings.
  double WorkOfACore() const {
    const double all = std::accumulate(worked_.begin(), worked_.end(), 0.0);
    return all / static_cast<double>(worked_.size()) * turns_;
  }

  Measurer& measurer_;
  static constexpr double kLeastSeconds = 5e-8;
  const Shape shape_;
  const double turns_;  // ranks on the fullest core
  std::vector<Round> rounds_;
  bool step_wanted_ = false;
  std::vector<Clock::time_point> starts_;
  // Written by rank 0 between meetings.
  std::atomic<int> repetitions_ = 1;
  std::atomic<bool> go_ = true;    // another row
  std::atomic<bool> more_ = true;  // another sample
  std::vector<double> elapsed_;
  std::vector<double> worked_;  // part of elapsed_, by rank
};

Result<std::vector<double>> Bench::Samples(Communicator& world, Communicator& group, Round round) {
  Buffers buffers;
  const auto count = static_cast<size_t>(round.bytes / 4);
  buffers.in.assign(count, 1.0f);
  buffers.out.assign(count, 0.0f);
  const bool leads = world.rank() == 0;
  std::vector<double> samples;
  double total = 0;
  if (leads) {
    repetitions_ = 2;
    more_ = true;
  }
  for (int sample = -2;; ++sample) {  // two to warm up and to learn the length
    TRY(world.Barrier());
    if (!more_) return samples;
    const int repetitions = repetitions_;
    const auto start = Clock::now();
    double worked = 0;
    for (int i = 0; i < repetitions; ++i) {
      worked += Work(buffers.in);
      TRY(Call(group, round.op, round.bytes, buffers));
    }
    elapsed_[static_cast<size_t>(world.rank())] =
        std::chrono::duration<double>(Clock::now() - start).count();
    worked_[static_cast<size_t>(world.rank())] = worked;
    TRY(world.Barrier());
    if (!leads) continue;
    const double seconds = std::max(
        kLeastSeconds, *std::max_element(elapsed_.begin(), elapsed_.end()) - WorkOfACore());
    if (sample < 0) {
      repetitions_ = std::min(measurer_.rule().Repetitions(seconds / repetitions) * 4, 1000);
      continue;
    }
    samples.push_back(seconds / repetitions);
    total += seconds;
    more_ = !measurer_.rule().Enough(samples.size(), total);
  }
}

// How much longer than its work a step takes from its first rank's start to its last rank's end:
// the ranks do not leave the meeting before it together.
Result<void> Bench::MeasureStep(Communicator& world) {
  constexpr int kSteps = 60;
  const auto mine = static_cast<size_t>(world.rank());
  std::vector<double> samples;
  std::vector<float> none;
  for (int step = 0; step < kSteps; ++step) {
    TRY(world.Barrier());
    starts_[mine] = Clock::now();
    worked_[mine] = Work(none);
    elapsed_[mine] = std::chrono::duration<double>(Clock::now() - starts_[mine]).count();
    TRY(world.Barrier());
    if (world.rank() != 0) continue;
    const auto first = *std::min_element(starts_.begin(), starts_.end());
    double last = 0;
    for (size_t r = 0; r < starts_.size(); ++r)
      last =
          std::max(last, std::chrono::duration<double>(starts_[r] - first).count() + elapsed_[r]);
    // Ranks beyond the cores take turns; that is no loss.
    samples.push_back(std::max(kLeastSeconds, last - WorkOfACore()));
  }
  if (world.rank() == 0) {
    std::nth_element(samples.begin(), samples.begin() + kSteps / 4, samples.end());
    measurer_.AddFactor(kStepSeconds + std::to_string(shape_.ranks), samples[kSteps / 4]);
  }
  return {};
}

Result<void> Bench::RunRank(Communicator& world) {
  cpu::UseOneThread();
  PlaceRank(world.rank(), world.size());
  if (step_wanted_) TRY(MeasureStep(world));
  const auto group = TRY(world.Split(world.rank() / shape_.group, world.rank()));
  for (const Round& round : rounds_) {
    if (world.rank() == 0) go_ = !measurer_.stopped();
    TRY(world.Barrier());
    if (!go_) return {};
    TRY(world.Barrier());
    std::vector<double> samples = TRY(Samples(world, *group, round));
    if (world.rank() == 0)
      measurer_.Add(RowsOf(round.op), round.bytes, Summarize(std::move(samples), kMeasuredHere));
  }
  return {};
}

Result<void> Bench::Run() {
  const bool quick = measurer_.options().quick;
  const int64_t largest = int64_t{1} << (quick ? 22 : 26);
  for (int op = 0; op < kCollectives; ++op)
    for (int64_t bytes = 512; bytes <= largest; bytes *= quick ? 16 : 8) {
      const auto kind = static_cast<Collective>(op);
      if (measurer_.Wants(RowsOf(kind), bytes)) rounds_.push_back({kind, bytes});
    }
  step_wanted_ = shape_.group == shape_.ranks &&
                 measurer_.WantsFactor(kStepSeconds + std::to_string(shape_.ranks));
  if (rounds_.empty() && !step_wanted_) return {};
  elapsed_.resize(static_cast<size_t>(shape_.ranks));
  starts_.resize(elapsed_.size());
  worked_.resize(elapsed_.size());
  auto world = MakeThreadGroup(shape_.ranks);
  std::vector<Result<void>> statuses(world.size());
  TRY(RunAtOnce(world.size(), [&](size_t r) {
    statuses[r] = RunRank(*world[r]);
    if (!statuses[r].ok()) world[r]->Abort(statuses[r].error());
  }));
  for (Result<void>& status : statuses) TRY(std::move(status));
  return {};
}

}  // namespace

Result<void> MeasureCollectives(Measurer& measurer) {
  measurer.Say("collectives");
  for (int ranks : measurer.options().ranks)
    for (int group = 2; group <= ranks; ++group) {
      // Whole machines, and on a mesh of two axes the halves that work side by side.
      if (ranks % group != 0 || (group != ranks && group * 2 != ranks)) continue;
      TRY(Bench(measurer, {ranks, group}).Run());
    }
  return {};
}

}  // namespace metadist
