// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "planner/solvers/problem/jagged.h"
#include "planner/solvers/problem/problem.h"

namespace metadist {

// Costs inside the solvers: every forbidden entry is kInfinite. The absolute value of finite sums
// stays below kMaxTotalCost, so infinite and finite sums can be told apart, and AddCosts never
// overflows.
inline constexpr int64_t kInfinite = int64_t{1} << 61;
constexpr bool IsInfinite(int64_t cost) { return cost >= kInfinite / 2; }
constexpr int64_t AddCosts(int64_t a, int64_t b) { return std::min(a + b, kInfinite); }

// The largest absolute value of a finite entry, 0 if there is none.
double LargestFiniteEntry(std::span<const int64_t> entries);

// The problem during reduction. Node ids are always those of the original problem; a node that was
// merged or eliminated has no strategies left.
//
// Mapping back: `root[i]` is the node that determines original node i, and `strategy_of[i][q]` is
// the original strategy of i when that root takes its strategy q (numbered as the root's costs).
// Nodes eliminated with a table are resolved from the last to the first.
struct CostGraph {
  struct Node {
    std::vector<int64_t> costs;
    // Times are indices into the kept times. The minimum of each row is subtracted and added to
    // `base`.
    std::vector<MemoryRow> rows;
  };
  struct Edge {
    int a = 0;
    int b = 0;
    std::vector<int64_t> costs;
    // True: known to have no forbidden entry. False: unknown.
    bool finite = false;

    // The end that is not `node`.
    int other(int node) const { return node == a ? b : a; }
  };
  // When the nodes a and b take strategies x and y of the original problem, `node` takes strategy
  // best[x * strategies(b) + y], in its numbering at the time of its removal. a, b: -1 if absent.
  struct Elimination {
    int node = 0;
    int a = -1;
    int b = -1;
    std::vector<int> best;
  };

  // A choice with strategy `from` of `node` stays feasible and gets no worse if `node` takes `to`
  // instead (numbers of the original problem), as of the time when `from` is deleted.
  struct Replacement {
    int node = 0;
    int from = 0;
    int to = 0;
  };

  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::optional<int64_t> limit;
  // Per kept time: usage that every choice has.
  std::vector<int64_t> base;
  // Per time at the start of the reduction: the kept time that implies it, -1 if no choice can
  // violate the limit there.
  std::vector<int> time_now;
  // Cost of all decisions already made.
  int64_t constant = 0;
  // A node has no strategy left: nothing is feasible.
  bool infeasible = false;
  int64_t deletions = 0;

  std::vector<int> root;
  std::vector<std::vector<int>> strategy_of;
  std::vector<int> original_size;
  std::vector<Elimination> eliminations;
  // In order of deletion.
  std::vector<Replacement> replacements;
  // Nodes whose strategies, costs, rows, edges or neighbours' strategies changed since dominance,
  // which clears the flag, last visited them.
  std::vector<char> changed;
};

// The root of a node's tree, where parent[root] == root. Halves the path to it.
inline int RootOf(int node, std::vector<int>& parent) {
  while (parent[node] != node) node = parent[node] = parent[parent[node]];
  return node;
}

// Converts the problem: forbidden entries become kInfinite, tied nodes one node, times indices.
// without_memory: ignores all rows, as for a problem without limit.
CostGraph MakeCostGraph(const Problem& problem, bool without_memory);

// Whether strategy p remains. Empty: all do.
inline bool IsAlive(const std::vector<char>& alive, size_t p) { return alive.empty() || alive[p]; }
// Deletes strategy p of `count`.
inline void Kill(size_t p, size_t count, std::vector<char>& alive) {
  alive.resize(count, 1);
  alive[p] = 0;
}

// Deletes the strategies with alive[node][strategy] == 0 from nodes, rows, edges and the mapping
// back. Empty alive[node]: all stay. Sets `infeasible` if a node loses its last strategy. Returns
// the number of deletions.
int64_t DropStrategies(CostGraph& graph, const std::vector<std::vector<char>>& alive);

// The choice of the original problem for choice[node], the strategy of every node that still has
// strategies (other entries are ignored).
Choice ExpandChoice(const CostGraph& graph, const Choice& choice);

// Ascending edge ids per node.
Jagged<int> EdgesByNode(const CostGraph& graph);

}  // namespace metadist
