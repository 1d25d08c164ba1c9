// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/elimination.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <type_traits>

#include "metair/ir/check.h"

namespace metadist {

// Bucket elimination (Bertele and Brioschi 1972, Dechter 1999): to minimise a node out, add up all
// tables that mention it, replace them by one table over its neighbours that holds the least sum,
// and remember the minimiser. Cost is exponential in the elimination width only, so models that are
// chains with skip connections take time linear in their depth.
//
// The order is everything; finding the best is NP-hard. Three greedy rules (fewest neighbours,
// smallest table, fewest new edges) are simulated on the graph alone, and the one with the least
// total work is run, if its tables fit. For local moves on graphs that are too wide, the same
// engine runs with conditioning: whenever the next table would be too large, a node of high degree
// is fixed at its current strategy, which cuts all its edges.

namespace {

class OrderSearch {
 public:
  OrderSearch(const std::vector<int>& sizes, const std::vector<std::pair<int, int>>& edges)
      : sizes_(sizes), neighbors_(sizes.size()) {
    for (const auto& [a, b] : edges) {
      neighbors_[a].insert(b);
      neighbors_[b].insert(a);
    }
  }

  double Weight(int node) const {
    double weight = sizes_[node];
    for (int other : neighbors_[node]) weight *= sizes_[other];
    return std::min(weight, 1e18);
  }

  double Fill(int node) const {
    double fill = 0;
    for (auto a = neighbors_[node].begin(); a != neighbors_[node].end(); ++a) {
      for (auto b = std::next(a); b != neighbors_[node].end(); ++b) {
        if (!neighbors_[*a].contains(*b)) ++fill;
      }
    }
    return fill;
  }

  double Key(int node, EliminationRule rule) const {
    switch (rule) {
      case EliminationRule::kMinDegree:
        return static_cast<double>(neighbors_[node].size());
      case EliminationRule::kMinWeight:
        return Weight(node);
      case EliminationRule::kMinFill:
        return Fill(node);
    }
    CHECK(false, "unknown elimination rule");
  }

  size_t Degree(int node) const { return neighbors_[node].size(); }

  // Takes the node out; its neighbours become a clique unless it is fixed. Returns them.
  std::vector<int> Remove(int node, bool fix) {
    std::vector<int> touched(neighbors_[node].begin(), neighbors_[node].end());
    for (int a : touched) {
      neighbors_[a].erase(node);
      if (fix) continue;
      for (int b : touched) {
        if (a != b) neighbors_[a].insert(b);
      }
    }
    neighbors_[node].clear();
    return touched;
  }

  const std::set<int>& neighbors(int node) const { return neighbors_[node]; }

 private:
  const std::vector<int>& sizes_;
  std::vector<std::set<int>> neighbors_;
};

// Nodes by key, with changeable keys.
class KeyQueue {
 public:
  explicit KeyQueue(size_t count) : keys_(count, 0) {}

  void Set(int node, double key) {
    queue_.erase({keys_[node], node});
    keys_[node] = key;
    queue_.insert({key, node});
  }
  void Erase(int node) { queue_.erase({keys_[node], node}); }
  bool empty() const { return queue_.empty(); }
  int least() const { return queue_.begin()->second; }
  const std::set<std::pair<double, int>>& items() const { return queue_; }

 private:
  std::vector<double> keys_;
  std::set<std::pair<double, int>> queue_;
};

// The node whose fixing cuts most: highest degree times a random factor among the first in the
// queue.
int NodeToFix(const KeyQueue& queue, const OrderSearch& search, Random& random) {
  constexpr int kCandidates = 400;
  int best = -1;
  double best_score = -1;
  int seen = 0;
  for (const auto& [key, node] : queue.items()) {
    const double score = static_cast<double>(search.Degree(node)) * (0.5 + random.Unit());
    if (score > best_score) {
      best_score = score;
      best = node;
    }
    if (++seen == kCandidates) break;
  }
  return best;
}

template <typename Cost>
struct Factor {
  std::vector<int> scope;
  std::vector<Cost> table;
};

template <typename Cost>
Cost Sum(Cost a, Cost b) {
  if constexpr (std::is_same_v<Cost, int64_t>) {
    return AddCosts(a, b);
  } else {
    return a + b;
  }
}

template <typename Cost>
class Buckets {
 public:
  Buckets(EliminationTask<Cost> task, Choice& choice)
      : choice_(choice), unary_(std::move(task.unary)), of_node_(unary_.size()) {
    for (auto& edge : task.edges) Add({{edge.a, edge.b}, std::move(edge.costs)});
  }

