// SPDX-License-Identifier: Apache-2.0
#include "planner/search/counted_copies.h"

#include "metair/ir/check.h"

namespace metadist {
namespace {

// Bytes of the choice by time, from the rows of the problem only, which end by time `end`.
std::vector<int64_t> UsageOver(const Problem& problem, const Choice& choice, size_t end) {
  std::vector<int64_t> usage(end + 1, 0);
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    for (const MemoryRow& row : problem.nodes[i].rows) {
      if (row.lo >= row.hi) continue;
      CHECK(static_cast<size_t>(row.hi) <= end, "a row ends after the last node");
      const int64_t bytes = row.usage[static_cast<size_t>(choice[i])];
      usage[static_cast<size_t>(row.lo)] += bytes;
      usage[static_cast<size_t>(row.hi)] -= bytes;
    }
  }
  for (size_t t = 1; t < usage.size(); ++t) usage[t] += usage[t - 1];
  return usage;
}

}  // namespace

CountedCopies::CountedCopies(const Graph& graph, const Mesh& mesh, Formulation& formulation)
    : graph_(graph),
      mesh_(mesh),
      formulation_(formulation),
      own_nodes_(formulation.problem.nodes.size()),
      own_edges_(formulation.problem.edges.size()) {}

bool CountedCopies::Count(const Choice& choice, int64_t limit_bytes) {
  if (!found_) left_ = CopiesOf(graph_, mesh_, formulation_);
  found_ = true;
  std::vector<int64_t> usage = UsageOver(formulation_.problem, choice, 2 * graph_.nodes.size() + 1);
  for (const UseCopy& copy : left_)
    usage[2 * static_cast<size_t>(copy.node)] += copy.BytesAt(choice);
  std::vector<char> wanted(left_.size(), 0);
  for (size_t k = 0; k < left_.size(); ++k) {
    const UseCopy& copy = left_[k];
    if (usage[2 * static_cast<size_t>(copy.node)] <= limit_bytes || copy.BytesAt(choice) == 0)
      continue;
    wanted[k] = 1;
    for (size_t j = 0; j < left_.size(); ++j)
      if (wanted[j] == 0 && AreTied(copy, left_[j], formulation_.problem)) wanted[j] = 1;
  }
  std::vector<UseCopy> left;
  for (size_t k = 0; k < left_.size(); ++k) {
    if (wanted[k] != 0)
      counted_.push_back(CountCopy(left_[k], counted_, formulation_));
    else
      left.push_back(std::move(left_[k]));
  }
  const bool any = left.size() < left_.size();
  left_ = std::move(left);
  return any;
}

void CountedCopies::Forget() {
  Drop(formulation_);
  counted_.clear();
  found_ = false;
}

Formulation CountedCopies::Uncounted() const {
  Formulation out = formulation_;
  Drop(out);
  return out;
}

void CountedCopies::Drop(Formulation& formulation) const {
  Problem& problem = formulation.problem;
  problem.nodes.resize(own_nodes_);
  problem.node_names.resize(own_nodes_);
  problem.edges.resize(own_edges_);
  if (!problem.tied.empty()) problem.tied.resize(own_nodes_);
  formulation.decisions.resize(own_nodes_);
}

Choice CountedCopies::Completed(const Choice& choice) const {
  return WithCopies(choice, own_nodes_, counted_);
}

}  // namespace metadist
