// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/problem/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace metadist {
namespace {

std::string NodeText(const Problem& problem, int node) {
  if (node >= 0 && static_cast<size_t>(node) < problem.node_names.size()) {
    return fmt::format("node {} '{}'", node, problem.node_names[node]);
  }
  return fmt::format("node {}", node);
}

// The largest finite |entry|, 0 if there is none.
int64_t LargestFinite(const std::vector<int64_t>& entries) {
  int64_t largest = 0;
  for (int64_t entry : entries) {
    if (entry >= kForbiddenFrom) continue;
    largest = std::max(largest, entry < -kForbidden ? kForbidden : std::abs(entry));
  }
  return largest;
}

void CheckNode(const Problem& problem, int index, std::vector<Error>& errors) {
  const ProblemNode& node = problem.nodes[index];
  const std::string where = NodeText(problem, index);
  if (node.costs.empty()) errors.push_back(BadInput(where, "expected a strategy, got none"));
  for (size_t r = 0; r < node.rows.size(); ++r) {
    const MemoryRow& row = node.rows[r];
    if (row.usage.size() != node.costs.size()) {
      errors.push_back(BadInput(where,
                                fmt::format("memory row {}: expected {} usages, got {}",
                                            r,
                                            node.costs.size(),
                                            row.usage.size())));
    }
    const auto below = std::ranges::find_if(row.usage, [](int64_t usage) { return usage < 0; });
    if (below != row.usage.end()) {
      errors.push_back(
          BadInput(where, fmt::format("memory row {}: expected usages >= 0, got {}", r, *below)));
    }
  }
}

void CheckEdge(const Problem& problem, size_t index, std::vector<Error>& errors) {
  const ProblemEdge& edge = problem.edges[index];
  const std::string where = fmt::format("edge {}", index);
  const int count = static_cast<int>(problem.nodes.size());
  if (edge.a < 0 || edge.b < 0 || edge.a >= count || edge.b >= count || edge.a == edge.b) {
    errors.push_back(BadInput(
        where,
        fmt::format(
            "expected two different nodes below {}, got {} and {}", count, edge.a, edge.b)));
    return;
  }
  const size_t expected = problem.nodes[edge.a].costs.size() * problem.nodes[edge.b].costs.size();
  const size_t actual = edge.costs ? edge.costs->size() : 0;
  if (actual != expected) {
    errors.push_back(BadInput(where, fmt::format("expected {} costs, got {}", expected, actual)));
  }
}

// True if the list has one entry per node; otherwise adds an error.
template <typename T>
bool CheckEntries(const char* where,
                  const std::vector<T>& list,
                  const Problem& problem,
                  std::vector<Error>& errors) {
  const bool whole = list.size() == problem.nodes.size();
  if (!whole) {
    errors.push_back(BadInput(
        where, fmt::format("expected {} entries, got {}", problem.nodes.size(), list.size())));
  }
  return whole;
}

void CheckTotal(const char* where, double total, std::vector<Error>& errors) {
  if (total < static_cast<double>(kMaxTotalCost)) return;
  errors.push_back(
      BadInput(where, fmt::format("expected a total below {}, got {:g}", kMaxTotalCost, total)));
}

void CheckTies(const Problem& problem, std::vector<Error>& errors) {
  if (problem.tied.empty() || !CheckEntries("tied", problem.tied, problem, errors)) return;
  for (size_t i = 0; i < problem.tied.size(); ++i) {
    const int target = problem.tied[i];
    const std::string where = NodeText(problem, static_cast<int>(i));
    if (target < 0 || static_cast<size_t>(target) >= problem.nodes.size()) {
      errors.push_back(BadInput(where, fmt::format("tied to node {}, which is absent", target)));
    } else if (problem.nodes[target].costs.size() != problem.nodes[i].costs.size()) {
      errors.push_back(BadInput(where,
                                fmt::format("expected {} strategies as {}, got {}",
                                            problem.nodes[target].costs.size(),
                                            NodeText(problem, target),
                                            problem.nodes[i].costs.size())));
    }
  }
}

}  // namespace

uint64_t HashOf(std::span<const int64_t> numbers) {
  uint64_t hash = numbers.size();
  for (int64_t number : numbers) {
    hash = (hash ^ static_cast<uint64_t>(number)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

Result<void> Validate(const Problem& problem) {
  std::vector<Error> errors;
  double total = 0;
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    CheckNode(problem, static_cast<int>(i), errors);
    total += static_cast<double>(LargestFinite(problem.nodes[i].costs));
  }
  for (size_t e = 0; e < problem.edges.size(); ++e) {
    CheckEdge(problem, e, errors);
    if (problem.edges[e].costs) {
      total += static_cast<double>(LargestFinite(*problem.edges[e].costs));
    }
  }
  CheckTotal("costs", total, errors);
  double usage = 0;
  for (const ProblemNode& node : problem.nodes) {
    for (const MemoryRow& row : node.rows) {
      if (!row.usage.empty()) usage += static_cast<double>(std::ranges::max(row.usage));
    }
  }
  CheckTotal("usages", usage, errors);
  if (!problem.node_names.empty()) {
    CheckEntries("node names", problem.node_names, problem, errors);
  }
  CheckTies(problem, errors);
  if (!errors.empty()) return Join(std::move(errors));
  return {};
}

Problem WithTiesAsEdges(const Problem& problem) {
  Problem out = problem;
  out.tied.clear();
  std::map<size_t, CostMatrix> diagonals;
  for (size_t i = 0; i < problem.tied.size(); ++i) {
    const int target = problem.tied[i];
    if (target == static_cast<int>(i)) continue;
    const size_t size = problem.nodes[i].costs.size();
    CostMatrix& diagonal = diagonals[size];
    if (!diagonal) {
      std::vector<int64_t> entries(size * size, kForbidden);
      for (size_t k = 0; k < size; ++k) entries[k * size + k] = 0;
      diagonal = std::make_shared<const std::vector<int64_t>>(std::move(entries));
    }
    out.edges.push_back({target, static_cast<int>(i), diagonal});
  }
  return out;
}

}  // namespace metadist
