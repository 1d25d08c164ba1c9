// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/prune.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "planner/solvers/bounds/decomposition.h"
#include "planner/solvers/bounds/links.h"

namespace metadist {

// Problem: with a choice of cost C known, only choices of at most C - 1 matter (costs are
// integers). Whatever cannot be part of one is deleted, which makes further reductions possible.
//  * Strategies: in a forward pass, when node i is visited, the excess of theta(p) over its
//    minimum is the amount by which forcing p raises the bound (reduced-cost fixing). It is
//    computed in doubles; the margin bounds their rounding errors: each of the (2 edges + nodes)
//    minima of a pass is a handful of additions of numbers no larger than the terms in Margin.
//  * Pairs: by the exact decomposition, without a margin.
//  * Then the rules of reduce/ to their fixpoint. Forbidden pairs make edges functional, so nodes
//    merge; deleted strategies make others dominated, edges separable and times irrelevant. The
//    rules keep one of the best choices, not necessarily the known one: see Nearest.
//
// Both tests may also delete strategies and pairs of the known choice if nothing better can take
// them. If a node is left without strategies, nothing better exists, which proves the known choice
// optimal.

namespace {

// The smallest share of strategies or pairs for which a rebuild pays.
constexpr double kLeastShare = 0.02;

double Margin(const Reduced& reduced, const Dual& dual, double bound, int64_t most) {
  double largest = std::abs(bound) + std::abs(static_cast<double>(most));
  const std::vector<double>& prices = dual.prices();
  for (size_t t = 0; t < prices.size(); ++t) {
    largest += prices[t] * static_cast<double>(*reduced.limit - reduced.base[t]);
  }
  const double minima = 2.0 * static_cast<double>(reduced.edges.size()) + reduced.count();
  return 0.01 + 16 * minima * std::numeric_limits<double>::epsilon() * largest;
}

}  // namespace

std::optional<ReducedAgain> Prune(const Reduced& reduced, Dual& dual, int64_t most) {
  const double bound = dual.Sweep();
  const std::vector<std::vector<double>> marginals = dual.MinMarginals();
  const double worst = static_cast<double>(most) + Margin(reduced, dual, bound, most);
  std::vector<std::vector<char>> alive(reduced.graph.nodes.size());
  int64_t strategies = 0;
  int64_t left = 0;
  bool emptied = false;
  for (int i = 0; i < reduced.count(); ++i) {
    std::vector<char>& own = alive[reduced.origin[i]];
    for (double rise : marginals[i]) own.push_back(bound + rise <= worst);
    const auto kept = std::count(own.begin(), own.end(), 1);
    strategies += reduced.size(i);
    left += kept;
    emptied |= kept == 0;
  }
  if (emptied) {
    ReducedAgain none;
    none.reduced.infeasible = true;
    none.reduced.deletions = reduced.deletions + strategies - left;
    return none;
  }
  dual.Sweep();
  const Decomposition decomposition(reduced, dual);
  std::vector<std::vector<char>> marks(reduced.edges.size());
  int64_t pairs = 0;
  int64_t forbidden = 0;
  for (size_t e = 0; e < reduced.edges.size(); ++e) {
    forbidden += decomposition.PairsAbove(static_cast<int>(e), most, marks[e]);
    pairs += static_cast<int64_t>(marks[e].size());
  }
  if (static_cast<double>(strategies - left) <= kLeastShare * static_cast<double>(strategies) &&
      static_cast<double>(forbidden) <= kLeastShare * static_cast<double>(pairs)) {
    return std::nullopt;
  }
  Reduced marked = reduced;
  for (size_t e = 0; e < marks.size(); ++e) {
    for (size_t k = 0; k < marks[e].size(); ++k) {
      if (marks[e][k]) marked.edges[e].costs[k] = kInfinite;
    }
  }
  return ReduceAgain(std::move(marked), alive);
}

Choice Nearest(const Reduced& reduced, const Choice& original) {
  if (std::optional<Choice> exact = reduced.Contract(original)) return *std::move(exact);
  Choice choice(reduced.count(), 0);
  std::vector<int> missing;
  for (int i = 0; i < reduced.count(); ++i) {
    const int node = reduced.origin[i];
    const std::vector<int>& strategies = reduced.graph.strategy_of[node];
    const auto found = std::lower_bound(strategies.begin(), strategies.end(), original[node]);
    if (found != strategies.end() && *found == original[node]) {
      choice[i] = static_cast<int>(found - strategies.begin());
    } else {
      missing.push_back(i);
    }
  }
  if (missing.empty()) return choice;
  const Jagged<Link> links = MakeLinks(reduced);
  for (int i : missing) {
    const std::vector<int64_t> costs = ConditionalCosts(reduced, links, i, choice);
    choice[i] = static_cast<int>(std::min_element(costs.begin(), costs.end()) - costs.begin());
  }
  return choice;
}

}  // namespace metadist
