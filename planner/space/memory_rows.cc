// SPDX-License-Identifier: Apache-2.0
// Liveness as the solvers count it.
//
// The executor holds a buffer from the node that makes it to the last node that reads it; a view
// shares its input's buffer (metair/spmd/buffer_plan.h). The size of a buffer depends on one
// decision, except around redistributions, where original and copy belong to different decisions.
// Only bytes that one decision fixes are counted, and a buffer with views once, so that the usage
// never exceeds what the program really needs:
//
//   at 2n       the node's results, and operands that come straight from their producer
//   2n+1 ..     a result kept for several uses, up to the last of them; a result used once, up to
//               its user
//   at 2n       new values of states, unless they may be written over the old ones: once they are
//               made, they may be moved there
//   always      inputs, parameters, constants (their packed size, if packed; the copy that node n
//               reads is then counted at 2n)
#include "planner/space/memory_rows.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "metair/ir/packing.h"
#include "metair/spmd/buffer_plan.h"
#include "planner/space/counted_rank.h"

namespace metadist {
namespace {

class Liveness {
 public:
  Liveness(const Graph& graph, const OpTable& ops, const Mesh& mesh, Formulation& formulation)
      : graph_(graph),
        ops_(ops),
        mesh_(mesh),
        formulation_(formulation),
        decisions_(formulation.where),
        uses_(UsesOf(graph)),
        packed_(HeldPacked(graph, ops)),
        end_(2 * static_cast<int64_t>(graph.nodes.size()) + 1),
        overwriting_(graph.values.size(), false),
        replacing_(graph.values.size(), false),
        covered_(graph.values.size(), 0),
        root_(graph.values.size()) {}

  void Run() {
    for (size_t v = 0; v < root_.size(); ++v) root_[v] = static_cast<ValueId>(v);
    const std::vector<bool> in_place = UpdatedInPlace(graph_, ops_);
    for (size_t s = 0; s < in_place.size(); ++s) {
      Mark(graph_.state[s].output, replacing_);
      if (in_place[s]) Mark(graph_.state[s].output, overwriting_);
    }
    AddStored();
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const NodeId id = static_cast<NodeId>(n);
      SetRoot(id);
      AddRunning(id);
      for (size_t o = 0; o < graph_.nodes[n].outputs.size(); ++o)
        if (graph_.nodes[n].outputs[o] != kNone) AddResult(id, o);
    }
  }

 private:
  int64_t Bytes(ValueId value, const Sharding& sharding) const {
    return Bytes(graph_.value(value).type, sharding);
  }

  int64_t Bytes(const TensorType& type, const Sharding& sharding) const {
    return LocalBytes(type, sharding, mesh_, formulation_.counted_rank);
  }

  // Bytes of an input, a parameter or a constant.
  int64_t StoredBytes(ValueId value, const Sharding& sharding) const {
    const TensorType& type = graph_.value(value).type;
    if (!packed_[static_cast<size_t>(value)]) return Bytes(type, sharding);
    return PackedBytes(
        {type.element, LocalShape(type.shape, sharding, mesh_, formulation_.counted_rank)});
  }

  std::vector<int64_t> Bytes(ValueId value, const std::vector<Sharding>& candidates) const {
    std::vector<int64_t> out;
    for (const Sharding& candidate : candidates) out.push_back(Bytes(value, candidate));
    return out;
  }

  void AddRow(size_t decision, int64_t lo, int64_t hi, std::vector<int64_t> usage) {
    if (lo >= hi || *std::max_element(usage.begin(), usage.end()) == 0) return;
    formulation_.problem.nodes[decision].rows.push_back({lo, hi, std::move(usage)});
  }

  bool Decided(ValueId value) const { return decisions_.of_value[static_cast<size_t>(value)] >= 0; }

  void AddStored() {
    int64_t fixed = 0;
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      const ValueId id = static_cast<ValueId>(v);
      if (graph_.value(id).kind == ValueKind::kResult) continue;
      covered_[v] = std::numeric_limits<int64_t>::max();
      if (!Decided(id)) {
        fixed += StoredBytes(id, formulation_.fixed[v]);
        continue;
      }
      const size_t at = static_cast<size_t>(decisions_.of_value[v]);
      std::vector<int64_t> usage;
      for (const Sharding& candidate : *formulation_.decisions[at].candidates)
        usage.push_back(StoredBytes(id, candidate));
      AddRow(at, 0, end_, std::move(usage));
    }
    for (size_t d = 0; d < formulation_.decisions.size(); ++d)
      if (formulation_.decisions[d].kind == Formulation::Decision::Kind::kFixed)
        AddRow(d, 0, end_, {fixed});
  }

