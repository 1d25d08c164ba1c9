// SPDX-License-Identifier: Apache-2.0
#include "planner/space/repeats.h"

#include <algorithm>

namespace metadist {
namespace {

// Blocks shorter than this are not layers.
constexpr int kShortestPeriod = 4;

class Finder {
 public:
  Finder(const Graph& graph, const std::vector<int>& signatures)
      : graph_(graph), signatures_(signatures) {}

  // Appends the repeats within nodes [begin, end), in node order.
  void Cover(NodeId begin, NodeId end, std::vector<Repeat>& out) const {
    const Repeat best = Best(begin, end);
    if (best.count < 2) return;
    Cover(begin, best.first, out);
    out.push_back(best);
    Cover(best.first + best.period * best.count, end, out);
  }

 private:
  // Whether nodes a and b = a + period do the same with corresponding operands.
  bool Alike(NodeId a, NodeId b) const {
    if (signatures_[static_cast<size_t>(a)] != signatures_[static_cast<size_t>(b)]) return false;
    const Node& left = graph_.node(a);
    const Node& right = graph_.node(b);
    for (size_t i = 0; i < left.inputs.size(); ++i) {
      const ValueId x = left.inputs[i];
      const ValueId y = right.inputs[i];
      if (x == y) continue;
      if (x == kNone || y == kNone) return false;
      const NodeId from_x = graph_.value(x).producer;
      const NodeId from_y = graph_.value(y).producer;
      if ((from_x == kNone) != (from_y == kNone)) return false;
      if (from_x != kNone && a - from_x != b - from_y) return false;
    }
    return true;
  }

  Repeat Best(NodeId begin, NodeId end) const {
    Repeat best;
    for (int period = kShortestPeriod; 2 * period <= end - begin; ++period) {
      NodeId start = begin;
      for (NodeId i = begin; i + period <= end; ++i) {
        if (i + period < end && Alike(i, i + period)) continue;
        const int count = (i - start + period) / period;
        if (count >= 2 && count * period > best.count * best.period) best = {start, period, count};
        start = i + 1;
      }
    }
    return best;
  }

  const Graph& graph_;
  const std::vector<int>& signatures_;
};

}  // namespace

std::vector<Repeat> FindRepeats(const Graph& graph, const std::vector<int>& signatures) {
  std::vector<Repeat> out;
  Finder(graph, signatures).Cover(0, static_cast<NodeId>(graph.nodes.size()), out);
  return out;
}

std::vector<NodeId> LeadersOf(const Graph& graph, const std::vector<Repeat>& repeats) {
  std::vector<NodeId> leaders(graph.nodes.size());
  for (size_t n = 0; n < leaders.size(); ++n) leaders[n] = static_cast<NodeId>(n);
  for (const Repeat& repeat : repeats)
    for (NodeId i = repeat.period; i < repeat.period * repeat.count; ++i)
      leaders[static_cast<size_t>(repeat.first + i)] = repeat.first + i % repeat.period;
  return leaders;
}

}  // namespace metadist
