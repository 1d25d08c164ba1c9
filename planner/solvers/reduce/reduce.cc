// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/reduce/reduce.h"

#include "planner/solvers/reduce/memory_rows.h"
#include "planner/solvers/reduce/rules.h"

namespace metadist {

// Rounds over the rules of reduce/, cheapest first, until a round changes nothing. Each rule is
// linear in the entries (dominance quadratic in a node's strategies) and opens the way for others:
// dropping strategies makes edges functional, merging makes edges parallel, adding those up makes
// them separable. Dominance waits for the second round, when merging has made the graph small.
// Every application removes a strategy, a node or an edge, so rounds end. Order matters for speed
// only. On the public instances three to six rounds suffice (design:
// solvers.md section 6.1); the result there has no forbidden pair left.

namespace {

void RunRules(CostGraph& graph, bool keep_all) {
  for (int round = 0; !graph.infeasible; ++round) {
    int64_t applied = FoldSeparableEdges(graph);
    const int64_t dropped = EnforceArcConsistency(graph);
    if (graph.infeasible) return;
    applied += dropped;
    int64_t dominated = 0;
    if (round > 0 && !keep_all) dominated = DropDominated(graph);
    applied += dominated;
    if (dropped + dominated > 0) SimplifyMemory(graph);
    if (graph.infeasible) return;
    applied += MergeFunctional(graph);
    if (graph.infeasible) return;
    applied += AddParallelEdges(graph);
    if (!keep_all) applied += EliminateLowDegree(graph);
    if (applied == 0 && round > 0) return;
  }
}

}  // namespace

ReducedSize Reduced::counts() const {
  ReducedSize out{count(), static_cast<int64_t>(edges.size()), 0};
  for (const Edge& edge : edges) out.entries += static_cast<int64_t>(edge.costs.size());
  return out;
}

Choice Reduced::Expand(const Choice& choice) const {
  Choice full(graph.nodes.size(), 0);
  for (size_t k = 0; k < origin.size(); ++k) full[origin[k]] = choice[k];
  return ExpandChoice(graph, full);
}

Reduced Reduce(const Problem& problem, ReduceMode mode) {
  return ReduceGraph(MakeCostGraph(problem, mode == ReduceMode::kWithoutMemory), mode);
}

Reduced ReduceGraph(CostGraph graph, ReduceMode mode) {
  RunRules(graph, mode == ReduceMode::kKeepAllChoices);
  Reduced out;
  out.infeasible = graph.infeasible;
  out.deletions = graph.deletions;
  out.constant = graph.constant;
  std::vector<int> index(graph.nodes.size(), -1);
  if (!graph.infeasible) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      CostGraph::Node& node = graph.nodes[i];
      if (node.costs.size() == 1) out.constant += node.costs[0];
      if (node.costs.size() < 2) continue;
      index[i] = out.count();
      out.origin.push_back(static_cast<int>(i));
      out.costs.push_back(node.costs);
      out.rows.push_back(std::move(node.rows));
    }
    for (CostGraph::Edge& edge : graph.edges) {
      out.edges.push_back({index[edge.a], index[edge.b], std::move(edge.costs)});
    }
    out.base = graph.base;
    if (!graph.base.empty()) out.limit = graph.limit;
  }
  graph.edges.clear();
  out.graph = std::move(graph);
  return out;
}

}  // namespace metadist
