// SPDX-License-Identifier: Apache-2.0
// The rank whose memory a problem counts.
//
// The limit holds on every rank, but the problem has one row of bytes per value. If it took the
// largest piece of every value over all ranks, the sum could exceed what any rank holds: the first
// rank has the larger pieces if a size does not divide, a rank with neighbours on both sides has
// the wider halos. A plan that fits would then be rejected, and a lower bound of the memory would
// be false. So all values are counted on one and the same rank, whose sum is never above that of
// the fullest rank. The choice of the rank only affects how tight this is: of the ranks that can be
// the fullest, it is the one with most bytes summed over all strategies and candidates.
#include "planner/space/counted_rank.h"

#include <algorithm>
#include <set>

namespace metadist {
namespace {

// Visits every list of strategies or candidates once, with a node or value that has it.
template <typename Visit>
void ForAllShardings(const Graph& graph, const Formulation& formulation, const Visit& visit) {
  std::set<const void*> seen;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (!seen.insert(formulation.strategies[n].get()).second) continue;
    for (const PricedStrategy& s : *formulation.strategies[n]) {
      for (size_t i = 0; i < node.inputs.size(); ++i)
        if (node.inputs[i] != kNone) visit(graph.value(node.inputs[i]).type, s.strategy.inputs[i]);
      for (size_t o = 0; o < node.outputs.size(); ++o)
        if (node.outputs[o] != kNone)
          visit(graph.value(node.outputs[o]).type, s.strategy.outputs[o]);
    }
  }
  using Kind = Formulation::Decision::Kind;
  for (const Formulation::Decision& decision : formulation.decisions) {
    if (decision.kind != Kind::kStored && decision.kind != Kind::kKept) continue;
    if (!seen.insert(decision.candidates.get()).second) continue;
    for (const Sharding& sharding : *decision.candidates)
      visit(graph.value(decision.id).type, sharding);
  }
}

}  // namespace

std::vector<int64_t> FullRanks(const Mesh& mesh, bool halos) {
  Mesh corner = mesh;  // the pieces to consider along every axis
  for (MeshAxis& axis : corner.axes) axis.size = std::min<int64_t>(axis.size, halos ? 2 : 1);
  std::vector<int64_t> out;
  for (int64_t rank = 0; rank < corner.ranks(); ++rank)
    out.push_back(mesh.RankOf(corner.CoordinateOf(rank)));
  return out;
}

int64_t LocalBytes(const TensorType& type,
                   const Sharding& sharding,
                   const Mesh& mesh,
                   int64_t rank) {
  if (!IsKnown(type.shape)) return 0;
  return NumElements(LocalShape(type.shape, sharding, mesh, rank)) *
         ByteSize(HeldType(type, sharding).element);
}

int64_t CountedRank(const Graph& graph, const Mesh& mesh, const Formulation& formulation) {
  bool halos = false;
  ForAllShardings(graph, formulation, [&](const TensorType&, const Sharding& sharding) {
    halos = halos || sharding.has_halos();
  });
  const std::vector<int64_t> ranks = FullRanks(mesh, halos);
  if (ranks.size() == 1) return ranks[0];
  int64_t best = 0;
  double most = -1;
  for (const int64_t rank : ranks) {
    double held = 0;
    ForAllShardings(graph, formulation, [&](const TensorType& type, const Sharding& sharding) {
      held += static_cast<double>(LocalBytes(type, sharding, mesh, rank));
    });
    if (held <= most) continue;
    most = held;
    best = rank;
  }
  return best;
}

}  // namespace metadist
