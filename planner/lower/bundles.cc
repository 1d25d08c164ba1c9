// SPDX-License-Identifier: Apache-2.0
//
// Combining collectives into one.
//
// Problem: every collective has the fixed cost of synchronizing its ranks (or of a launch), and
// layers with several small collectives in a row (the parts of a fused projection, the sums of a
// norm) pay it repeatedly.
//
// Taken: one pass over the program. A collective may be delayed until its result is first read;
// later ones of the same kind, axes and element type join it meanwhile, if the profile's price of
// all bytes at once is less than that of both apart. The delay keeps the source alive a little
// longer and the result a little shorter; the caller checks the effect on memory. Complexity: nodes
// x waiting bundles.
#include "planner/lower/bundles.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "metair/ir/check.h"
#include "metair/ir/micro_batches.h"
#include "planner/lower/node_order.h"

namespace metadist {
namespace {

bool CanJoin(CollectiveKind kind) {
  return kind == CollectiveKind::kAllGather || kind == CollectiveKind::kAllToAll ||
         kind == CollectiveKind::kReduceScatter || kind == CollectiveKind::kAllReduce;
}

// A collective, or several as one.
struct Load {
  CollectiveKind kind = CollectiveKind::kSlice;
  std::vector<int> axes;
  ElementType element = ElementType::kF32;
  bool once = false;   // for the last micro-batch only
  int64_t before = 0;  // bytes on a rank
  int64_t after = 0;

  bool Like(const Load& other) const {
    return std::tie(kind, axes, element, once) ==
           std::tie(other.kind, other.axes, other.element, other.once);
  }
  double Seconds(StepPricer& pricer) const {
    return pricer.Price(kind, AxisList(axes), before, after, element).seconds;
  }
};

Load LoadOf(const Stage& stage, NodeId id) {
  const CollectiveStep step = StepOf(stage, id);
  const TensorType& type = MovedType(stage, id);
  return {step.kind,
          step.axes,
          HeldType(type, step.from).element,
          /*once=*/false,
          LargestHeldBytes(type, step.from, stage.mesh),
          LargestHeldBytes(type, step.to, stage.mesh)};
}

class Bundler {
 public:
  Bundler(const Stage& stage, StepPricer& pricer)
      : stage_(stage),
        pricer_(pricer),
        once_(NodesRunOnce(stage.graph)),
        waits_in_(stage_.graph.values.size(), kNone) {}

  // By collective node in program order: its bundle, -1 for none.
  std::vector<int> Run() {
    for (size_t n = 0; n < stage_.graph.nodes.size(); ++n) Visit(static_cast<NodeId>(n));
    std::vector<int> out;
    std::map<int, int> numbers;  // bundles with several members, in order
    for (int of : of_) {
      const bool several = of >= 0 && open_[static_cast<size_t>(of)].members > 1;
      out.push_back(
          several ? numbers.try_emplace(of, static_cast<int>(numbers.size())).first->second : -1);
    }
    return out;
  }

 private:
  struct Bundle {
    Load load;
    double seconds = 0;
    bool waits = true;
    int members = 1;
  };

  void Visit(NodeId id) {
    const Node& node = stage_.graph.node(id);
    for (ValueId in : ReadsOf(node)) Read(in);
    if (!CollectiveOf(node) || DropsAtOnce(node)) return;
    of_.push_back(-1);
    Load load = LoadOf(stage_, id);
    load.once = once_[static_cast<size_t>(id)];
    if (!CanJoin(load.kind)) return;
    const Bundle own{load, load.Seconds(pricer_), true, 1};
    of_.back() = Join(own);
    waits_in_[static_cast<size_t>(node.outputs[0])] = of_.back();
  }

  // A drop that belongs to its producer (Strategy::made), not a step of a redistribution.
  bool DropsAtOnce(const Node& node) const {
    const ValueId in = node.inputs[0];
    const NodeId producer = stage_.graph.value(in).producer;
    const Sharding& from = stage_.shardings[static_cast<size_t>(in)];
    return producer != kNone && !CollectiveOf(stage_.graph.node(producer)) && from.has_spares();
  }

  // The value is needed: its bundle is closed.
  void Read(ValueId value) {
    if (value == kNone) return;
    const int bundle = waits_in_[static_cast<size_t>(value)];
    if (bundle != kNone) open_[static_cast<size_t>(bundle)].waits = false;
  }

