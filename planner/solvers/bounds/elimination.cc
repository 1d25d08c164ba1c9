// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/elimination.h"

#include <algorithm>
#include <set>

#include "metair/ir/check.h"

namespace metadist {

// Bucket elimination (Bertele and Brioschi 1972, Dechter 1999): to minimise a node out, add up all
// tables that mention it, replace them by one table over its neighbours with the least sums, and
// remember the minimisers. The cost is exponential only in the elimination width, so models that
// are chains with skip connections take time linear in their depth.
//
// Everything depends on the order, and finding the best one is NP-hard. Three greedy rules (fewest
// neighbours, smallest table, fewest new edges) are simulated on the graph alone, and the one with
// the least total work is run if its tables fit. For local moves on graphs that are too wide, the
// same engine runs with conditioning (conditioned_order.cc): some nodes are fixed at their current
// strategies, which cuts all their edges.

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

  // Removes the node; its neighbours become a clique. Returns them.
  std::vector<int> Remove(int node) {
    std::vector<int> touched(neighbors_[node].begin(), neighbors_[node].end());
    for (int a : touched) {
      neighbors_[a].erase(node);
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

// A priority queue of nodes with changeable keys.
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

 private:
  std::vector<double> keys_;
  std::set<std::pair<double, int>> queue_;
};

int64_t Sum(int64_t a, int64_t b) { return AddCosts(a, b); }
double Sum(double a, double b) { return a + b; }

// Scopes are sorted by elimination order: the node of a bucket comes first in all its tables, and
// the last node of a scope runs contiguously through all sums.
template <typename Cost>
class Buckets {
 public:
  Buckets(const EliminationTask<Cost>& task, const EliminationPlan& plan, Choice& choice)
      : choice_(choice), unary_(task.unary), rank_(unary_.size(), -1), bucket_(unary_.size()) {
    int rank = 0;
    for (const EliminationStep& step : plan.steps) {
      if (!step.fix) rank_[step.node] = rank++;
    }
    for (const auto& edge : task.edges) AddEdge(edge);
    for (const EliminationStep& step : plan.steps) {
      if (step.fix) {
        constant_ = Sum(constant_, unary_[step.node][choice_[step.node]]);
      } else {
        Eliminate(step.node);
      }
    }
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
  struct Factor {
    std::vector<int> scope;
    // Distance in `table` between neighbouring strategies, per member of the scope.
    std::vector<size_t> stride;
    const Cost* table = nullptr;
    std::vector<Cost> owned;
  };
  struct Decision {
    int node;
    std::vector<int> scope;
    std::vector<uint16_t> best;
  };
  // A factor while its first node is eliminated.
  struct Term {
    const Cost* at;
    size_t own_stride;
    size_t inner_stride;
    // Per member of the new scope.
    std::vector<size_t> stride;
  };

  size_t Size(int node) const { return unary_[node].size(); }

  void AddEdge(const typename EliminationTask<Cost>::Edge& edge) {
    const size_t columns = Size(edge.b);
    const Cost* costs = edge.costs;
    const bool fixed_a = rank_[edge.a] < 0;
    const bool fixed_b = rank_[edge.b] < 0;
    if (fixed_a && fixed_b) {
      constant_ = Sum(constant_, costs[choice_[edge.a] * columns + choice_[edge.b]]);
    } else if (fixed_a) {
      AddUnary(edge.b, costs + choice_[edge.a] * columns, 1);
    } else if (fixed_b) {
      AddUnary(edge.a, costs + choice_[edge.b], columns);
    } else if (rank_[edge.a] < rank_[edge.b]) {
      bucket_[edge.a].push_back({{edge.a, edge.b}, {columns, 1}, costs, {}});
    } else {
      bucket_[edge.b].push_back({{edge.b, edge.a}, {1, columns}, costs, {}});
    }
  }

  void AddUnary(int node, const Cost* costs, size_t stride) {
    std::vector<Cost>& unary = unary_[node];
    for (size_t p = 0; p < unary.size(); ++p) unary[p] = Sum(unary[p], costs[p * stride]);
  }

  std::vector<int> ScopeWithout(int node) const {
    std::vector<int> scope;
    for (const Factor& factor : bucket_[node]) {
      scope.insert(scope.end(), factor.scope.begin() + 1, factor.scope.end());
    }
    std::sort(scope.begin(), scope.end(), [&](int a, int b) { return rank_[a] < rank_[b]; });
    scope.erase(std::unique(scope.begin(), scope.end()), scope.end());
    return scope;
  }

  std::vector<Term> Terms(int node, const std::vector<int>& scope) const {
    std::vector<Term> terms;
    for (const Factor& factor : bucket_[node]) {
      Term term{factor.table, factor.stride[0], 0, std::vector<size_t>(scope.size(), 0)};
      size_t z = 0;
      for (size_t k = 1; k < factor.scope.size(); ++k) {
        while (scope[z] != factor.scope[k]) ++z;
        term.stride[z] = factor.stride[k];
      }
      if (!scope.empty()) term.inner_stride = term.stride.back();
      terms.push_back(std::move(term));
    }
    return terms;
  }

  // row_ = the sum for strategy p, for all strategies of the last node of the scope.
  void SumRow(const std::vector<Term>& terms, Cost unary, size_t p, size_t inner) {
    Cost* row = row_.data();
    for (size_t z = 0; z < inner; ++z) row[z] = unary;
    for (const Term& term : terms) {
      const Cost* from = term.at + p * term.own_stride;
      if (term.inner_stride == 1) {
        for (size_t z = 0; z < inner; ++z) row[z] = Sum(row[z], from[z]);
      } else if (term.inner_stride == 0) {
        const Cost add = *from;
        for (size_t z = 0; z < inner; ++z) row[z] = Sum(row[z], add);
      } else {
        for (size_t z = 0; z < inner; ++z) row[z] = Sum(row[z], from[z * term.inner_stride]);
      }
    }
  }

  // Writes the least of the rows into least[] and the strategies that attain it into best_; the
  // current strategy wins ties.
  void MinimizeRow(const std::vector<Term>& terms, int node, size_t inner, Cost* least) {
    const std::vector<Cost>& unary = unary_[node];
    const size_t current = choice_[node];
    SumRow(terms, unary[current], current, inner);
    std::copy(row_.begin(), row_.begin() + inner, least);
    std::fill(best_.begin(), best_.begin() + inner, static_cast<int64_t>(current));
    for (size_t p = 0; p < unary.size(); ++p) {
      if (p == current) continue;
      SumRow(terms, unary[p], p, inner);
      const Cost* row = row_.data();
      int64_t* best = best_.data();
      const int64_t own = static_cast<int64_t>(p);
      for (size_t z = 0; z < inner; ++z) {
        const bool less = row[z] < least[z];
        best[z] = less ? own : best[z];
        least[z] = less ? row[z] : least[z];
      }
    }
  }

  void Eliminate(int node) {
    Factor factor;
    factor.scope = ScopeWithout(node);
    const std::vector<int>& scope = factor.scope;
    factor.stride.resize(scope.size());
    size_t entries = 1;
    for (size_t z = scope.size(); z-- > 0; entries *= Size(scope[z])) factor.stride[z] = entries;
    const size_t inner = scope.empty() ? 1 : Size(scope.back());
    row_.resize(std::max(row_.size(), inner));
    best_.resize(std::max(best_.size(), inner));
    std::vector<Term> terms = Terms(node, scope);
    Decision decision{node, scope, std::vector<uint16_t>(entries)};
    factor.owned = TakeTable(entries);
    std::vector<size_t> counter(scope.size(), 0);
    for (size_t start = 0; start < entries; start += inner) {
      MinimizeRow(terms, node, inner, &factor.owned[start]);
      for (size_t z = 0; z < inner; ++z) decision.best[start + z] = static_cast<uint16_t>(best_[z]);
      for (size_t z = scope.empty() ? 0 : scope.size() - 1; z-- > 0;) {
        const bool carry = ++counter[z] == Size(scope[z]);
        for (Term& term : terms) term.at += term.stride[z];
        if (!carry) break;
        for (Term& term : terms) term.at -= term.stride[z] * counter[z];
        counter[z] = 0;
      }
    }
    decisions_.push_back(std::move(decision));
    for (Factor& used : bucket_[node]) GiveTable(std::move(used.owned));
    bucket_[node].clear();
    factor.table = factor.owned.data();
    Keep(std::move(factor));
  }

  void Keep(Factor factor) {
    if (factor.scope.empty()) {
      constant_ = Sum(constant_, factor.table[0]);
    } else if (factor.scope.size() == 1) {
      AddUnary(factor.scope[0], factor.table, 1);
    } else {
      const int first = factor.scope[0];
      bucket_[first].push_back(std::move(factor));
      return;
    }
    GiveTable(std::move(factor.owned));
  }

  // The system provides large tables page by page, so used tables are kept, except for the largest.
  void GiveTable(std::vector<Cost> table) {
    constexpr size_t kLargestSpare = 1 << 20;
    if (!table.empty() && table.capacity() <= kLargestSpare) spare_.push_back(std::move(table));
  }

  std::vector<Cost> TakeTable(size_t entries) {
    std::vector<Cost> table;
    if (!spare_.empty()) {
      table = std::move(spare_.back());
      spare_.pop_back();
    }
    table.resize(entries);
    return table;
  }

  Choice& choice_;
  std::vector<std::vector<Cost>> unary_;
  std::vector<int> rank_;
  std::vector<std::vector<Factor>> bucket_;
  std::vector<Decision> decisions_;
  std::vector<std::vector<Cost>> spare_;
  std::vector<Cost> row_;
  std::vector<int64_t> best_;
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
    for (int other : search.Remove(node)) {
      stale.insert(other);
      if (rule == EliminationRule::kMinFill) {
        stale.insert(search.neighbors(other).begin(), search.neighbors(other).end());
      }
    }
    for (int other : stale) queue.Set(other, search.Key(other, rule));
  }
  return plan;
}

template <typename Cost>
Cost RunElimination(const EliminationTask<Cost>& task,
                    const EliminationPlan& plan,
                    Choice& choice) {
  return Buckets<Cost>(task, plan, choice).Finish();
}

template int64_t RunElimination(const EliminationTask<int64_t>&, const EliminationPlan&, Choice&);
template double RunElimination(const EliminationTask<double>&, const EliminationPlan&, Choice&);

std::optional<EliminationPlan> BestElimination(const Reduced& reduced) {
  std::vector<int> sizes;
  for (int i = 0; i < reduced.count(); ++i) sizes.push_back(reduced.size(i));
  std::vector<std::pair<int, int>> edges;
  for (const Reduced::Edge& edge : reduced.edges) edges.emplace_back(edge.a, edge.b);
  // Counting fill is slow on wide graphs, which are hopeless for every rule: it is tried only if a
  // quick rule came close.
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
  for (int i = 0; i < reduced.count(); ++i)
    task.unary.emplace_back(reduced.costs[i].begin(), reduced.costs[i].end());
  for (const Reduced::Edge& edge : reduced.edges) {
    task.edges.push_back({edge.a, edge.b, edge.costs.data()});
  }
  ExactOptimum out;
  out.choice.assign(reduced.count(), 0);
  out.cost = AddCosts(RunElimination(task, *plan, out.choice), reduced.constant);
  return out;
}

}  // namespace metadist
