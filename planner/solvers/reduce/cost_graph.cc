// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/reduce/cost_graph.h"

#include <map>
#include <numeric>
#include <utility>

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

// The least node of every group of tied nodes.
std::vector<int> TieRoots(const Problem& problem) {
  std::vector<int> root(problem.nodes.size());
  std::iota(root.begin(), root.end(), 0);
  auto find = [&](int node) {
    while (root[node] != node) node = root[node] = root[root[node]];
    return node;
  };
  for (size_t i = 0; i < problem.tied.size(); ++i) {
    const int a = find(static_cast<int>(i));
    const int b = find(problem.tied[i]);
    root[std::max(a, b)] = std::min(a, b);
  }
  for (size_t i = 0; i < root.size(); ++i) root[i] = find(static_cast<int>(i));
  return root;
}

// Edges between group roots, parallel ones added up at once: with many tied copies of large
// matrices, holding them all would take most of the memory of the run.
void AddEdges(const Problem& problem, CostGraph& graph) {
  std::map<std::pair<int, int>, size_t> first;
  for (const ProblemEdge& edge : problem.edges) {
    const int a = graph.root[edge.a];
    const int b = graph.root[edge.b];
    std::vector<int64_t>& own = graph.nodes[a].costs;
    const size_t stride = graph.nodes[b].costs.size();
    std::vector<int64_t> costs = ReadCosts(*edge.costs);
    if (a == b) {
      for (size_t p = 0; p < own.size(); ++p) own[p] = AddCosts(own[p], costs[p * stride + p]);
      continue;
    }
    const auto [entry, fresh] = first.try_emplace({a, b}, graph.edges.size());
    if (fresh) {
      graph.edges.push_back({a, b, std::move(costs)});
      continue;
    }
    std::vector<int64_t>& sum = graph.edges[entry->second].costs;
    for (size_t k = 0; k < sum.size(); ++k) sum[k] = AddCosts(sum[k], costs[k]);
  }
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
  CostGraph graph;
  const size_t count = problem.nodes.size();
  graph.nodes.resize(count);
  graph.root = TieRoots(problem);
  graph.strategy_of.resize(count);
  const bool with_memory = !without_memory && problem.usage_limit.has_value();
  for (size_t i = 0; i < count; ++i) {
    const ProblemNode& from = problem.nodes[i];
    graph.original_size.push_back(static_cast<int>(from.costs.size()));
    graph.strategy_of[i].resize(from.costs.size());
    std::iota(graph.strategy_of[i].begin(), graph.strategy_of[i].end(), 0);
    CostGraph::Node& to = graph.nodes[graph.root[i]];
    std::vector<int64_t> costs = ReadCosts(from.costs);
    if (to.costs.empty()) {
      to.costs = std::move(costs);
    } else {
      for (size_t p = 0; p < costs.size(); ++p) to.costs[p] = AddCosts(to.costs[p], costs[p]);
    }
    if (with_memory) to.rows.insert(to.rows.end(), from.rows.begin(), from.rows.end());
  }
  AddEdges(problem, graph);
  if (with_memory) {
    graph.limit = problem.usage_limit;
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