  int Join(const Bundle& own) {
    for (size_t b = 0; b < open_.size(); ++b) {
      Bundle& bundle = open_[b];
      if (!bundle.waits || !bundle.load.Like(own.load)) continue;
      Bundle together = bundle;
      together.load.before += own.load.before;
      together.load.after += own.load.after;
      together.seconds = together.load.Seconds(pricer_);
      ++together.members;
      if (together.seconds >= bundle.seconds + own.seconds) continue;
      bundle = std::move(together);
      return static_cast<int>(b);
    }
    open_.push_back(own);
    return static_cast<int>(open_.size()) - 1;
  }

  const Stage& stage_;
  StepPricer& pricer_;
  const std::vector<bool> once_;  // by node
  std::vector<Bundle> open_;
  std::vector<int> waits_in_;  // by value
  std::vector<int> of_;        // by collective node
};

// The nodes of each bundle, in order.
std::map<int64_t, std::vector<NodeId>> MembersOf(const Graph& graph) {
  std::map<int64_t, std::vector<NodeId>> members;
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    if (const auto bundle = BundleOf(graph.nodes[n]))
      members[*bundle].push_back(static_cast<NodeId>(n));
  return members;
}

// Checks that the members are equal collectives, and that none is read before the last of them.
Result<void> CheckBundle(const Stage& stage, int64_t bundle, const std::vector<NodeId>& members) {
  const Graph& graph = stage.graph;
  const Node& first = graph.node(members[0]);
  const std::vector<int> axes = StepOf(stage, members[0]).axes;
  const std::vector<bool> once = NodesRunOnce(graph);
  const auto runs_once = [&](NodeId node) { return once[static_cast<size_t>(node)]; };
  std::set<ValueId> made;
  for (NodeId member : members) {
    const Node& node = graph.node(member);
    if (node.op != first.op || StepOf(stage, member).axes != axes ||
        runs_once(member) != runs_once(members[0]))
      return BadInput(fmt::format("bundle {}", bundle),
                      fmt::format("'{}' and '{}' are not alike", first.name, node.name));
    made.insert(node.outputs[0]);
  }
  for (NodeId n = members.front(); n <= members.back(); ++n)
    for (ValueId in : ReadsOf(graph.node(n)))
      if (made.count(in) > 0)
        return BadInput(fmt::format("bundle {}", bundle),
                        fmt::format("'{}' reads what the bundle makes", graph.node(n).name));
  return {};
}

}  // namespace

bool MakeBundles(const Stage& stage,
                 StepPricer& pricer,
                 std::vector<Redistribution>& redistributions) {
  const std::vector<int> bundles = Bundler(stage, pricer).Run();
  size_t next = 0;
  for (Redistribution& r : redistributions)
    for (size_t s = 0; s < r.steps.size(); ++s) {
      CHECK(next < bundles.size(), "a step of a redistribution has no node");
      r.bundles.push_back(bundles[next++]);
    }
  CHECK(next == bundles.size(), "a collective belongs to no redistribution");
  return std::any_of(bundles.begin(), bundles.end(), [](int bundle) { return bundle >= 0; });
}

BundlePrices::BundlePrices(const Stage& stage, StepPricer& pricer) {
  for (const auto& [bundle, all] : MembersOf(stage.graph)) {
    Load together = LoadOf(stage, all[0]);
    double apart = together.Seconds(pricer);
    for (size_t i = 1; i < all.size(); ++i) {
      const Load load = LoadOf(stage, all[i]);
      apart += load.Seconds(pricer);
      together.before += load.before;
      together.after += load.after;
    }
    for (NodeId member : all)
      if (apart > 0) shares_[member] = together.Seconds(pricer) / apart;
  }
}

double BundlePrices::ShareOf(NodeId node) const {
  const auto found = shares_.find(node);
  return found == shares_.end() ? 1 : found->second;
}

Result<void> JoinBundles(Stage& stage) {
  const Graph& graph = stage.graph;
  std::map<int64_t, std::vector<NodeId>> members = MembersOf(graph);
  if (members.empty()) return {};
  for (const auto& [bundle, all] : members) TRY(CheckBundle(stage, bundle, all));
  std::vector<NodeId> order;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto bundle = BundleOf(graph.nodes[n]);
    if (!bundle) {
      order.push_back(static_cast<NodeId>(n));
      continue;
    }
    const std::vector<NodeId>& all = members[*bundle];
    if (static_cast<NodeId>(n) == all.back()) order.insert(order.end(), all.begin(), all.end());
  }
  Reorder(stage, order);
  return {};
}

}  // namespace metadist
