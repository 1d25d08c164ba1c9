// SPDX-License-Identifier: Apache-2.0
#include "planner/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "metair/ir/unique_names.h"
#include "metair/spmd/fusion.h"
#include "planner/lower/bundles.h"
#include "planner/redistribute/route_steps.h"
#include "planner/space/around.h"

namespace metadist {
namespace {

using Place = Redistribution::Place;

class Lowering {
 public:
  Lowering(const Graph& graph,
           const Mesh& mesh,
           const Assignment& assignment,
           std::span<const Redistribution> redistributions)
      : graph_(graph), mesh_(mesh), assignment_(assignment) {
    for (const Redistribution& r : redistributions)
      if (!r.steps.empty())
        routes_[{
            r.place, r.place == Place::kOutput ? r.output : r.node, r.value, r.steps.back().to}] =
            &r;
  }

  Result<Program> Run() {
    Start();
    for (size_t n = 0; n < graph_.nodes.size(); ++n) TRY(LowerNode(static_cast<NodeId>(n)));
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      const ValueId output = graph_.outputs[i];
      stage_.graph.outputs.push_back(
          TRY(Take(Place::kOutput, static_cast<int32_t>(i), output, assignment_.outputs[i])));
      GiveName(output, stage_.graph.outputs.back());
    }
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      const std::string& name = graph_.value(graph_.outputs[i]).name;
      if (stage_.NameOfOutput(i) != name) stage_.output_names[i] = name;
    }
    TRY(KeepState());
    HoldPartials();
    TRY(JoinBundles(stage_));
    stage_.fused = FuseElementwise(stage_, OpTable::BuiltIn());
    return OneStage(std::move(stage_));
  }

 private:
  using Key = std::tuple<Place, int32_t, ValueId, Sharding>;

