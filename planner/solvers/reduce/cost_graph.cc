// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/reduce/cost_graph.h"

#include <numeric>

#include "metair/ir/check.h"
#include "planner/solvers/reduce/memory_rows.h"

namespace metadist {
namespace {

std::vector<int64_t> ReadCosts(const std::vector<int64_t>& entries) {
  std::vector<int64_t> out(entries);
  for (int64_t& entry : out) {
    if (entry >= kForbiddenFrom) entry = kInfinite;
  }
  return out;
}

std::vector<int> Kept(const std::vector<char>& alive) {
  std::vector<int> out;
  for (size_t p = 0; p < alive.size(); ++p) {
    if (alive[p]) out.push_back(static_cast<int>(p));
  }
  return out;
}

template <typename T>
std::vector<T> Select(const std::vector<T>& from, const std::vector<int>& indices) {
  std::vector<T> out;
  out.reserve(indices.size());
  for (int index : indices) out.push_back(from[index]);
  return out;
}

void ShrinkEdge(CostGraph::Edge& edge,
                const std::vector<int>& rows,
                const std::vector<int>& columns,
                size_t stride) {
  std::vector<int64_t> costs;
  costs.reserve(rows.size() * columns.size());
  for (int p : rows) {
    for (int q : columns) costs.push_back(edge.costs[p * stride + q]);
  }
  edge.costs = std::move(costs);
}

}  // namespace

CostGraph MakeCostGraph(const Problem& problem, bool without_memory) {
  if (!problem.tied.empty()) return MakeCostGraph(WithTiesAsEdges(problem), without_memory);
  CostGraph graph;
  const size_t count = problem.nodes.size();
  graph.nodes.resize(count);
  graph.root.resize(count);
  std::iota(graph.root.begin(), graph.root.end(), 0);
  graph.strategy_of.resize(count);
  graph.original_size.resize(count);
  for (size_t i = 0; i < count; ++i) {
    graph.nodes[i].costs = ReadCosts(problem.nodes[i].costs);
    graph.original_size[i] = static_cast<int>(problem.nodes[i].costs.size());
    graph.strategy_of[i].resize(problem.nodes[i].costs.size());
    std::iota(graph.strategy_of[i].begin(), graph.strategy_of[i].end(), 0);
  }
  graph.edges.reserve(problem.edges.size());
  for (const ProblemEdge& edge : problem.edges) {
    graph.edges.push_back({edge.a, edge.b, ReadCosts(*edge.costs)});
  }
  if (!without_memory && problem.usage_limit) {
    graph.limit = problem.usage_limit;
    for (size_t i = 0; i < count; ++i) graph.nodes[i].rows = problem.nodes[i].rows;
    IndexTimes(graph);
    SimplifyMemory(graph);
  }
  return graph;
}

int64_t DropStrategies(CostGraph& graph, const std::vector<std::vector<char>>& alive) {
  const size_t count = graph.nodes.size();
  std::vector<std::vector<int>> kept(count);
  std::vector<char> changed(count, 0);
  int64_t dropped = 0;
  for (size_t i = 0; i < count; ++i) {
    CostGraph::Node& node = graph.nodes[i];
    if (node.costs.empty()) continue;
    if (alive[i].empty()) {
      kept[i].resize(node.costs.size());
      std::iota(kept[i].begin(), kept[i].end(), 0);
      continue;
    }
    kept[i] = Kept(alive[i]);
    if (kept[i].size() == node.costs.size()) continue;
    if (kept[i].empty()) graph.infeasible = true;
    dropped += static_cast<int64_t>(node.costs.size() - kept[i].size());
    changed[i] = 1;
  }
  if (dropped == 0) return 0;
  graph.deletions += dropped;
  for (CostGraph::Edge& edge : graph.edges) {
    if (!changed[edge.a] && !changed[edge.b]) continue;
    ShrinkEdge(edge, kept[edge.a], kept[edge.b], graph.nodes[edge.b].costs.size());
  }
  for (size_t i = 0; i < count; ++i) {
    if (!changed[i]) continue;
    graph.nodes[i].costs = Select(graph.nodes[i].costs, kept[i]);
    for (MemoryRow& row : graph.nodes[i].rows) row.usage = Select(row.usage, kept[i]);
  }
  for (size_t i = 0; i < count; ++i) {
    const int root = graph.root[i];
    if (changed[root]) graph.strategy_of[i] = Select(graph.strategy_of[i], kept[root]);
  }
  return dropped;
}

Choice ExpandChoice(const CostGraph& graph, const Choice& choice) {
  const size_t count = graph.nodes.size();
  // Strategy of each root in its own numbering, -1 until known.
  Choice decided(count, -1);
  for (size_t i = 0; i < count; ++i) {
    if (!graph.nodes[i].costs.empty()) decided[i] = choice[i];
  }
  auto original = [&](int node) {
    const int index = decided[graph.root[node]];
    CHECK(index >= 0, "a node is resolved after those it depends on");
    return graph.strategy_of[node][index];
  };
  for (size_t k = graph.eliminations.size(); k-- > 0;) {
    const CostGraph::Elimination& step = graph.eliminations[k];
    size_t index = 0;
    if (step.a >= 0) index = original(step.a);
    if (step.b >= 0) index = index * graph.original_size[step.b] + original(step.b);
    decided[step.node] = step.best[index];
  }
  Choice out(count);
  for (size_t i = 0; i < count; ++i) out[i] = original(static_cast<int>(i));
  return out;
}

std::vector<std::vector<int>> Incidence(const CostGraph& graph) {
  std::vector<std::vector<int>> out(graph.nodes.size());
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    out[graph.edges[e].a].push_back(static_cast<int>(e));
    out[graph.edges[e].b].push_back(static_cast<int>(e));
  }
  return out;
}

}  // namespace metadist
