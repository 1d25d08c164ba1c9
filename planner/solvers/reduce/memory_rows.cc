// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/reduce/memory_rows.h"

#include <utility>

namespace metadist {

// The limit holds at every time, and a training step has one time per operator, so times x nodes is
// far too much. A time matters only if (1) some choice exceeds the limit there, and (2) no other
// time t' has at least the same live rows and at least the same base. The live rows of neighbouring
// times differ only by those that start or end between them, so when kept times are scanned in both
// directions, (2) fails if nothing ends between t and its kept successor t' and base[t] <=
// base[t'], or if nothing starts between its kept predecessor t' and t and base[t] <= base[t'].
// Usages are >= 0, so more live rows mean at least as much memory. Complexity: linear in rows x
// strategies and times.

namespace {

bool Earlier(const MemoryRow& x, const MemoryRow& y) {
  return x.lo != y.lo ? x.lo < y.lo : x.hi < y.hi;
}

bool IsEmpty(const MemoryRow& row) { return row.lo >= row.hi; }

// Adds up rows with equal intervals; sorts the rows by time.
void MergeRows(std::vector<MemoryRow>& rows) {
  if (rows.size() < 2) return;
  if (!std::is_sorted(rows.begin(), rows.end(), Earlier)) {
    std::stable_sort(rows.begin(), rows.end(), Earlier);
  }
  size_t kept = 0;
  for (size_t r = 1; r < rows.size(); ++r) {
    if (Earlier(rows[kept], rows[r])) {
      if (++kept != r) rows[kept] = std::move(rows[r]);
      continue;
    }
    for (size_t p = 0; p < rows[r].usage.size(); ++p) rows[kept].usage[p] += rows[r].usage[p];
  }
  rows.resize(kept + 1);
}

// Moves the minima of the rows to `base_delta` and drops rows that become constant zero.
void MoveMinima(std::vector<MemoryRow>& rows, std::vector<int64_t>& base_delta) {
  std::erase_if(rows, [&base_delta](MemoryRow& row) {
    const auto [least, most] = std::minmax_element(row.usage.begin(), row.usage.end());
    const int64_t minimum = *least;
    const bool constant = minimum == *most;
    base_delta[row.lo] += minimum;
    base_delta[row.hi] -= minimum;
    if (!constant && minimum != 0) {
      for (int64_t& value : row.usage) value -= minimum;
    }
    return constant;
  });
}

// For each time: the time that implies it (itself if no other does), -1 if no choice can violate
// the limit there.
std::vector<int> ImpliedBy(const CostGraph& graph) {
  const size_t times = graph.base.size();
  std::vector<int64_t> most(times + 1, 0);
  std::vector<int> starts(times + 1, 0);
  std::vector<int> ends(times + 1, 0);
  for (const CostGraph::Node& node : graph.nodes) {
    for (const MemoryRow& row : node.rows) {
      const int64_t largest = *std::max_element(row.usage.begin(), row.usage.end());
      most[row.lo] += largest;
      most[row.hi] -= largest;
      ++starts[row.lo];
      ++ends[row.hi];
    }
  }
  std::vector<int> implied_by(times, -1);
  std::vector<int> kept;
  int64_t live = 0;
  for (size_t t = 0; t < times; ++t) {
    live += most[t];
    if (graph.base[t] + live <= *graph.limit) continue;
    implied_by[t] = static_cast<int>(t);
    kept.push_back(static_cast<int>(t));
  }
  auto prune = [&](bool forward) {
    std::vector<int> count(times + 1, 0);
    for (size_t t = 0; t < times; ++t) count[t + 1] = count[t] + (forward ? starts[t] : ends[t]);
    std::vector<int> out;
    for (size_t k = 0; k < kept.size(); ++k) {
      const int t = forward ? kept[k] : kept[kept.size() - 1 - k];
      if (!out.empty() && graph.base[t] <= graph.base[out.back()]) {
        const int early = std::min(t, out.back());
        const int late = std::max(t, out.back());
        if (count[late + 1] == count[early + 1]) {
          implied_by[t] = out.back();
          continue;
        }
      }
      out.push_back(t);
    }
    if (!forward) std::reverse(out.begin(), out.end());
    kept = std::move(out);
  };
  prune(/*forward=*/false);
  prune(/*forward=*/true);
  for (int& other : implied_by) {
    while (other >= 0 && implied_by[other] != other) other = implied_by[other];
  }
  return implied_by;
}

// One pass. True if it left a node with several rows over one interval.
bool SimplifyOnce(CostGraph& graph) {
  const size_t times = graph.base.size();
  std::vector<int64_t> delta(times + 1, 0);
  for (CostGraph::Node& node : graph.nodes) {
    MergeRows(node.rows);
    MoveMinima(node.rows, delta);
  }
  int64_t running = 0;
  for (size_t t = 0; t < times; ++t) {
    running += delta[t];
    graph.base[t] += running;
    if (graph.base[t] > *graph.limit) graph.infeasible = true;
  }
  if (graph.infeasible) return false;
  const std::vector<int> implied_by = ImpliedBy(graph);
  // Number of kept times before each time.
  std::vector<int64_t> before(times + 1, 0);
  size_t kept = 0;
  for (size_t t = 0; t < times; ++t) {
    before[t] = static_cast<int64_t>(kept);
    if (implied_by[t] == static_cast<int>(t)) graph.base[kept++] = graph.base[t];
  }
  before[times] = static_cast<int64_t>(kept);
  if (kept == times) return false;
  graph.base.resize(kept);
  for (int& t : graph.time_now) {
    const int implied = t < 0 ? -1 : implied_by[t];
    t = implied < 0 ? -1 : static_cast<int>(before[implied]);
  }
  bool again = false;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    std::vector<MemoryRow>& rows = graph.nodes[i].rows;
    if (rows.empty()) continue;
    for (MemoryRow& row : rows) {
      row.lo = before[row.lo];
      row.hi = before[row.hi];
    }
    if (std::erase_if(rows, IsEmpty) > 0) graph.changed[i] = 1;
    for (size_t r = 1; r < rows.size(); ++r) again |= !Earlier(rows[r - 1], rows[r]);
  }
  return again;
}

}  // namespace

void IndexTimes(CostGraph& graph) {
  std::vector<int64_t> starts;
  for (const CostGraph::Node& node : graph.nodes) {
    for (const MemoryRow& row : node.rows) {
      if (!IsEmpty(row)) starts.push_back(row.lo);
    }
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  auto index = [&](int64_t time) {
    return std::lower_bound(starts.begin(), starts.end(), time) - starts.begin();
  };
  for (CostGraph::Node& node : graph.nodes) {
    std::erase_if(node.rows, IsEmpty);
    for (MemoryRow& row : node.rows) {
      row.lo = index(row.lo);
      row.hi = index(row.hi);
    }
  }
  graph.base.assign(starts.size(), 0);
  graph.time_now = Indices(starts.size());
}

void SimplifyMemory(CostGraph& graph) {
  if (!graph.limit) return;
  while (!graph.infeasible && !graph.base.empty() && SimplifyOnce(graph)) {
  }
}

}  // namespace metadist
