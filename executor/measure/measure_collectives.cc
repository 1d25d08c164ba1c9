// SPDX-License-Identifier: Apache-2.0
// Measures collectives among ranks, through the same calls that a program makes. All ranks repeat
// the call between two meetings; a sample is the time of the slowest rank. Before each call a rank
// works: it writes the data it will send, as a kernel of a program does, and computes briefly. In
// back-to-back calls a rank would read from its cache data that its peer must have rewritten, and
// its peers would always be awake and in step. The time of the work is subtracted.
#include <algorithm>
#include <chrono>
#include <numeric>

#include "executor/comm/pull_copies.h"
#include "executor/comm/site.h"
#include "executor/measure/measurer.h"
#include "executor/measure/stopwatch.h"
#include "profiles/factors.h"

namespace metadist {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWorkSeconds = 30e-6;  // of work before a call, at least

// One communicator shape: `ranks` ranks in groups of `group` neighbours; all groups run at the same
// time.
struct Shape {
  int ranks;
  int group;
};

// Writes the data to send and computes, for kWorkSeconds in total. Returns the time taken by the
// thread's own clock, which stops while another thread has the core.
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

// The transfers of a group in one call, with `bytes` counted as in nccl-tests: a step between two
// shardings over the group, as in a program; for a send, the ring, which no sharding describes.
struct Move {
  std::vector<Transfer> transfers;  // by rank
  int64_t in = 0;                   // elements that a rank holds before
  int64_t out = 0;                  // and after
};

Move RingOf(int ranks, int64_t elements) {
  Move move;
  move.in = move.out = elements;
  for (int rank = 0; rank < ranks; ++rank) {
    Transfer transfer;
    transfer.elements = elements;
    for (int other = 0; other < ranks; ++other) transfer.group.push_back(other);
    Pull pull;
    pull.sources = {(rank + ranks - 1) % ranks};
    pull.runs = {{{0, 0, elements}}};
    pull.source_shape = pull.shape = {elements};
    pull.copies = CopiesOf(pull, ElementType::kF32);
    transfer.pulls.push_back(std::move(pull));
    move.transfers.push_back(std::move(transfer));
  }
  return move;
}

Result<Move> MoveOf(Collective op, int ranks, int64_t bytes) {
  const int64_t part = bytes / ranks / 4;
  if (op == Collective::kSendRecv) return RingOf(ranks, bytes / 4);
  const Mesh mesh{{{"x", ranks}}};
  TensorType type{ElementType::kF32, {op == Collective::kAllReduce ? bytes / 4 : part * ranks}};
  CollectiveStep step;
  step.axes = {0};
  const char* from = nullptr;
  const char* to = "[]";
  switch (op) {
    case Collective::kAllReduce:
      step.kind = CollectiveKind::kAllReduce;
      from = "[] partial{sum: x}";
      break;
    case Collective::kAllGather:
      step.kind = CollectiveKind::kAllGather;
      from = "[x]";
      break;
    case Collective::kReduceScatter:
      step.kind = CollectiveKind::kReduceScatter;
      from = "[] partial{sum: x}";
      to = "[x]";
      break;
    default:  // each rank sends one block to each rank
      step.kind = CollectiveKind::kAllToAll;
      type.shape = {ranks, ranks, part};
      from = "[x][][]";
      to = "[][x][]";
  }
  step.from = TRY(ParseSharding(from, type.shape, mesh));
  step.to = TRY(ParseSharding(to, type.shape, mesh));
  Move move;
  move.transfers = TRY(PlanTransfers(step, type, mesh));
  move.in = NumElements(LocalShape(type.shape, step.from, mesh, 0));
  move.out = NumElements(LocalShape(type.shape, step.to, mesh, 0));
  return move;
}

class Bench {
 public:
  Bench(Measurer& measurer, Shape shape);
  // Measures all rows of this shape.
  Result<void> Run();

 private:
  struct Round {
    Collective op;
    int64_t bytes;
  };
  // What only the leader knows, and tells the others.
  struct Facts {
    bool step_wanted = false;
    bool one_clock = true;  // all ranks share it
    int turns = 1;          // ranks on the fullest core
  };
  std::vector<Round> Rounds() const;
  bool Wants(const Round& round) { return measurer_.Wants(RowsOf(round.op), round.bytes); }
  bool WantsStep() const {
    return shape_.group == shape_.ranks &&
           measurer_.WantsFactor(kStepSeconds + std::to_string(shape_.ranks));
  }
  Result<void> RunRank(Transport& world);
  Result<Facts> LearnFacts(Transport& world);
  Result<void> MeasureStep(Transport& world, const Facts& facts);
  Result<std::vector<double>> Samples(Transport& world,
                                      Transport& group,
                                      const Move& move,
                                      const Facts& facts);
  Series& RowsOf(Collective op) {
    return measurer_.profile().collectives[{op,
                                            "f32",
                                            shape_.group,
                                            group_spread_.machines,
                                            group_spread_.ranks,
                                            shape_.ranks / shape_.group,
                                            /*strided=*/false}];
  }

  // The work on the core with the most ranks, given the work of all ranks.
  static double WorkOfACore(const std::vector<double>& worked, const Facts& facts) {
    const double all = std::accumulate(worked.begin(), worked.end(), 0.0);
    return all / static_cast<double>(worked.size()) * facts.turns;
  }

