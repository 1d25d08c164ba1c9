// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/reduce/cost_graph.h"

#include <cstdlib>
#include <unordered_map>

#include "metair/ir/check.h"
#include "planner/solvers/reduce/memory_rows.h"

namespace metadist {
namespace {

// Adds an entry of the problem.
int64_t AddEntry(int64_t sum, int64_t entry) {
  return AddCosts(sum, entry >= kForbiddenFrom ? kInfinite : entry);
}

// The lowest-numbered node of each group of tied nodes.
std::vector<int> TieRoots(const Problem& problem) {
  std::vector<int> root = Indices(problem.nodes.size());
  for (size_t i = 0; i < problem.tied.size(); ++i) {
    const int a = RootOf(static_cast<int>(i), root);
    const int b = RootOf(problem.tied[i], root);
    root[std::max(a, b)] = std::min(a, b);
  }
  for (size_t i = 0; i < root.size(); ++i) root[i] = RootOf(static_cast<int>(i), root);
  return root;
}

// Adds the edges between group roots and sums parallel ones immediately: with many tied copies of
// large matrices, holding them all would take most of the memory of the run.
void AddEdges(const Problem& problem, CostGraph& graph) {
  const uint64_t count = graph.nodes.size();
  std::unordered_map<uint64_t, size_t> first;
  first.reserve(2 * problem.edges.size());
  graph.edges.reserve(problem.edges.size());
  for (const ProblemEdge& edge : problem.edges) {
    const int a = graph.root[edge.a];
    const int b = graph.root[edge.b];
    std::vector<int64_t>& own = graph.nodes[a].costs;
    const size_t stride = graph.nodes[b].costs.size();
    const std::vector<int64_t>& from = *edge.costs;
    if (a == b) {
      for (size_t p = 0; p < own.size(); ++p) own[p] = AddEntry(own[p], from[p * stride + p]);
      continue;
    }
    const auto [place, fresh] =
        first.try_emplace(static_cast<uint64_t>(a) * count + b, graph.edges.size());
    if (fresh) graph.edges.push_back({a, b, std::vector<int64_t>(from.size(), 0), true});
    CostGraph::Edge& sum = graph.edges[place->second];
    for (size_t k = 0; k < sum.costs.size(); ++k) {
      sum.costs[k] = AddEntry(sum.costs[k], from[k]);
      if (IsInfinite(sum.costs[k])) sum.finite = false;
    }
  }
}

// Keeps the entries with alive[k], in place.
template <typename T>
void Keep(std::vector<T>& entries, const std::vector<char>& alive) {
  size_t to = 0;
  for (size_t k = 0; k < entries.size(); ++k) {
    if (alive[k]) entries[to++] = entries[k];
  }
  entries.resize(to);
}

void ShrinkEdge(CostGraph::Edge& edge,
                const std::vector<char>& alive_a,
                const std::vector<char>& alive_b,
                size_t stride) {
  const size_t rows = edge.costs.size() / stride;
  size_t to = 0;
  for (size_t p = 0; p < rows; ++p) {
    if (!IsAlive(alive_a, p)) continue;
    const int64_t* row = &edge.costs[p * stride];
    for (size_t q = 0; q < stride; ++q) {
      if (IsAlive(alive_b, q)) edge.costs[to++] = row[q];
    }
  }
  edge.costs.resize(to);
}

}  // namespace

double LargestFiniteEntry(std::span<const int64_t> entries) {
  int64_t largest = 0;
  for (int64_t entry : entries) {
    if (!IsInfinite(entry)) largest = std::max(largest, std::abs(entry));
  }
  return static_cast<double>(largest);
}

CostGraph MakeCostGraph(const Problem& problem, bool without_memory) {
  CostGraph graph;
  const size_t count = problem.nodes.size();
  graph.nodes.resize(count);
  graph.root = TieRoots(problem);
  graph.strategy_of.resize(count);
  graph.changed.assign(count, 1);
  const bool with_memory = !without_memory && problem.usage_limit.has_value();
  for (size_t i = 0; i < count; ++i) {
    const ProblemNode& from = problem.nodes[i];
    graph.original_size.push_back(static_cast<int>(from.costs.size()));
    graph.strategy_of[i] = Indices(from.costs.size());
    CostGraph::Node& to = graph.nodes[graph.root[i]];
    to.costs.resize(from.costs.size(), 0);
    for (size_t p = 0; p < to.costs.size(); ++p) {
      to.costs[p] = AddEntry(to.costs[p], from.costs[p]);
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
  std::vector<char> shrinks(count, 0);
  int64_t dropped = 0;
  for (size_t i = 0; i < count; ++i) {
    if (graph.nodes[i].costs.empty() || alive[i].empty()) continue;
    const auto dead = std::count(alive[i].begin(), alive[i].end(), 0);
    if (dead == 0) continue;
    if (static_cast<size_t>(dead) == alive[i].size()) graph.infeasible = true;
    dropped += dead;
    shrinks[i] = 1;
    graph.changed[i] = 1;
  }
  if (dropped == 0) return 0;
  graph.deletions += dropped;
  for (CostGraph::Edge& edge : graph.edges) {
    if (!shrinks[edge.a] && !shrinks[edge.b]) continue;
    graph.changed[edge.a] = 1;
    graph.changed[edge.b] = 1;
    ShrinkEdge(edge, alive[edge.a], alive[edge.b], graph.nodes[edge.b].costs.size());
  }
  for (size_t i = 0; i < count; ++i) {
    if (shrinks[graph.root[i]]) Keep(graph.strategy_of[i], alive[graph.root[i]]);
    if (!shrinks[i]) continue;
    Keep(graph.nodes[i].costs, alive[i]);
    for (MemoryRow& row : graph.nodes[i].rows) Keep(row.usage, alive[i]);
  }
  return dropped;
}

Choice ExpandChoice(const CostGraph& graph, const Choice& choice) {
  const size_t count = graph.nodes.size();
  // Strategy of each root in its own numbering; -1 until known.
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

Jagged<int> EdgesByNode(const CostGraph& graph) {
  return Jagged<int>::Grouped(graph.nodes.size(), [&graph](auto add) {
    for (size_t e = 0; e < graph.edges.size(); ++e) {
      add(graph.edges[e].a, static_cast<int>(e));
      add(graph.edges[e].b, static_cast<int>(e));
    }
  });
}

}  // namespace metadist
