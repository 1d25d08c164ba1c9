// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "planner/solvers/problem/problem.h"

namespace metadist {

// Costs inside the solvers: every forbidden entry is kInfinite. Finite sums stay below
// kMaxTotalCost in absolute value, so an infinite sum can be told from a finite one, and
// AddCosts never overflows.
inline constexpr int64_t kInfinite = int64_t{1} << 61;
constexpr bool IsInfinite(int64_t cost) { return cost >= kInfinite / 2; }
constexpr int64_t AddCosts(int64_t a, int64_t b) { return std::min(a + b, kInfinite); }

// The problem while it is being reduced. Node ids are those of the original problem throughout; a
// node that was merged or eliminated has no strategies left.
//
// The map back: `root[i]` is the node that decides for original node i, and `strategy_of[i][q]` the
// original strategy i takes when that root takes its strategy q (numbered as the root's costs).
// Nodes eliminated by a table are resolved from the last eliminated to the first.
struct CostGraph {
  struct Node {
    std::vector<int64_t> costs;
    // Times are indices into the kept times; usages are above their minimum, which is in `base`.
    std::vector<MemoryRow> rows;
  };
  struct Edge {
    int a = 0;
    int b = 0;
    std::vector<int64_t> costs;
    // Known to hold no forbidden entry; false says nothing.
    bool finite = false;
  };
  // `node` takes strategy best[x * strategies(b) + y] (numbering of its removal) when the nodes a
  // and b take the strategies x and y of the original problem. a, b: -1 if absent.
  struct Elimination {
    int node = 0;
    int a = -1;
    int b = -1;
    std::vector<int> best;
  };

  // Whoever takes strategy `from` of `node` may take `to` instead and does not fare worse (numbers
  // of the original problem), at the moment of its deletion.
  struct Replacement {
    int node = 0;
    int from = 0;
    int to = 0;
  };

  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::optional<int64_t> limit;
  // Usage per kept time that no choice avoids.
  std::vector<int64_t> base;
  // Per time at the beginning: the kept time that binds at least as hard, -1 if it cannot bind.
  std::vector<int> time_now;
  // Cost of everything already decided.
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
  // Nodes whose strategies, costs, rows, edges or neighbours' strategies changed since the rule
  // that clears the flag (dominance) last saw them.
  std::vector<char> changed;
};

// Reads the problem: forbidden entries as kInfinite, tied nodes as one, times compressed.
// without_memory: ignore all rows.  A problem without limit has none either way.
CostGraph MakeCostGraph(const Problem& problem, bool without_memory);

// Deletes the strategies with alive[node][strategy] == 0 from nodes, rows, edges and the map back.
// Empty alive[node]: all stay. Sets `infeasible` if a node loses its last one. Returns the number
// of deletions.
int64_t DropStrategies(CostGraph& graph, const std::vector<std::vector<char>>& alive);

// The original problem's choice, given the strategy of every node that still has some
// (choice[node]; other entries are ignored).
Choice ExpandChoice(const CostGraph& graph, const Choice& choice);

// Edge ids per node, ascending, in one array.
class Incidence {
 public:
  explicit Incidence(const CostGraph& graph);
  std::span<const int> of(int node) const {
    return {edges_.data() + first_[node], edges_.data() + first_[node + 1]};
  }

 private:
  std::vector<int> first_;
  std::vector<int> edges_;
};

}  // namespace metadist
