// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/forest.h"

#include <algorithm>
#include <numeric>

#include "planner/solvers/bounds/min_plus.h"

namespace metadist {

// At fixed prices the problem is pairwise. On a forest such a problem is solved exactly by dynamic
// programming from the leaves up, in one pass over the edge tables. The graphs here are not
// forests, but a maximal set of nodes that induces a forest contains about half of the nodes; the
// others stay fixed, which turns their edges into node costs. Every call takes another set: nodes
// are visited in random order (sets that are spread evenly) or breadth first from a random node
// (long unbroken chains near it), and a node joins unless two of its neighbours are in the same
// tree, which a union-find decides. Much cheaper than a block move per node covered, but shallower:
// most tree nodes have a fixed neighbour.
//
// Time: linear in the entries of the edge tables. Source: Bertele and Brioschi 1972 (dynamic
// programming); forest neighbourhoods: Hamze and de Freitas 2004.

ForestMover::ForestMover(const Reduced& reduced, const Dual& tables)
    : reduced_(reduced),
      tables_(tables),
      inside_(reduced.count()),
      set_(reduced.count()),
      parent_(reduced.count()),
      placed_(reduced.count()),
      sums_(reduced.count()) {
  top_down_.reserve(reduced.count());
}

void ForestMover::GrowForest() {
  std::iota(set_.begin(), set_.end(), 0);
  std::fill(inside_.begin(), inside_.end(), 0);
  for (int node : order_) {
    roots_.clear();
    bool cycle = false;
    for (const Link& link : tables_.links()[node]) {
      if (!inside_[link.other]) continue;
      const int root = RootOf(link.other, set_);
      cycle = std::find(roots_.begin(), roots_.end(), root) != roots_.end();
      if (cycle) break;
      roots_.push_back(root);
    }
    if (cycle) continue;
    inside_[node] = 1;
    for (int root : roots_) set_[root] = node;
  }
}

void ForestMover::RootTrees() {
  top_down_.clear();
  std::fill(placed_.begin(), placed_.end(), 0);
  for (int root : order_) {
    if (!inside_[root] || placed_[root]) continue;
    placed_[root] = 1;
    parent_[root] = {-1, -1, false};
    size_t head = top_down_.size();
    top_down_.push_back(root);
    for (; head < top_down_.size(); ++head) {
      const int node = top_down_[head];
      for (const Link& link : tables_.links()[node]) {
        if (!inside_[link.other] || placed_[link.other]) continue;
        placed_[link.other] = 1;
        parent_[link.other] = {link.edge, node, !link.first};
        top_down_.push_back(link.other);
      }
    }
  }
}

// Sums each node's own costs and its edges to fixed neighbours.
void ForestMover::GatherSums(const Jagged<double>& penalties,
                             const Choice& choice,
                             MoveResult& result) {
  for (int node : top_down_) {
    std::vector<double>& sums = sums_[node];
    const size_t size = reduced_.size(node);
    sums.resize(size);
    for (size_t p = 0; p < size; ++p) {
      sums[p] = static_cast<double>(reduced_.costs[node][p]) + penalties[node][p];
    }
    for (const Link& link : tables_.links()[node]) {
      if (inside_[link.other]) continue;
      const double* add = tables_.columns(link) + choice[link.other] * size;
      for (size_t p = 0; p < size; ++p) sums[p] += add[p];
    }
    result.gain += sums[choice[node]];
    result.work += static_cast<int64_t>(size * (1 + tables_.links()[node].size()));
  }
}

// From the leaves to the roots: adds to each strategy of the parent the least cost of the subtree.
void ForestMover::SendUp(const Choice& choice, MoveResult& result) {
  for (size_t k = top_down_.size(); k-- > 0;) {
    const int node = top_down_[k];
    const Link& link = parent_[node];
    if (link.edge < 0) continue;
    const std::vector<double>& sums = sums_[node];
    const double* rows = tables_.rows(link);
    const size_t columns = reduced_.size(link.other);
    result.gain += rows[choice[node] * columns + choice[link.other]];
    message_.resize(columns);
    MinPlus(sums, rows, columns, message_.data());
    std::vector<double>& above = sums_[link.other];
    for (size_t q = 0; q < columns; ++q) above[q] += message_[q];
    result.work += static_cast<int64_t>(sums.size() * columns);
  }
}

// From the roots to the leaves; the current strategy wins ties.
void ForestMover::ChooseDown(Choice& choice, MoveResult& result) {
  for (int node : top_down_) {
    std::vector<double>& sums = sums_[node];
    const Link& link = parent_[node];
    if (link.edge >= 0) {
      const double* entry = tables_.rows(link) + choice[link.other];
      const size_t columns = reduced_.size(link.other);
      for (size_t p = 0; p < sums.size(); ++p) sums[p] += entry[p * columns];
    }
    int best = choice[node];
    for (size_t p = 0; p < sums.size(); ++p) {
      if (sums[p] < sums[best]) best = static_cast<int>(p);
    }
    choice[node] = best;
    if (link.edge < 0) result.gain -= sums[best];
  }
}

MoveResult ForestMover::Run(const Jagged<double>& penalties, Random& random, Choice& choice) {
  MoveResult result;
  if (reduced_.count() == 0) return result;
  if (random.Unit() < 0.5) {
    order_ = Indices(reduced_.count());
    random.ShuffleInPieces(order_);
  } else {
    order_ = BreadthFirstOrder(tables_.links(), /*shuffled=*/true, random);
  }
  GrowForest();
  RootTrees();
  result.work = 4 * reduced_.count();
  GatherSums(penalties, choice, result);
  SendUp(choice, result);
  ChooseDown(choice, result);
  return result;
}

}  // namespace metadist
