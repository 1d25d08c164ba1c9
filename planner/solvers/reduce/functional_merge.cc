// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/reduce/memory_rows.h"
#include "planner/solvers/reduce/rules.h"

namespace metadist {

// If every row of edge (x, y) has exactly one allowed column f(x), then y is not a decision: its
// strategy is a function of x's. Half of the edges of real sharding problems are of this kind (an
// elementwise node takes its producer's sharding; a tie is one by construction), so this rule
// reduces the problem most.
//
// Merging node by node rewrites y's edges each time, which is quadratic on long chains (9-18 s on
// the largest public instance). Instead, a round only records merges in a union-find whose links
// carry maps, and then the graph is rebuilt once:
//  * to_parent[v][q] = strategy of v when its parent takes its strategy q. Find composes the maps
//    while it shortens the path, so afterwards they map from the strategies of the class root.
//  * The edge (x, y) links root(y) below root(x). That requires the strategy of root(y) as a
//    function of y's, so root(y)'s map to y must be a bijection; otherwise the edge waits for the
//    next round.
//  * Edges inside a class become node costs of the root.
//
// After arc consistency f is onto, and if both directions are functional it is a bijection; then
// the smaller class is linked below the larger. Complexity: linear in the entries per round, few
// rounds.

namespace {

struct Functions {
  // The only allowed partner of each strategy, -1 if there is none; meaningless if the direction is
  // not functional.
  std::vector<int> a_to_b;
  std::vector<int> b_to_a;
  bool forward = true;
  bool backward = true;
};

Functions Inspect(const CostGraph::Edge& edge, size_t rows, size_t columns) {
  Functions out{std::vector<int>(rows, -1), std::vector<int>(columns, -1)};
  for (size_t p = 0; p < rows; ++p) {
    for (size_t q = 0; q < columns; ++q) {
      if (IsInfinite(edge.costs[p * columns + q])) continue;
      if (out.a_to_b[p] >= 0) out.forward = false;
      if (out.b_to_a[q] >= 0) out.backward = false;
      out.a_to_b[p] = static_cast<int>(q);
      out.b_to_a[q] = static_cast<int>(p);
    }
    if (!out.forward && !out.backward) break;
  }
  return out;
}

// values[map[q]] for every q.
template <typename T>
std::vector<T> Composed(const std::vector<T>& values, const std::vector<int>& map) {
  std::vector<T> out;
  for (int q : map) out.push_back(values[q]);
  return out;
}

class Classes {
 public:
  explicit Classes(const CostGraph& graph) : graph_(graph) {
    const size_t count = graph.nodes.size();
    parent_ = Indices(count);
    size_.assign(count, 1);
    to_parent_.resize(count);
  }

  // Returns the class root; afterwards the node's map is relative to the root.
  int Find(int node) {
    if (parent_[parent_[node]] == parent_[node]) return parent_[node];
    std::vector<int> path;
    int root = node;
    for (; parent_[root] != root; root = parent_[root]) path.push_back(root);
    for (size_t k = path.size(); k-- > 0;) {
      const int v = path[k];
      const int p = parent_[v];
      if (p == root) continue;
      to_parent_[v] = Composed(to_parent_[v], to_parent_[p]);
      parent_[v] = root;
    }
    return root;
  }

  // Strategy of `node` when its root takes q. Requires a preceding Find(node).
  int At(int node, int q) const { return parent_[node] == node ? q : to_parent_[node][q]; }

  // Records that `follower` takes function[strategy of `leader`]. False if that must wait for the
  // next round.
  bool Follow(int leader, int follower, const std::vector<int>& function) {
    const int leader_root = Find(leader);
    const int follower_root = Find(follower);
    std::vector<int> inverse(graph_.nodes[follower].costs.size(), -1);
    if (graph_.nodes[follower_root].costs.size() != inverse.size()) return false;
    for (size_t q = 0; q < inverse.size(); ++q) {
      int& slot = inverse[At(follower, static_cast<int>(q))];
      if (slot >= 0) return false;
      slot = static_cast<int>(q);
    }
    std::vector<int> map;
    for (size_t q = 0; q < graph_.nodes[leader_root].costs.size(); ++q) {
      map.push_back(inverse[function[At(leader, static_cast<int>(q))]]);
    }
    parent_[follower_root] = leader_root;
    to_parent_[follower_root] = std::move(map);
    size_[leader_root] += size_[follower_root];
    return true;
  }

