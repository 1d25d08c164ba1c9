// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/reduce/reduce.h"

#include "planner/solvers/reduce/memory_rows.h"
#include "planner/solvers/reduce/rules.h"

namespace metadist {

// Repeats rounds over the rules of reduce/, cheapest first, until a round changes nothing. Each
// rule is linear in the entries (dominance quadratic in a node's strategies) and enables others:
// dropping strategies makes edges functional, merging makes edges parallel, adding those up makes
// them separable. Dominance waits for the second round, when merging has made the graph small.
// Every application removes a strategy, a node or an edge, so the loop terminates. The order
// affects only the speed. On the public instances three to six rounds suffice, and the result has
// no forbidden pair left.

namespace {

// small: apply dominance from the first round on.
void RunRules(CostGraph& graph, ReduceMode mode, bool small) {
  const bool keep_all = mode == ReduceMode::kKeepAllChoices;
  for (int round = 0; !graph.infeasible; ++round) {
    int64_t applied = FoldSeparableEdges(graph);
    int64_t dropped = mode == ReduceMode::kSoftLimit ? 0 : DropOversized(graph);
    if (graph.infeasible) return;
    dropped += EnforceArcConsistency(graph);
    if (graph.infeasible) return;
    applied += dropped;
    const bool dominance = !keep_all && (small || round > 0);
    const int64_t dominated = dominance ? DropDominated(graph) : 0;
    applied += dominated;
    if (dropped + dominated > 0) SimplifyMemory(graph);
    if (graph.infeasible) return;
    applied += MergeFunctional(graph);
    if (graph.infeasible) return;
    applied += AddParallelEdges(graph);
    if (!keep_all) applied += EliminateLowDegree(graph);
    if (applied == 0 && (dominance || keep_all)) return;
  }
}

Reduced Pack(CostGraph graph) {
  Reduced out;
  out.infeasible = graph.infeasible;
  out.deletions = graph.deletions;
  out.constant = graph.constant;
  if (!graph.infeasible) {
    std::vector<int> index(graph.nodes.size(), -1);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      CostGraph::Node& node = graph.nodes[i];
      if (node.costs.size() == 1) out.constant += node.costs[0];
      if (node.costs.size() < 2) continue;
      index[i] = out.count();
      out.origin.push_back(static_cast<int>(i));
      out.costs.Add(node.costs);
      out.rows.Add(node.rows);
      node.rows.clear();
    }
    for (CostGraph::Edge& edge : graph.edges) {
      edge.costs.shrink_to_fit();  // deletions may have left a fraction of the entries
      out.edges.push_back({index[edge.a], index[edge.b], std::move(edge.costs)});
    }
    out.base = graph.base;
    if (!graph.base.empty()) out.limit = graph.limit;
  }
  graph.edges.clear();
  out.graph = std::move(graph);
  return out;
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

std::optional<Choice> Reduced::Contract(const Choice& original) const {
  Choice full = original;
  for (const CostGraph::Replacement& step : graph.replacements) {
    if (full[step.node] == step.from) full[step.node] = step.to;
  }
  Choice out;
  for (int node : origin) {
    const std::vector<int>& names = graph.strategy_of[node];
    const auto found = std::find(names.begin(), names.end(), full[node]);
    if (found == names.end()) return std::nullopt;
    out.push_back(static_cast<int>(found - names.begin()));
  }
  // Strategies of nodes with a single strategy left may have been deleted too.
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].costs.size() == 1 && graph.strategy_of[i][0] != full[i]) return std::nullopt;
  }
  return out;
}

Reduced Reduce(const Problem& problem, ReduceMode mode) {
  CostGraph graph = MakeCostGraph(problem, mode == ReduceMode::kWithoutMemory);
  RunRules(graph, mode, /*small=*/false);
  return Pack(std::move(graph));
}

ReducedAgain ReduceAgain(Reduced reduced, const std::vector<std::vector<char>>& alive) {
  if (reduced.infeasible) return {std::move(reduced), {}};
  CostGraph graph = std::move(reduced.graph);
  for (int i = 0; i < reduced.count(); ++i) {
    CostGraph::Node& node = graph.nodes[reduced.origin[i]];
    node.costs.assign(reduced.costs[i].begin(), reduced.costs[i].end());
    node.rows = reduced.rows.Copy(i);
    graph.changed[reduced.origin[i]] = 1;
  }
  for (Reduced::Edge& edge : reduced.edges) {
    graph.edges.push_back(
        {reduced.origin[edge.a], reduced.origin[edge.b], std::move(edge.costs), false});
  }
  if (!alive.empty()) DropStrategies(graph, alive);
  graph.base = std::move(reduced.base);
  graph.time_now = Indices(graph.base.size());
  SimplifyMemory(graph);
  RunRules(graph, ReduceMode::kFull, /*small=*/true);
  std::vector<int> time_now = graph.time_now;
  return {Pack(std::move(graph)), std::move(time_now)};
}

}  // namespace metadist
