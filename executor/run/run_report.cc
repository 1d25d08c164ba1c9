// SPDX-License-Identifier: Apache-2.0
#include "executor/run/run_report.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <utility>

#include "executor/measure/stopwatch.h"
#include "metair/ir/micro_batches.h"
#include "metair/spmd/collective.h"

namespace metadist {
namespace {

// Seconds of calls [from, to) of a rank's program in one step.
double CallsSeconds(const StepTimes& times, size_t from, size_t to) {
  double seconds = 0;
  for (size_t i = from; i < to; ++i) seconds += times.ends[i] - times.begins[i];
  return seconds;
}

double EndSeconds(const StepTimes& times) {
  double end = times.start;
  for (const double call : times.ends) end = std::max(end, call);
  return end;
}

// The quickest tenth of the steps, at least one.
std::vector<size_t> QuietSteps(const std::vector<double>& step_seconds) {
  std::vector<size_t> order(step_seconds.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return step_seconds[a] < step_seconds[b];
  });
  order.resize((order.size() + 9) / 10);
  return order;
}

// Calls [from, to) of one rank.
struct CallRange {
  size_t rank = 0;
  size_t from = 0;
  size_t to = 0;
};
// A part of the step that one or several ranks run, named after the first rank's call.
struct StepPart {
  const CallName* name = nullptr;
  std::vector<CallRange> ranges;
};

// The calls of each rank at one position of the schedule.
std::vector<CallRange> RangesAt(const std::vector<RankReport>& reports, int position) {
  std::vector<CallRange> ranges;
  for (size_t rank = 0; rank < reports.size(); ++rank) {
    const std::vector<CallName>& calls = reports[rank].calls;
    const auto before = [](const CallName& call, int at) { return call.position < at; };
    const auto from = std::lower_bound(calls.begin(), calls.end(), position, before);
    const auto to = std::lower_bound(from, calls.end(), position + 1, before);
    if (from != to)
      ranges.push_back({rank,
                        static_cast<size_t>(from - calls.begin()),
                        static_cast<size_t>(to - calls.begin())});
  }
  return ranges;
}

// Whether the call belongs to a part before the one that `next` starts. Receiving from channels and
// carrying state come after all nodes.
bool IsBefore(const CallName& call, const CallName& next) {
  if (call.node == kNone) return false;
  return next.node == kNone || call.node < next.node;
}

// Splits the calls into parts. Ranks of a stage may have different calls: arrays that are empty on
// some ranks, and different chains.
void AddParts(const std::vector<RankReport>& reports,
              std::vector<CallRange> rest,
              std::vector<StepPart>& parts) {
  if (rest.empty()) return;
  const CallRange leader = rest[0];
  const std::vector<CallName>& calls = reports[leader.rank].calls;
  for (size_t i = leader.from; i < leader.to; ++i) {
    StepPart part{&calls[i], {}};
    const bool last = i + 1 == leader.to;
    for (CallRange& range : rest) {
      const std::vector<CallName>& own = reports[range.rank].calls;
      CallRange taken = range;
      if (calls[i].node == kNone) {
        taken.to = std::min(range.from + 1, range.to);
      } else {
        taken.to = range.from;
        while (taken.to < range.to && own[taken.to].node != kNone &&
               (last || IsBefore(own[taken.to], calls[i + 1])))
          ++taken.to;
      }
      range.from = taken.to;
      part.ranges.push_back(taken);
    }
    parts.push_back(std::move(part));
  }
}

std::vector<StepPart> PartsOf(const Program& program, const std::vector<RankReport>& reports) {
  std::vector<StepPart> parts;
  for (size_t position = 0; position < program.schedule.size(); ++position) {
    const int stage = program.schedule[position].stage;
    const std::vector<int64_t>& ranks = program.stages[static_cast<size_t>(stage)].ranks;
    std::vector<CallRange> runners;
    std::vector<CallRange> receivers;
    for (const CallRange& range : RangesAt(reports, static_cast<int>(position))) {
      const bool runs =
          std::find(ranks.begin(), ranks.end(), static_cast<int64_t>(range.rank)) != ranks.end();
      (runs ? runners : receivers).push_back(range);
    }
    AddParts(reports, std::move(runners), parts);
    AddParts(reports, std::move(receivers), parts);
  }
  return parts;
}

Spread SpreadOfRanks(const std::vector<RankReport>& reports) {
  std::vector<Site> sites;
  for (const RankReport& report : reports) sites.push_back(report.site);
  return SpreadOf(sites);
}

// The clocks of different machines differ by more than a step takes. On several machines each
// rank's times of a step count from its own start, which is when it left the preceding barrier.
std::vector<RankReport> ByOneClock(std::vector<RankReport> reports) {
  if (SpreadOfRanks(reports).machines < 2) return reports;
  for (RankReport& report : reports)
    for (StepTimes& step : report.steps) {
      for (double& begin : step.begins) begin -= step.start;
      for (double& end : step.ends) end -= step.start;
      step.start = 0;
    }
  return reports;
}

// The time of a node on one rank, given its times on the ranks that run it.
double OwnSeconds(const std::vector<double>& by_rank, bool crowded) {
  if (by_rank.empty()) return 0;
  if (crowded) return *std::min_element(by_rank.begin(), by_rank.end());
  return std::accumulate(by_rank.begin(), by_rank.end(), 0.0) / static_cast<double>(by_rank.size());
}

void ReportQuietTimes(const std::vector<RankReport>& reports,
                      const std::vector<StepPart>& parts,
                      RunResult& result) {
  const std::vector<size_t> quiet = QuietSteps(result.step_seconds);
  const bool crowded = SpreadOfRanks(reports).turns > 1;
  const double share = quiet.empty() ? 0 : 1 / static_cast<double>(quiet.size());
  for (size_t s : quiet) {
    result.quiet_seconds += share * result.step_seconds[s];
    for (size_t i = 0; i < parts.size(); ++i) {
      std::vector<double> by_rank;
      for (const CallRange& range : parts[i].ranges)
        if (range.from < range.to)
          by_rank.push_back(CallsSeconds(reports[range.rank].steps[s], range.from, range.to));
      result.nodes[i].quiet_seconds += share * OwnSeconds(by_rank, crowded);
    }
  }
}

void ReportTimes(const Program& program,
                 const std::vector<RankReport>& reports,
                 RunResult& result) {
  const size_t rounds = reports[0].steps.size();
  for (size_t s = 0; s < rounds; ++s) {
    double first = reports[0].steps[s].start;
    double last = first;
    for (const RankReport& report : reports) {
      first = std::min(first, report.steps[s].start);
      last = std::max(last, EndSeconds(report.steps[s]));
    }
    result.step_seconds.push_back(last - first);
  }
  result.median_seconds = Quantile(result.step_seconds, 0.5);
  result.p10_seconds = Quantile(result.step_seconds, 0.1);
  result.p90_seconds = Quantile(result.step_seconds, 0.9);

  const std::vector<StepPart> parts = PartsOf(program, reports);
  for (const StepPart& part : parts) {
    std::vector<double> slowest(rounds, 0);
    for (const CallRange& range : part.ranges)
      for (size_t s = 0; s < rounds; ++s)
        slowest[s] =
            std::max(slowest[s], CallsSeconds(reports[range.rank].steps[s], range.from, range.to));
    const CallName& name = *part.name;
    result.nodes.push_back({name.stage,
                            name.micro_batch,
                            name.node,
                            name.others,
                            name.kernel,
                            Quantile(std::move(slowest), 0.5),
                            0});
  }
  ReportQuietTimes(reports, parts, result);
}

// What the ranks did in the last step.
Timeline MeasuredTimeline(const std::vector<RankReport>& reports) {
  if (reports[0].steps.empty()) return {};
  std::vector<TimelineEvent> events;
  double first = reports[0].steps.back().start;
  for (const RankReport& report : reports) first = std::min(first, report.steps.back().start);
  for (size_t rank = 0; rank < reports.size(); ++rank) {
    const StepTimes& times = reports[rank].steps.back();
    for (size_t i = 0; i < times.ends.size(); ++i) {
      const CallName& call = reports[rank].calls[i];
      TimelineEvent event{static_cast<int64_t>(rank),
                          call.collective ? Stream::kCollectives : Stream::kCompute,
                          call.stage,
                          call.micro_batch,
                          call.others,
                          call.kernel,
                          times.begins[i] - first,
                          CallsSeconds(times, i, i + 1)};
      if (call.node != kNone) event.nodes.insert(event.nodes.begin(), call.node);
      events.push_back(std::move(event));
    }
  }
  return {Timeline::Source::kMeasured, std::move(events)};
}

// The median over the steps of the mean over the ranks.
void ReportOverlap(const std::vector<RankReport>& reports, RunResult& result) {
  if (std::ranges::none_of(reports[0].calls, &CallName::beside)) return;
  std::vector<double> exposed, hidden;
  for (size_t s = 0; s < reports[0].steps.size(); ++s) {
    exposed.push_back(0);
    hidden.push_back(0);
    for (const RankReport& report : reports) {
      const StepTimes& times = report.steps[s];
      double compute = 0, communication = 0;
      for (size_t i = 0; i < report.calls.size(); ++i)
        (report.calls[i].collective ? communication : compute) += times.ends[i] - times.begins[i];
      const double beyond =
          std::clamp(EndSeconds(times) - times.start - compute, 0.0, communication);
      const double share = 1 / static_cast<double>(reports.size());
      exposed.back() += share * beyond;
      hidden.back() += share * (communication - beyond);
    }
  }
  result.overlap = {Quantile(std::move(exposed), 0.5), Quantile(std::move(hidden), 0.5)};
}

void ReportMemory(const std::vector<RankReport>& reports, RunResult& result) {
  std::set<std::string> slow;
  for (const RankReport& report : reports) {
    result.memory.push_back(report.memory);
    result.peak_bytes = std::max(result.peak_bytes, report.memory.peak());
    for (const CallName& call : report.calls)
      if (call.kernel.ends_with("/reference"))
        slow.insert(call.kernel.substr(0, call.kernel.find('/')));
  }
  result.reference_ops.assign(slow.begin(), slow.end());
}

void ReportCollectives(const Program& program, RunResult& result) {
  const int micro_batches = program.micro_batches();
  for (const Stage& stage : program.stages) {
    const std::vector<bool> once = NodesRunOnce(stage.graph);
    for (size_t n = 0; n < stage.graph.nodes.size(); ++n) {
      const auto kind = CollectiveOf(stage.graph.nodes[n]);
      if (!Communicates(stage.graph.nodes[n])) continue;
      const NodeId id = static_cast<NodeId>(n);
      CollectiveCount& count = result.collectives[std::string(Name(*kind))];
      const int times = once[n] ? 1 : micro_batches;
      count.count += times;
      count.bytes += times * ReceivedBytes(StepOf(stage, id), MovedType(stage, id), stage.mesh);
    }
  }
}

// Concatenates arrays of one type along dim 0.
Tensor Joined(const std::vector<Tensor>& parts) {
  if (parts.size() == 1) return parts[0];
  TensorType type = parts[0].type();
  type.shape[0] *= static_cast<int64_t>(parts.size());
  Tensor all = Tensor::Unset(type);
  std::byte* to = all.mutable_bytes();
  for (const Tensor& part : parts) {
    if (part.type().bytes() > 0)
      std::memcpy(to, part.bytes(), static_cast<size_t>(part.type().bytes()));
    to += part.type().bytes();
  }
  return all;
}

void AssembleOutputs(const Program& program,
                     const std::vector<RankReport>& reports,
                     RunResult& result) {
  for (size_t s = 0; s < program.stages.size(); ++s) {
    const Stage& stage = program.stages[s];
    for (size_t i = 0; i < stage.graph.outputs.size(); ++i) {
      if (program.IsSent(static_cast<int>(s), i)) continue;
      const ValueId id = stage.graph.outputs[i];
      const bool batched = program.IsBatched(stage.NameOfOutput(i));
      TensorType type = stage.graph.value(id).type;
      const int64_t batches = batched ? program.micro_batches() : 1;
      std::vector<Tensor> whole(static_cast<size_t>(batches));
      for (Tensor& batch : whole) batch = Tensor::Zeros(type);
      for (size_t rank = 0; rank < reports.size(); ++rank)
        for (const OutputParts& output : reports[rank].outputs) {
          if (output.stage != static_cast<int>(s) || output.position != i) continue;
          const auto at = std::find(stage.ranks.begin(), stage.ranks.end(), rank);
          for (size_t b = 0; b < output.parts.size(); ++b)
            PlaceLocal(output.parts[b],
                       stage.ShardingOf(id),
                       stage.mesh,
                       at - stage.ranks.begin(),
                       whole[b]);
        }
      result.outputs.emplace_back(stage.NameOfOutput(i), Joined(whole));
      for (const RankReport& report : reports)
        for (const ScalarSeries& series : report.scalars)
          if (series.stage == static_cast<int>(s) && series.position == static_cast<int64_t>(i))
            result.scalars.emplace_back(stage.NameOfOutput(i), series.values);
    }
  }
}

}  // namespace

RunResult ReportRun(const Program& program,
                    std::vector<RankReport> told,
                    const RunOptions& options) {
  const std::vector<RankReport> reports = ByOneClock(std::move(told));
  RunResult result;
  ReportTimes(program, reports, result);
  ReportOverlap(reports, result);
  if (options.trace) result.timeline = MeasuredTimeline(reports);
  ReportMemory(reports, result);
  ReportCollectives(program, result);
  AssembleOutputs(program, reports, result);
  return result;
}

}  // namespace metadist
