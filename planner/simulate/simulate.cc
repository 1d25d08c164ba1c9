// SPDX-License-Identifier: Apache-2.0
#include "planner/simulate/simulate.h"

#include <utility>

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

void Count(Traffic& traffic, int64_t bytes, double seconds) {
  ++traffic.count;
  traffic.bytes += bytes;
  traffic.seconds += seconds;
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

// One node after the other, once all ranks have started. Members of a bundle are one event, and so
// are nodes that run as one.
Timeline TimelineOf(const Stage& stage,
                    const std::vector<Priced>& nodes,
                    const std::vector<int64_t>& groups,
                    double start_seconds) {
  std::vector<TimelineEvent> events;
  double now = start_seconds;
  for (size_t n = 0; n < nodes.size(); ++n) {
    const double seconds = nodes[n].seconds;
    if (seconds <= 0) continue;
    const NodeId id = static_cast<NodeId>(n);
    const Node& node = stage.graph.nodes[n];
    const auto bundle = BundleOf(node);
    const NodeId last = events.empty() ? kNone : events.back().nodes.back();
    const bool travels = last != kNone && bundle && BundleOf(stage.graph.node(last)) == bundle;
    const bool fused =
        last != kNone && groups[n] >= 0 && groups[static_cast<size_t>(last)] == groups[n];
    if (!travels && !fused)
      events.push_back({.stream = CollectiveOf(node) ? Stream::kCollectives : Stream::kCompute,
                        .what = node.op,
                        .start_seconds = now});
    if (fused) events.back().what += "+" + node.op;
    events.back().nodes.push_back(id);
    events.back().seconds += seconds;
    now += seconds;
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

Prediction Simulate(const Program& program, const Cluster& cluster, const OpTable& ops) {
  Prediction out;
  const Stage& stage = OnlyStage(program);
  StepPricer pricer(stage.mesh, cluster);
  const BundlePrices bundles(stage, pricer);
  StrategySpace space{&stage.graph, &ops, &stage.mesh, &cluster};
  const std::vector<FusedOperands> fused = FusedOperandsOf(stage.graph, stage.fused, ops);
  for (size_t n = 0; n < stage.graph.nodes.size(); ++n) {
    const NodeId id = static_cast<NodeId>(n);
    const Node& node = stage.graph.nodes[n];
    const auto kind = CollectiveOf(node);
    if (!kind) {
      space.fused = &fused[n];
      out.nodes.push_back(CallPrice(space, node, RecordedLayout(stage, id).layout()));
      out.compute += out.nodes.back();
      continue;
    }
    const TensorType& type = MovedType(stage, id);
    const CollectiveStep step = StepOf(stage, id);
    out.nodes.push_back(pricer.Price(step, type) * bundles.ShareOf(id));
    out.communication += out.nodes.back();
    if (*kind == CollectiveKind::kSlice || *kind == CollectiveKind::kPartial ||
        *kind == CollectiveKind::kSpare)
      continue;
    const int64_t bytes = ReceivedBytes(step, type, stage.mesh);
    std::string axes;
    for (int axis : step.axes)
      axes += (axes.empty() ? "" : ",") + stage.mesh.axes[static_cast<size_t>(axis)].name;
    Count(out.collectives[std::string(Name(*kind))], bytes, out.nodes.back().seconds);
    Count(out.by_axis[axes], bytes, out.nodes.back().seconds);
  }
  out.step += out.compute;
  out.step += out.communication;
  const Priced start = StepSeconds(cluster);
  out.step += start;
  out.timeline = TimelineOf(stage, out.nodes, FusedGroups(stage, cluster), start.seconds);
  out.memory = MemoryOf(program, ops);
  return out;
}

}  // namespace metadist