  bool IsView(const Node& node) const { return IsView(graph_, node); }

  bool IsView(const Graph& graph, const Node& node) const {
    const OpDef* op = ops_.Find(node);
    if (op == nullptr || !op->view || node.inputs.empty() || node.inputs[0] == kNone) return false;
    if (node.outputs.empty() || node.outputs[0] == kNone) return false;
    return KnownBytes(graph.value(node.inputs[0]).type) ==
           KnownBytes(graph.value(node.outputs[0]).type);
  }

  void SetRoot(NodeId id) {
    const Node& node = graph_.node(id);
    if (IsView(node))
      root_[static_cast<size_t>(node.outputs[0])] = root_[static_cast<size_t>(node.inputs[0])];
  }

  // Of a value, and of what it is a view of.
  void Mark(ValueId value, std::vector<bool>& marks) const {
    marks[static_cast<size_t>(value)] = true;
    const NodeId producer = graph_.value(value).producer;
    if (producer != kNone && IsView(graph_.node(producer)))
      Mark(graph_.node(producer).inputs[0], marks);
  }

  // Whether the operand takes bytes while the node runs that no other row counts.
  bool IsHeldFor(NodeId node, ValueId operand) const {
    if (packed_[static_cast<size_t>(operand)]) return true;
    return !Decided(operand) && graph_.value(operand).kind == ValueKind::kResult &&
           covered_[static_cast<size_t>(root_[static_cast<size_t>(operand)])] <= 2 * node;
  }

  // Counts results and direct operands while the node runs.
  void AddRunning(NodeId id) {
    const Node& node = graph_.node(id);
    const auto& strategies = *formulation_.strategies[static_cast<size_t>(id)];
    std::vector<int64_t> usage(strategies.size(), 0);
    for (size_t s = 0; s < strategies.size(); ++s) {
      const Strategy& strategy = strategies[s].strategy;
      for (size_t o = IsView(node) ? 1 : 0; o < node.outputs.size(); ++o)
        if (node.outputs[o] != kNone && !overwriting_[static_cast<size_t>(node.outputs[o])])
          usage[s] += Bytes(node.outputs[o], strategy.outputs[o]);
      std::set<std::pair<ValueId, Sharding>> taken;
      for (size_t i = 0; i < node.inputs.size(); ++i)
        if (node.inputs[i] != kNone && IsHeldFor(id, node.inputs[i]) &&
            taken.emplace(node.inputs[i], strategy.inputs[i]).second)
          usage[s] += Bytes(node.inputs[i], strategy.inputs[i]);
    }
    for (ValueId input : node.inputs)
      if (input != kNone && !Decided(input)) Cover(input, 2 * id + 1);
    const bool replaces = std::ranges::any_of(node.outputs, [&](ValueId output) {
      return output != kNone && overwriting_[static_cast<size_t>(output)];
    });
    for (size_t s = 0; s < strategies.size(); ++s)
      if (strategies[s].strategy.expansion != nullptr)
        usage[s] = replaces ? 0 : LargestOf(node, strategies[s]);
    AddRow(static_cast<size_t>(id), 2 * id, 2 * id + 1, std::move(usage));
  }

  // The most memory at one time of a node that runs as its decomposition: its operands may be freed
  // before its results exist, so the two are not added.
  int64_t LargestOf(const Node& node, const PricedStrategy& strategy) {
    const Expansion* body = strategy.strategy.expansion.get();
    std::vector<bool> freed;
    for (ValueId input : node.inputs)
      if (input != kNone)
        freed.push_back(graph_.value(input).kind == ValueKind::kResult && Decided(input));
    const auto [at, added] = bodies_.try_emplace({body, freed}, 0);
    if (added) at->second = MostLive(*body, freed);
    int64_t largest = at->second;
    for (size_t o = 0; o < node.outputs.size(); ++o)
      if (node.outputs[o] != kNone)
        largest = std::max(largest, Bytes(node.outputs[o], strategy.strategy.outputs[o]));
    return largest;
  }

