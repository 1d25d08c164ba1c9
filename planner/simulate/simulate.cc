// SPDX-License-Identifier: Apache-2.0
#include "planner/simulate/simulate.h"

#include <algorithm>
#include <utility>

#include "metair/ir/micro_batches.h"
#include "metair/spmd/collective.h"
#include "planner/lower/bundles.h"
#include "planner/space/local_call.h"
#include "planner/space/strategies.h"
#include "planner/space/widest_rank.h"
#include "profiles/factors.h"

namespace metadist {
namespace {

// How a node's call is divided, as recorded in the stage.
class RecordedLayout {
 public:
  RecordedLayout(const Stage& stage, NodeId id)
      : inputs_(ShardingsOf(stage, stage.graph.node(id).inputs)),
        outputs_(ShardingsOf(stage, stage.graph.node(id).outputs)) {
    const auto literals = stage.literals.find(id);
    if (literals != stage.literals.end()) literals_ = literals->second;
  }

  CallLayout layout() const { return {inputs_, outputs_, literals_}; }

 private:
  static std::vector<Sharding> ShardingsOf(const Stage& stage, const std::vector<ValueId>& values) {
    std::vector<Sharding> out;
    for (ValueId value : values)
      out.push_back(value == kNone ? Sharding{} : stage.ShardingOf(value));
    return out;
  }

  std::vector<Sharding> inputs_;
  std::vector<Sharding> outputs_;
  std::span<const LocalLiteral> literals_;
};

void Count(Traffic& traffic, int64_t times, int64_t bytes, double seconds) {
  traffic.count += times;
  traffic.bytes += times * bytes;
  traffic.seconds += static_cast<double>(times) * seconds;
}

// By node: the group that the cluster's devices run as one, or -1.
std::vector<int64_t> FusedGroups(const Stage& stage, const Cluster& cluster) {
  std::vector<int64_t> groups(stage.graph.nodes.size(), -1);
  if (cluster.profile->factor(kFusedBlockElements, 0) <= 0) return groups;
  for (size_t group = 0; group < stage.fused.size(); ++group)
    for (NodeId node : stage.fused[group])
      groups[static_cast<size_t>(node)] = static_cast<int64_t>(group);
  return groups;
}

bool RunsInOrder(const Stage& stage) { return std::ranges::none_of(stage.graph.nodes, Overlaps); }

// A price with its evidence, for another time.
Priced Lasting(const Priced& price, double seconds) {
  return price.seconds > 0 ? price * (seconds / price.seconds) : price;
}

// One micro-batch and one node after the other, once all ranks have started. Members of a bundle
// are one event, and so are nodes that run as one.
class TimelineWriter {
 public:
  TimelineWriter(const Stage& stage, std::vector<int64_t> groups)
      : graph_(stage.graph), groups_(std::move(groups)), once_(NodesRunOnce(stage.graph)) {}

  Timeline Write(const std::vector<Priced>& nodes, int micro_batches, double start_seconds) {
    now_ = start_seconds;
    for (int batch = 0; batch < micro_batches; ++batch) {
      last_ = kNone;
      for (size_t n = 0; n < nodes.size(); ++n)
        if (nodes[n].seconds > 0 && (!once_[n] || batch + 1 == micro_batches))
          Add(static_cast<NodeId>(n), batch, nodes[n].seconds);
    }
    return {Timeline::Source::kPredicted, std::move(events_)};
  }

 private:
  void Add(NodeId id, int batch, double seconds) {
    const Node& node = graph_.node(id);
    const auto bundle = BundleOf(node);
    const bool travels = last_ != kNone && bundle && BundleOf(graph_.node(last_)) == bundle;
    const int64_t group = groups_[static_cast<size_t>(id)];
    const bool fused = last_ != kNone && group >= 0 && groups_[static_cast<size_t>(last_)] == group;
    if (!travels && !fused)
      events_.push_back({.stream = CollectiveOf(node) ? Stream::kCollectives : Stream::kCompute,
                         .micro_batch = batch,
                         .what = node.op,
                         .start_seconds = now_});
    if (fused) events_.back().what += "+" + node.op;
    events_.back().nodes.push_back(id);
    events_.back().seconds += seconds;
    now_ += seconds;
    last_ = id;
  }