  void Fix(int node) {
    const int value = choice_[node];
    constant_ = Sum(constant_, unary_[node][value]);
    for (int id : std::vector<int>(of_node_[node])) {
      Factor<Cost> factor = std::move(factors_[id]);
      if (factor.scope.empty()) continue;
      factors_[id] = {};
      const size_t position =
          std::find(factor.scope.begin(), factor.scope.end(), node) - factor.scope.begin();
      size_t inner = 1;
      for (size_t z = position + 1; z < factor.scope.size(); ++z) inner *= Size(factor.scope[z]);
      const size_t own = Size(node);
      std::vector<Cost> table;
      table.reserve(factor.table.size() / own);
      for (size_t start = value * inner; start < factor.table.size(); start += own * inner) {
        table.insert(
            table.end(), factor.table.begin() + start, factor.table.begin() + start + inner);
      }
      factor.scope.erase(factor.scope.begin() + position);
      factor.table = std::move(table);
      Add(std::move(factor));
    }
  }

  void Eliminate(int node) {
    std::vector<int> scope;
    for (int id : of_node_[node]) {
      for (int other : factors_[id].scope) {
        if (other != node) scope.push_back(other);
      }
    }
    std::sort(scope.begin(), scope.end());
    scope.erase(std::unique(scope.begin(), scope.end()), scope.end());
    size_t entries = 1;
    for (int other : scope) entries *= Size(other);
    const size_t own = Size(node);
    std::vector<Cost> sums;
    sums.reserve(entries * own);
    for (size_t o = 0; o < entries; ++o) {
      sums.insert(sums.end(), unary_[node].begin(), unary_[node].end());
    }
    for (int id : of_node_[node]) {
      if (factors_[id].scope.empty()) continue;
      Accumulate(factors_[id], node, scope, sums);
      factors_[id] = {};
    }
    Decision decision{node, scope, std::vector<uint16_t>(entries)};
    std::vector<Cost> least(entries);
    for (size_t o = 0; o < entries; ++o) {
      const Cost* row = &sums[o * own];
      const size_t best = std::min_element(row, row + own) - row;
      least[o] = row[best];
      decision.best[o] = static_cast<uint16_t>(best);
    }
    decisions_.push_back(std::move(decision));
    Add({std::move(scope), std::move(least)});
  }

  Cost Finish() {
    for (size_t k = decisions_.size(); k-- > 0;) {
      const Decision& decision = decisions_[k];
      size_t index = 0;
      for (int other : decision.scope) index = index * Size(other) + choice_[other];
      choice_[decision.node] = decision.best[index];
    }
    return constant_;
  }

 private:
  struct Decision {
    int node;
    std::vector<int> scope;
    std::vector<uint16_t> best;
  };

  size_t Size(int node) const { return unary_[node].size(); }

  void Add(Factor<Cost> factor) {
    if (factor.scope.empty()) {
      constant_ = Sum(constant_, factor.table[0]);
    } else if (factor.scope.size() == 1) {
      std::vector<Cost>& unary = unary_[factor.scope[0]];
      for (size_t p = 0; p < unary.size(); ++p) unary[p] = Sum(unary[p], factor.table[p]);
    } else {
      for (int node : factor.scope) of_node_[node].push_back(static_cast<int>(factors_.size()));
      factors_.push_back(std::move(factor));
    }
  }

  // sums[o][p] += factor at the assignment (o of `scope`, p of `node`).
  void Accumulate(const Factor<Cost>& factor,
                  int node,
                  const std::vector<int>& scope,
                  std::vector<Cost>& sums) const {
    std::vector<size_t> stride(scope.size(), 0);
    size_t own_stride = 0;
    size_t step = 1;
    for (size_t z = factor.scope.size(); z-- > 0;) {
      const int member = factor.scope[z];
      if (member == node) {
        own_stride = step;
      } else {
        stride[std::lower_bound(scope.begin(), scope.end(), member) - scope.begin()] = step;
      }
      step *= Size(member);
    }
    const size_t own = Size(node);
    std::vector<size_t> counter(scope.size(), 0);
    size_t at = 0;
    for (size_t start = 0; start < sums.size(); start += own) {
      for (size_t p = 0; p < own; ++p) {
        sums[start + p] = Sum(sums[start + p], factor.table[at + p * own_stride]);
      }
      for (size_t z = scope.size(); z-- > 0;) {
        at += stride[z];
        if (++counter[z] < Size(scope[z])) break;
        at -= stride[z] * counter[z];
        counter[z] = 0;
      }
    }
  }