  // The most bytes that a decomposition's results take at one time: as made while their node runs,
  // as kept until their last use; views take none. Counts only until the last use of the first
  // input that is `freed`, since other rows count that input for the whole time.
  int64_t MostLive(const Expansion& body, const std::vector<bool>& freed) const {
    const Graph& graph = body.graph;
    const NodeId end = static_cast<NodeId>(graph.nodes.size());
    const auto uses = UsesOf(graph);
    std::vector<ValueId> root(graph.values.size());
    std::vector<NodeId> last(graph.values.size(), -1);
    for (size_t v = 0; v < root.size(); ++v) root[v] = static_cast<ValueId>(v);
    for (NodeId n = 0; n < end; ++n) {
      const Node& node = graph.node(n);
      if (IsView(graph, node))
        root[static_cast<size_t>(node.outputs[0])] = root[static_cast<size_t>(node.inputs[0])];
    }
    for (size_t v = 0; v < root.size(); ++v)
      for (const Use& use : uses[v]) {
        NodeId& at = last[static_cast<size_t>(root[v])];
        at = std::max(at, use.node == kNone ? end : use.node);
      }
    std::vector<int64_t> change(static_cast<size_t>(end) + 2, 0);
    for (NodeId n = 0; n < end; ++n) {
      const std::vector<ValueId>& outputs = graph.node(n).outputs;
      for (size_t o = 0; o < outputs.size(); ++o) {
        const size_t v = static_cast<size_t>(outputs[o]);
        if (outputs[o] == kNone || root[v] != outputs[o]) continue;
        const TensorType& type = graph.values[v].type;
        const int64_t made = Bytes(type, body.assignment.nodes[static_cast<size_t>(n)].outputs[o]);
        const int64_t kept = last[v] > n ? Bytes(type, body.assignment.values[v]) : 0;
        change[static_cast<size_t>(n)] += made;
        change[static_cast<size_t>(n) + 1] += kept - made;
        change[static_cast<size_t>(std::max(last[v], n)) + 1] -= kept;
      }
    }
    NodeId until = end;
    for (size_t i = 0; i < graph.inputs.size(); ++i)
      if (i >= freed.size() || freed[i])
        until = std::min(until, last[static_cast<size_t>(graph.inputs[i])]);
    int64_t live = 0, most = 0;
    for (NodeId n = 0; n <= until; ++n)
      most = std::max(most, live += change[static_cast<size_t>(n)]);
    return most;
  }

  // Marks the buffer of `value` as counted until `until`, and returns the previous end.
  int64_t Cover(ValueId value, int64_t until) {
    int64_t& covered = covered_[static_cast<size_t>(root_[static_cast<size_t>(value)])];
    return std::exchange(covered, std::max(covered, until));
  }

  // Counts a result after its node has run.
  void AddResult(NodeId id, size_t position) {
    const ValueId value = graph_.node(id).outputs[position];
    const std::vector<Use>& uses = uses_[static_cast<size_t>(value)];
    if (uses.empty() || replacing_[static_cast<size_t>(root_[static_cast<size_t>(value)])]) return;
    const bool to_end = uses.back().node == kNone;
    const int64_t hi =
        to_end ? end_ : 2 * static_cast<int64_t>(uses.back().node) + (Decided(value) ? 1 : 0);
    const int64_t lo = std::max(Cover(value, hi), 2 * static_cast<int64_t>(id) + 1);
    if (Decided(value)) {
      const size_t at = static_cast<size_t>(decisions_.of_value[static_cast<size_t>(value)]);
      return AddRow(at, lo, hi, Bytes(value, *formulation_.decisions[at].candidates));
    }
    if (to_end) {
      const size_t at =
          static_cast<size_t>(decisions_.of_output[static_cast<size_t>(uses.back().input)]);
      return AddRow(at, lo, hi, Bytes(value, *formulation_.decisions[at].candidates));
    }
    std::vector<int64_t> usage;
    for (const PricedStrategy& s : *formulation_.strategies[static_cast<size_t>(id)])
      usage.push_back(Bytes(value, s.strategy.outputs[position]));
    AddRow(static_cast<size_t>(id), lo, hi, std::move(usage));
  }

  const Graph& graph_;
  const OpTable& ops_;
  const Mesh& mesh_;
  Formulation& formulation_;
  const ValueDecisions& decisions_;
  const std::vector<std::vector<Use>> uses_;
  const std::vector<bool> packed_;  // by value
  const int64_t end_;
  std::vector<bool> overwriting_;  // by value: takes the buffer of the state that it replaces
  std::vector<bool> replacing_;    // by value: replaces a state, in whatever buffer
  std::vector<int64_t> covered_;   // by root: times before this are already counted
  std::vector<ValueId> root_;
  // By a strategy's body, which equal nodes share, and the operands that it frees.
  std::map<std::pair<const Expansion*, std::vector<bool>>, int64_t> bodies_;
};

}  // namespace

void AddMemoryRows(const Graph& graph,
                   const OpTable& ops,
                   const Mesh& mesh,
                   Formulation& formulation) {
  formulation.counted_rank = CountedRank(graph, mesh, formulation);
  Liveness(graph, ops, mesh, formulation).Run();
}

}  // namespace metadist