  const Graph& graph_;
  const std::vector<int64_t> groups_;
  const std::vector<bool> once_;
  std::vector<TimelineEvent> events_;
  double now_ = 0;
  NodeId last_ = kNone;  // the node added last to this micro-batch
};

// Both streams of a program whose collectives overlap nodes, one micro-batch after the other.
Timeline OverlappedTimeline(const StepParts& step) {
  const Graph& graph = OnlyStage(step.program).graph;
  const std::vector<StepTask> tasks = TasksOf(step);
  std::vector<TimelineEvent> events;
  double begin = step.start_seconds, end = begin;
  for (int batch = 0; batch < step.program.micro_batches(); ++batch) {
    const bool last = batch + 1 == step.program.micro_batches();
    for (const TaskTimes& times : TimesOfBatch(tasks, step.slowdown, last)) {
      if (times.seconds == 0) continue;
      const StepTask& task = tasks[static_cast<size_t>(times.task)];
      TimelineEvent event{.stream = task.moves ? Stream::kCollectives : Stream::kCompute,
                          .micro_batch = batch,
                          .start_seconds = begin + times.start_seconds,
                          .seconds = times.seconds};
      for (NodeId node = task.first; node <= task.last; ++node) {
        if (step.nodes[static_cast<size_t>(node)].seconds == 0) continue;
        if (event.nodes.empty() || !task.moves)
          event.what += (event.nodes.empty() ? "" : "+") + graph.node(node).op;
        event.nodes.push_back(node);
      }
      end = std::max(end, event.end_seconds());
      events.push_back(std::move(event));
    }
    begin = end;
  }
  return {Timeline::Source::kPredicted, std::move(events)};
}

}  // namespace

std::vector<std::string> CallsOf(const Program& program, const OpTable& ops) {
  const Stage& stage = OnlyStage(program);
  std::vector<std::string> calls(stage.graph.nodes.size());
  for (size_t n = 0; n < calls.size(); ++n) {
    const NodeId id = static_cast<NodeId>(n);
    const Node& node = stage.graph.nodes[n];
    const OpDef* op = CollectiveOf(node) ? nullptr : ops.Find(node);
    if (op == nullptr || !node.regions.empty()) continue;
    const RecordedLayout recorded(stage, id);
    const CallLayout layout = recorded.layout();
    const LocalCall local(
        *op, stage.graph, node, layout, stage.mesh, WidestRank(layout, stage.mesh));
    if (!local.Fits()) continue;
    const ComputeWork work = local.work();
    if (work.flops > 0 || work.bytes > 0) calls[n] = local.text();
  }
  return calls;
}

StepParts PartsOf(const Program& program,
                  const Cluster& cluster,
                  const OpTable& ops,
                  const std::vector<Priced>& nodes) {
  constexpr double kSlowdown = 1.2;  // where the profile has no measurement
  return {program,
          ops,
          nodes,
          cluster.profile->factor(kOverlapSlowdown, kSlowdown),
          StepSeconds(cluster).seconds};
}

Prediction Simulate(const Program& program, const Cluster& cluster, const OpTable& ops) {
  Prediction out;
  const Stage& stage = OnlyStage(program);
  StepPricer pricer(stage.mesh, cluster);
  const BundlePrices bundles(stage, pricer);
  StrategySpace space{&stage.graph, &ops, &stage.mesh, &cluster};
  const std::vector<FusedOperands> fused = FusedOperandsOf(stage.graph, stage.fused, ops);
  const std::vector<bool> once = NodesRunOnce(stage.graph);
  const int micro_batches = program.micro_batches();
  for (size_t n = 0; n < stage.graph.nodes.size(); ++n) {
    const NodeId id = static_cast<NodeId>(n);
    const Node& node = stage.graph.nodes[n];
    const auto kind = CollectiveOf(node);
    const int times = once[n] ? 1 : micro_batches;
    if (!kind) {
      space.fused = &fused[n];
      out.nodes.push_back(CallPrice(space, node, RecordedLayout(stage, id).layout()));
      out.compute += out.nodes.back() * times;
      continue;
    }
    const TensorType& type = MovedType(stage, id);
    const CollectiveStep step = StepOf(stage, id);
    out.nodes.push_back(pricer.Price(step, type) * bundles.ShareOf(id));
    out.communication += out.nodes.back() * times;
    if (!Communicates(node)) continue;
    const int64_t bytes = ReceivedBytes(step, type, stage.mesh);
    std::string axes;
    for (int axis : step.axes)
      axes += (axes.empty() ? "" : ",") + stage.mesh.axes[static_cast<size_t>(axis)].name;
    Count(out.collectives[std::string(Name(*kind))], times, bytes, out.nodes.back().seconds);
    Count(out.by_axis[axes], times, bytes, out.nodes.back().seconds);
  }
  const Priced start = StepSeconds(cluster);
  out.step += out.compute;
  if (RunsInOrder(stage)) {
    out.step += out.communication;
    out.step += start;
    out.overlap = {out.step.seconds, out.communication.seconds, 0};
  } else {
    out.overlap = OverlappedOf(PartsOf(program, cluster, ops, out.nodes));
    out.step += Lasting(out.communication, out.overlap.exposed_seconds);
    out.step += start;
  }
  out.memory = MemoryOf(program, ops);
  return out;
}

Timeline PredictedTimeline(const Program& program,
                           const Cluster& cluster,
                           const OpTable& ops,
                           const Prediction& prediction) {
  const Stage& stage = OnlyStage(program);
  if (!RunsInOrder(stage))
    return OverlappedTimeline(PartsOf(program, cluster, ops, prediction.nodes));
  return TimelineWriter(stage, FusedGroups(stage, cluster))
      .Write(prediction.nodes, program.micro_batches(), StepSeconds(cluster).seconds);
}

}  // namespace metadist
