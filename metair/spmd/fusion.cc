// SPDX-License-Identifier: Apache-2.0
// Which nodes run as one.
//
// Elementwise nodes on large arrays wait for memory: each reads its operands from there and writes
// its result back, and the next node reads the same elements again. Nodes that take turns on blocks
// of elements find them in the cache. Which nodes do so is decided here, once, from the program
// alone: the planner prices the groups, and every device runs them as its kernels allow.
//
// Taken: one pass in program order, greedily. Groups are not extended past a node that is not
// elementwise, even if that node is independent: the order of a program is that of its memory plan.
#include "metair/spmd/fusion.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "metair/ir/micro_batches.h"
#include "metair/spmd/collective.h"

namespace metadist {
namespace {

const OpDef* OpOf(const Node& node, const OpTable& ops) {
  return CollectiveOf(node) ? nullptr : ops.Find(node);
}

// Whether output 0 is a view of input 0.
bool IsView(const Node& node, const OpTable& ops) {
  const OpDef* op = OpOf(node, ops);
  return op != nullptr && op->view && !node.inputs.empty() && node.inputs[0] != kNone &&
         !node.outputs.empty() && node.outputs[0] != kNone;
}

// By value: the value whose elements it is a view of, or itself.
std::vector<ValueId> RootsOfViews(const Graph& graph, const OpTable& ops) {
  std::vector<ValueId> roots(graph.values.size());
  std::iota(roots.begin(), roots.end(), 0);
  for (const Node& node : graph.nodes)
    if (IsView(node, ops))
      roots[static_cast<size_t>(node.outputs[0])] = roots[static_cast<size_t>(node.inputs[0])];
  return roots;
}

class Fuser {
 public:
  Fuser(const Graph& graph,
        std::span<const Sharding> shardings,
        const Mesh& mesh,
        const OpTable& ops)
      : graph_(graph),
        shardings_(shardings),
        mesh_(mesh),
        ops_(ops),
        roots_(RootsOfViews(graph, ops)),
        once_(NodesRunOnce(graph)) {}

  std::vector<FusedNodes> Run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const NodeId id = static_cast<NodeId>(n);
      const Node& node = graph_.nodes[n];
      if (IsView(node, ops_)) continue;
      const OpDef* op = OpOf(node, ops_);
      if (op != nullptr && op->elementwise && HasKnownSizes(node))
        Add(id, node);
      else
        EndGroup();
    }
    EndGroup();
    return std::move(groups_);
  }

 private:
  // The position in the group of the node that made the value, views looked through.
  std::optional<size_t> MakerInGroup(ValueId value) const {
    if (value == kNone) return std::nullopt;
    const NodeId maker = graph_.value(roots_[static_cast<size_t>(value)]).producer;
    const auto at = std::ranges::lower_bound(group_, maker);
    if (at == group_.end() || *at != maker) return std::nullopt;
    return at - group_.begin();
  }

  bool HasKnownSizes(const Node& node) const {
    return node.outputs.size() == 1 && node.outputs[0] != kNone &&
           IsKnown(graph_.value(node.outputs[0]).type.shape);
  }

  // Whether every rank holds equally many elements of both values.
  bool SameSize(ValueId a, ValueId b) const {
    const Shape& shape_a = graph_.value(a).type.shape;
    const Shape& shape_b = graph_.value(b).type.shape;
    if (shardings_.empty()) return NumElements(shape_a) == NumElements(shape_b);
    const Sharding& sharding_a = shardings_[static_cast<size_t>(a)];
    const Sharding& sharding_b = shardings_[static_cast<size_t>(b)];
    if (shape_a == shape_b && sharding_a == sharding_b) return true;
    for (int64_t rank = 0; rank < mesh_.ranks(); ++rank)
      if (NumElements(LocalShape(shape_a, sharding_a, mesh_, rank)) !=
          NumElements(LocalShape(shape_b, sharding_b, mesh_, rank)))
        return false;
    return true;
  }

  bool RunsOnce(NodeId id) const { return once_[static_cast<size_t>(id)]; }

  void Add(NodeId id, const Node& node) {
    const ValueId out = node.outputs[0];
    // Values of one size are not broadcast to one another.
    if (!group_.empty() &&
        (!SameSize(graph_.node(group_[0]).outputs[0], out) || RunsOnce(group_[0]) != RunsOnce(id)))
      EndGroup();
    bool linked = false;
    for (const ValueId in : node.inputs)
      if (const auto maker = MakerInGroup(in)) linked_[*maker] = linked = true;
    group_.push_back(id);
    linked_.push_back(linked);
  }

  // Nodes at either end that share no value with others gain nothing from the group.
  void EndGroup() {
    const auto first = std::ranges::find(linked_, true);
    const auto last = std::find(linked_.rbegin(), linked_.rend(), true).base();
    if (first < last)
      groups_.emplace_back(group_.begin() + (first - linked_.begin()),
                           group_.begin() + (last - linked_.begin()));
    group_.clear();
    linked_.clear();
  }

  const Graph& graph_;
  const std::span<const Sharding> shardings_;
  const Mesh& mesh_;
  const OpTable& ops_;
  const std::vector<ValueId> roots_;
  const std::vector<bool> once_;  // by node
  std::vector<NodeId> group_;
  std::vector<bool> linked_;  // by node of the group
  std::vector<FusedNodes> groups_;
};

}  // namespace

std::vector<FusedNodes> FuseElementwise(const Graph& graph,
                                        std::span<const Sharding> shardings,
                                        const Mesh& mesh,
                                        const OpTable& ops) {
  return Fuser(graph, shardings, mesh, ops).Run();
}

std::vector<FusedOperands> FusedOperandsOf(const Graph& graph,
                                           std::span<const FusedNodes> fused,
                                           const OpTable& ops) {
  std::vector<int> group_of(graph.nodes.size(), -1);
  for (size_t g = 0; g < fused.size(); ++g)
    for (const NodeId node : fused[g]) group_of[static_cast<size_t>(node)] = static_cast<int>(g);
  const std::vector<ValueId> roots = RootsOfViews(graph, ops);
  const auto group_of_maker = [&](ValueId value) {
    const NodeId maker = graph.value(roots[static_cast<size_t>(value)]).producer;
    return maker == kNone ? -1 : group_of[static_cast<size_t>(maker)];
  };
  std::vector<FusedOperands> operands(graph.nodes.size());
  for (size_t n = 0; n < operands.size(); ++n) {
    if (group_of[n] < 0) continue;
    for (const ValueId in : graph.nodes[n].inputs)
      operands[n].made_inside.push_back(in != kNone && group_of_maker(in) == group_of[n]);
    operands[n].read_outside = false;
  }
  const std::vector<std::vector<Use>> uses = UsesOf(graph);
  for (size_t v = 0; v < uses.size(); ++v) {
    const int made_in = group_of_maker(static_cast<ValueId>(v));
    if (made_in < 0) continue;
    const auto is_inside = [&](const Use& use) {
      if (use.node == kNone) return false;
      const std::vector<ValueId>& outputs = graph.node(use.node).outputs;
      const bool view = !outputs.empty() && outputs[0] != kNone &&
                        roots[static_cast<size_t>(outputs[0])] == roots[v];
      return view || group_of[static_cast<size_t>(use.node)] == made_in;
    };
    if (!std::ranges::all_of(uses[v], is_inside))
      operands[static_cast<size_t>(graph.value(roots[v]).producer)].read_outside = true;
  }
  return operands;
}

}  // namespace metadist