  // At(node, q) for every q, unless the node is a root. Requires a preceding Find(node).
  const std::vector<int>& Map(int node) const { return to_parent_[node]; }

  int size(int root) const { return size_[root]; }

 private:
  const CostGraph& graph_;
  std::vector<int> parent_;
  std::vector<int> size_;
  std::vector<std::vector<int>> to_parent_;
};

int64_t RecordMerges(const CostGraph& graph, Classes& classes) {
  int64_t merged = 0;
  for (const CostGraph::Edge& edge : graph.edges) {
    if (edge.finite) continue;  // both ends have two strategies or more
    const Functions functions =
        Inspect(edge, graph.nodes[edge.a].costs.size(), graph.nodes[edge.b].costs.size());
    if (!functions.forward && !functions.backward) continue;
    const int root_a = classes.Find(edge.a);
    const int root_b = classes.Find(edge.b);
    if (root_a == root_b) continue;
    auto b_follows = [&] {
      return functions.forward && classes.Follow(edge.a, edge.b, functions.a_to_b);
    };
    auto a_follows = [&] {
      return functions.backward && classes.Follow(edge.b, edge.a, functions.b_to_a);
    };
    const bool prefer_b = classes.size(root_a) >= classes.size(root_b);
    if (prefer_b ? b_follows() || a_follows() : a_follows() || b_follows()) ++merged;
  }
  return merged;
}

void RebuildEdges(CostGraph& graph, Classes& classes) {
  std::vector<CostGraph::Edge> kept;
  kept.reserve(graph.edges.size());
  for (CostGraph::Edge& edge : graph.edges) {
    const int a = classes.Find(edge.a);
    const int b = classes.Find(edge.b);
    const size_t stride = graph.nodes[edge.b].costs.size();
    const int rows = static_cast<int>(graph.nodes[a].costs.size());
    const int columns = static_cast<int>(graph.nodes[b].costs.size());
    if (a == b) {
      for (int q = 0; q < rows; ++q) {
        int64_t& cost = graph.nodes[a].costs[q];
        cost = AddCosts(cost, edge.costs[classes.At(edge.a, q) * stride + classes.At(edge.b, q)]);
      }
      continue;
    }
    if (a != edge.a || b != edge.b) {
      std::vector<int64_t> costs;
      costs.reserve(static_cast<size_t>(rows) * columns);
      for (int p = 0; p < rows; ++p) {
        const int64_t* row = &edge.costs[classes.At(edge.a, p) * stride];
        for (int q = 0; q < columns; ++q) costs.push_back(row[classes.At(edge.b, q)]);
      }
      edge = {a, b, std::move(costs), edge.finite};
      graph.changed[a] = 1;
      graph.changed[b] = 1;
    }
    kept.push_back(std::move(edge));
  }
  graph.edges = std::move(kept);
}

void RebuildNodes(CostGraph& graph, Classes& classes) {
  const int count = static_cast<int>(graph.nodes.size());
  for (int i = 0; i < count; ++i) {
    const int root = classes.Find(i);
    if (root == i) continue;
    CostGraph::Node& to = graph.nodes[root];
    CostGraph::Node& from = graph.nodes[i];
    graph.changed[root] = 1;
    for (size_t q = 0; q < to.costs.size(); ++q) {
      to.costs[q] = AddCosts(to.costs[q], from.costs[classes.At(i, static_cast<int>(q))]);
    }
    for (const MemoryRow& row : from.rows) {
      to.rows.push_back({row.lo, row.hi, Composed(row.usage, classes.Map(i))});
    }
  }
  for (int i = 0; i < count; ++i) {
    const int old_root = graph.root[i];
    const int root = classes.Find(old_root);
    if (root == old_root) continue;
    graph.strategy_of[i] = Composed(graph.strategy_of[i], classes.Map(old_root));
    graph.root[i] = root;
  }
  for (int i = 0; i < count; ++i) {
    if (classes.Find(i) != i) graph.nodes[i] = {};
  }
}

}  // namespace

int64_t MergeFunctional(CostGraph& graph) {
  Classes classes(graph);
  const int64_t merged = RecordMerges(graph, classes);
  if (merged == 0) return 0;
  RebuildEdges(graph, classes);
  RebuildNodes(graph, classes);
  SimplifyMemory(graph);
  return merged;
}

}  // namespace metadist