  // All values of the graph, with their ids; nodes are added as they are lowered.
  void Start() {
    stage_.mesh = mesh_;
    stage_.graph.name = graph_.name;
    stage_.graph.opset = graph_.opset;
    stage_.graph.values = graph_.values;
    stage_.graph.inputs = graph_.inputs;
    stage_.graph.micro_batches = graph_.micro_batches;
    stage_.shardings = assignment_.values;
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      kept_.push_back(static_cast<ValueId>(v));
      names_.Take(graph_.values[v].name);
    }
  }

  Result<void> KeepState() {
    for (const StatePair& pair : graph_.state) {
      const ValueId end = NewValueOf(pair);
      const Sharding& before = stage_.shardings[static_cast<size_t>(pair.input)];
      const Sharding& after = stage_.shardings[static_cast<size_t>(end)];
      if (before != after)
        return Internal(fmt::format("state '{}' begins as {} and ends as {}",
                                    graph_.value(pair.input).name,
                                    ShardingText(before, mesh_),
                                    ShardingText(after, mesh_)));
      stage_.graph.state.push_back({pair.input, end, pair.sums});
    }
    return {};
  }

  // Sums are handed on as they are kept, states as they are placed as outputs.
  ValueId NewValueOf(const StatePair& pair) const {
    if (pair.sums) return kept_[static_cast<size_t>(pair.output)];
    const auto found = std::find(graph_.outputs.begin(), graph_.outputs.end(), pair.output);
    CHECK(found != graph_.outputs.end(), "what replaces state is an output");
    return stage_.graph.outputs[static_cast<size_t>(found - graph_.outputs.begin())];
  }

  // Sets the types in which ranks hold values, and the nodes' attributes for them.
  void HoldPartials() {
    const auto operands = [&](const std::vector<ValueId>& values) {
      Operands out;
      for (ValueId id : values) {
        out.types.push_back(id == kNone ? TensorType{} : stage_.graph.value(id).type);
        out.shardings.push_back(id == kNone ? Sharding{}
                                            : stage_.shardings[static_cast<size_t>(id)]);
      }
      return out;
    };
    for (Node& node : stage_.graph.nodes)
      if (!CollectiveOf(node))
        HoldSums(operands(node.inputs), operands(node.outputs), node.attributes);
    for (size_t v = 0; v < stage_.graph.values.size(); ++v) {
      TensorType& type = stage_.graph.values[v].type;
      type = HeldType(std::move(type), stage_.shardings[v]);
    }
  }

  Result<void> LowerNode(NodeId id) {
    const Strategy& strategy = assignment_.nodes[static_cast<size_t>(id)];
    Node node = graph_.node(id);
    std::map<std::pair<ValueId, Sharding>, ValueId> taken;
    const auto take = [&](ValueId& value, const Sharding& wanted) -> Result<void> {
      const auto [at, added] = taken.emplace(std::pair(value, wanted), kNone);
      if (added) at->second = TRY(Take(Place::kUse, id, value, wanted));
      value = at->second;
      return {};
    };
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] != kNone) TRY(take(node.inputs[i], strategy.inputs[i]));
    for (Region& region : node.regions)
      for (ValueId& capture : region.captures)
        TRY(take(capture, Sharding::Replicated(graph_.value(capture).type.shape.size())));

    for (const LocalLiteral& literal : strategy.literals)
      if (literal.input != kNone && !IsKnown(node.inputs[static_cast<size_t>(literal.input)]))
        return Internal(fmt::format("'{}' takes integers that must be known, and input {} is made",
                                    node.name,
                                    literal.input));
    for (const CountedInput& counted : strategy.indices) {
      ValueId& input = node.inputs[static_cast<size_t>(counted.input)];
      input = Counted(counted, input, node.name);
    }
    const std::vector<ValueId> outputs = node.outputs;
    for (size_t o = 0; o < outputs.size(); ++o) {
      if (outputs[o] == kNone || strategy.made_outputs()[o] == strategy.outputs[o]) continue;
      node.outputs[o] = NewValue(outputs[o], strategy.made[o]);
    }
    const std::vector<ValueId> made = node.outputs;
    const NodeId lowered = stage_.graph.AddNode(std::move(node));
    if (!strategy.literals.empty()) stage_.literals[lowered] = strategy.literals;
    for (size_t o = 0; o < outputs.size(); ++o) {
      if (outputs[o] == kNone) continue;
      const size_t value = static_cast<size_t>(outputs[o]);
      stage_.shardings[value] = strategy.outputs[o];
      if (made[o] != outputs[o]) AddNode(DropStep(strategy.made[o]), made[o], outputs[o], -1);
      kept_[value] = TRY(Take(Place::kKept, id, outputs[o], assignment_.values[value]));
    }
    return {};
  }

  bool IsKnown(ValueId value) const {
    const Value& known = stage_.graph.value(value);
    return known.kind == ValueKind::kConstant && known.data.has_data() &&
           stage_.shardings[static_cast<size_t>(value)].replicated();
  }

  // The value with sharding `wanted`: the kept one, or a copy made here.
  Result<ValueId> Take(Place place, int32_t where, ValueId value, const Sharding& wanted) {
    ValueId at = kept_[static_cast<size_t>(value)];
    if (stage_.shardings[static_cast<size_t>(at)] == wanted) return at;
    const auto found = routes_.find({place, where, value, wanted});
    // Nodes that replace one node share the copies made for the first of them.
    if (found == routes_.end() && place == Place::kUse) {
      const auto copy = copies_.find({value, wanted});
      if (copy != copies_.end()) return copy->second;
    }
    if (found == routes_.end())
      return Internal(fmt::format("no redistribution of '{}' from {} to {}",
                                  graph_.value(value).name,
                                  ShardingText(stage_.shardings[static_cast<size_t>(at)], mesh_),
                                  ShardingText(wanted, mesh_)));
    const std::vector<int>& bundles = found->second->bundles;
    for (size_t s = 0; s < found->second->steps.size(); ++s) {
      const CollectiveStep& step = found->second->steps[s];
      if (step.from != stage_.shardings[static_cast<size_t>(at)])
        return Internal(
            fmt::format("a redistribution of '{}' starts from {}, not from {}",
                        graph_.value(value).name,
                        ShardingText(step.from, mesh_),
                        ShardingText(stage_.shardings[static_cast<size_t>(at)], mesh_)));
      at = AddStep(step, value, at, s < bundles.size() ? bundles[s] : -1);
    }
    if (place == Place::kUse) copies_[{value, wanted}] = at;
    return at;
  }

  // The indices counted from the start of the rank's piece, for one node.
  ValueId Counted(const CountedInput& counted, ValueId indices, const std::string& user) {
    Value value;
    value.name = names_.Fresh(fmt::format("{}@{}", stage_.graph.value(indices).name, user));
    value.type = stage_.graph.value(indices).type;
    const std::string name = "count " + value.name;
    const ValueId made = stage_.graph.AddValue(std::move(value));
    stage_.shardings.push_back(stage_.shardings[static_cast<size_t>(indices)]);
    const NodeId node = stage_.graph.AddNode(CountingNode(counted, name, indices, made));
    stage_.literals[node] = CountingLiterals(counted);
    return made;
  }

  // A value like `original` with another sharding.
  ValueId NewValue(ValueId original, const Sharding& sharding) {
    Value copy;
    copy.name = names_.Fresh(
        fmt::format("{}@{}", graph_.value(original).name, ShardingText(sharding, mesh_)));
    copy.type = graph_.value(original).type;
    stage_.shardings.push_back(sharding);
    return stage_.graph.AddValue(std::move(copy));
  }

  ValueId AddStep(const CollectiveStep& step, ValueId original, ValueId input, int bundle) {
    const ValueId made = NewValue(original, step.to);
    AddNode(step, input, made, bundle);
    return made;
  }

  void AddNode(const CollectiveStep& step, ValueId input, ValueId made, int bundle) {
    Node node;
    node.name = fmt::format("{} {}", Name(step.kind), stage_.graph.value(made).name);
    node.domain = std::string(kCollectiveDomain);
    node.op = std::string(Name(step.kind));
    std::vector<std::string> axes;
    for (int axis : step.axes) axes.push_back(mesh_.axes[static_cast<size_t>(axis)].name);
    node.attributes.set("axes", std::move(axes));
    if (bundle >= 0) node.attributes.set(kBundleAttribute, int64_t{bundle});
    if (IsPrefixSlice(step)) node.attributes.set(kHeadAttribute, int64_t{1});
    node.inputs = {input};
    node.outputs = {made};
    stage_.graph.AddNode(std::move(node));
  }

  // Users refer to an output by name: the copy that is the program's output takes the name.
  void GiveName(ValueId output, ValueId copy) {
    Value& made = stage_.graph.value(output);
    if (copy == output || made.kind != ValueKind::kResult || made.name != graph_.value(output).name)
      return;
    const std::string own = ShardingText(stage_.shardings[static_cast<size_t>(output)], mesh_);
    stage_.graph.value(copy).name = made.name;
    made.name = names_.Fresh(fmt::format("{}@{}", made.name, own));
  }

  const Graph& graph_;
  const Mesh& mesh_;
  const Assignment& assignment_;
  std::map<Key, const Redistribution*> routes_;
  std::vector<ValueId> kept_;                               // by value of the graph
  std::map<std::pair<ValueId, Sharding>, ValueId> copies_;  // latest copy made for a use
  UniqueNames names_{"#"};
  Stage stage_;
};

}  // namespace

Result<Program> Lower(const Graph& graph,
                      const Mesh& mesh,
                      const Assignment& assignment,
                      std::span<const Redistribution> redistributions) {
  return Lowering(graph, mesh, assignment, redistributions).Run();
}

}  // namespace metadist