  Choice& choice_;
  std::vector<std::vector<Cost>> unary_;
  std::vector<std::vector<int>> of_node_;
  std::vector<Factor<Cost>> factors_;
  std::vector<Decision> decisions_;
  Cost constant_ = 0;
};

}  // namespace

std::optional<EliminationPlan> PlanElimination(const std::vector<int>& sizes,
                                               const std::vector<std::pair<int, int>>& edges,
                                               EliminationRule rule,
                                               double cap) {
  OrderSearch search(sizes, edges);
  KeyQueue queue(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    queue.Set(static_cast<int>(i), search.Key(static_cast<int>(i), rule));
  }
  EliminationPlan plan;
  while (!queue.empty()) {
    const int node = queue.least();
    const double weight = search.Weight(node);
    if (weight > cap) return std::nullopt;
    plan.largest = std::max(plan.largest, weight);
    plan.total = std::min(plan.total + weight, 1e18);
    plan.steps.push_back({node, false});
    queue.Erase(node);
    std::set<int> stale;
    for (int other : search.Remove(node, /*fix=*/false)) {
      stale.insert(other);
      if (rule == EliminationRule::kMinFill) {
        stale.insert(search.neighbors(other).begin(), search.neighbors(other).end());
      }
    }
    for (int other : stale) queue.Set(other, search.Key(other, rule));
  }
  return plan;
}

EliminationPlan PlanConditioned(const std::vector<int>& sizes,
                                const std::vector<std::pair<int, int>>& edges,
                                double cap,
                                Random& random) {
  OrderSearch search(sizes, edges);
  KeyQueue queue(sizes.size());
  auto key = [&](int node) { return search.Weight(node) * (1 + 0.5 * random.Unit()); };
  for (size_t i = 0; i < sizes.size(); ++i) {
    queue.Set(static_cast<int>(i), key(static_cast<int>(i)));
  }
  EliminationPlan plan;
  while (!queue.empty()) {
    int node = queue.least();
    const double weight = search.Weight(node);
    const bool fix = weight > cap;
    if (fix) {
      node = NodeToFix(queue, search, random);
    } else {
      plan.largest = std::max(plan.largest, weight);
      plan.total += weight;
    }
    plan.steps.push_back({node, fix});
    queue.Erase(node);
    for (int other : search.Remove(node, fix)) queue.Set(other, key(other));
  }
  return plan;
}

template <typename Cost>
Cost RunElimination(EliminationTask<Cost> task, const EliminationPlan& plan, Choice& choice) {
  Buckets<Cost> buckets(std::move(task), choice);
  for (const EliminationStep& step : plan.steps) {
    if (step.fix) {
      buckets.Fix(step.node);
    } else {
      buckets.Eliminate(step.node);
    }
  }
  return buckets.Finish();
}

template int64_t RunElimination(EliminationTask<int64_t>, const EliminationPlan&, Choice&);
template double RunElimination(EliminationTask<double>, const EliminationPlan&, Choice&);

std::optional<EliminationPlan> BestElimination(const Reduced& reduced) {
  std::vector<int> sizes;
  for (int i = 0; i < reduced.count(); ++i) sizes.push_back(reduced.size(i));
  std::vector<std::pair<int, int>> edges;
  for (const Reduced::Edge& edge : reduced.edges) edges.emplace_back(edge.a, edge.b);
  // Counting fill is slow on wide graphs, and those are hopeless for every rule: it is tried only
  // where a quick rule came near.
  constexpr double kNear = 1024;
  std::optional<EliminationPlan> best;
  bool near = false;
  for (EliminationRule rule :
       {EliminationRule::kMinDegree, EliminationRule::kMinWeight, EliminationRule::kMinFill}) {
    if (rule == EliminationRule::kMinFill && !near) break;
    std::optional<EliminationPlan> plan =
        PlanElimination(sizes, edges, rule, kNear * kLargestTable);
    if (!plan) continue;
    near = true;
    const bool fits = plan->largest <= kLargestTable && plan->total <= kAllTables;
    if (fits && (!best || plan->total < best->total)) best = std::move(plan);
  }
  return best;
}

std::optional<ExactOptimum> MinimizeWithoutMemory(const Reduced& reduced) {
  const std::optional<EliminationPlan> plan = BestElimination(reduced);
  if (!plan) return std::nullopt;
  EliminationTask<int64_t> task;
  task.unary = reduced.costs;
  for (const Reduced::Edge& edge : reduced.edges)
    task.edges.push_back({edge.a, edge.b, edge.costs});
  ExactOptimum out;
  out.choice.assign(reduced.count(), 0);
  out.cost = AddCosts(RunElimination(std::move(task), *plan, out.choice), reduced.constant);
  return out;
}

}  // namespace metadist