  Measurer& measurer_;
  static constexpr double kLeastSeconds = 5e-8;
  const Shape shape_;
  Spread group_spread_ = {1, 1, 1, 1};  // of the first group
};

Bench::Bench(Measurer& measurer, Shape shape) : measurer_(measurer), shape_(shape) {
  if (measurer.team().leads()) group_spread_ = SpreadOf(measurer.team().Sites(shape.group));
}

Result<Bench::Facts> Bench::LearnFacts(Transport& world) {
  Facts facts;
  if (world.rank() == 0) {
    const Spread spread = SpreadOf(measurer_.team().Sites(shape_.ranks));
    facts.step_wanted = WantsStep();
    facts.one_clock = spread.machines == 1;
    facts.turns = spread.turns;
  }
  facts.step_wanted = TRY(world.Decide(facts.step_wanted ? 1 : 0)) == 1;
  facts.one_clock = TRY(world.Decide(facts.one_clock ? 1 : 0)) == 1;
  facts.turns = static_cast<int>(TRY(world.Decide(facts.turns)));
  return facts;
}

// All ranks see the same times, so they agree on when to stop.
Result<std::vector<double>> Bench::Samples(Transport& world,
                                           Transport& group,
                                           const Move& move,
                                           const Facts& facts) {
  std::vector<float> in(static_cast<size_t>(move.in), 1.0f);
  std::vector<float> out(static_cast<size_t>(move.out), 0.0f);
  const auto step = TRY(group.Prepare({{&move.transfers,
                                        reinterpret_cast<std::byte*>(in.data()),
                                        reinterpret_cast<std::byte*>(out.data())}}));
  std::vector<double> samples;
  double total = 0;
  int repetitions = 2;
  TRY(world.Barrier());
  for (int sample = -2;; ++sample) {  // the first two warm up and determine the number of
                                      // repetitions
    const auto start = Clock::now();
    double worked = 0;
    for (int i = 0; i < repetitions; ++i) {
      worked += Work(in);
      TRY(step());
    }
    const std::vector<double> elapsed =
        TRY(world.Collect(std::chrono::duration<double>(Clock::now() - start).count()));
    const double work = WorkOfACore(TRY(world.Collect(worked)), facts);
    const double seconds =
        std::max(kLeastSeconds, *std::max_element(elapsed.begin(), elapsed.end()) - work);
    if (sample < 0) {
      repetitions = std::min(measurer_.rule().Repetitions(seconds / repetitions) * 4, 1000);
      continue;
    }
    samples.push_back(seconds / repetitions);
    total += seconds;
    if (measurer_.rule().Enough(samples.size(), total)) return samples;
  }
}

// How much longer than its work a step takes, from the first rank's start to the last rank's end:
// ranks do not leave the preceding meeting at the same time. Without a common clock: on the rank
// where it takes longest.
Result<void> Bench::MeasureStep(Transport& world, const Facts& facts) {
  constexpr int kSteps = 60;
  std::vector<double> samples;
  std::vector<float> none;
  for (int step = 0; step < kSteps; ++step) {
    TRY(world.Barrier());
    const Clock::time_point start = Clock::now();
    const double worked = Work(none);
    const Clock::time_point end = Clock::now();
    const auto seconds = [](Clock::time_point at) {
      return std::chrono::duration<double>(at.time_since_epoch()).count();
    };
    const double zero = facts.one_clock ? 0 : seconds(start);
    const std::vector<double> starts = TRY(world.Collect(seconds(start) - zero));
    const std::vector<double> ends = TRY(world.Collect(seconds(end) - zero));
    const double work = WorkOfACore(TRY(world.Collect(worked)), facts);
    const double whole = *std::max_element(ends.begin(), ends.end()) -
                         *std::min_element(starts.begin(), starts.end());
    // Ranks in excess of the cores take turns; that is not overhead.
    samples.push_back(std::max(kLeastSeconds, whole - work));
  }
  if (world.rank() == 0) {
    std::nth_element(samples.begin(), samples.begin() + kSteps / 4, samples.end());
    measurer_.AddFactor(kStepSeconds + std::to_string(shape_.ranks), samples[kSteps / 4]);
  }
  return {};
}

std::vector<Bench::Round> Bench::Rounds() const {
  const bool quick = measurer_.options().quick;
  const int64_t largest = int64_t{1} << (quick ? 22 : 26);
  std::vector<Round> rounds;
  for (int op = 0; op < kCollectives; ++op)
    for (int64_t bytes = 512; bytes <= largest; bytes *= quick ? 16 : 8)
      rounds.push_back({static_cast<Collective>(op), bytes});
  return rounds;
}

Result<void> Bench::RunRank(Transport& world) {
  const Facts facts = TRY(LearnFacts(world));
  if (facts.step_wanted) TRY(MeasureStep(world, facts));
  const auto group = TRY(world.Split(world.rank() / shape_.group, world.rank()));
  for (const Round& round : Rounds()) {
    const bool wanted = world.rank() == 0 && Wants(round);
    if (TRY(world.Decide(wanted ? 1 : 0)) == 0) continue;
    const Move move = TRY(MoveOf(round.op, shape_.group, round.bytes));
    std::vector<double> samples = TRY(Samples(world, *group, move, facts));
    if (world.rank() == 0)
      measurer_.Add(RowsOf(round.op), round.bytes, Summarize(samples, kMeasuredHere));
  }
  return {};
}

Result<void> Bench::Run() {
  bool wanted = WantsStep();
  for (const Round& round : Rounds()) wanted = Wants(round) || wanted;
  return measurer_.team().Work(
      wanted, shape_.ranks, [this](Transport& world) { return RunRank(world); });
}

}  // namespace

Result<void> MeasureCollectives(Measurer& measurer) {
  measurer.Say("collectives");
  for (int ranks : measurer.options().ranks)
    for (int group = 2; group <= ranks; ++group) {
      // Groups of all ranks, and the two halves of a two-axis mesh, which run at the same time.
      if (ranks % group != 0 || (group != ranks && group * 2 != ranks)) continue;
      TRY(Bench(measurer, {ranks, group}).Run());
    }
  return {};
}

}  // namespace metadist
