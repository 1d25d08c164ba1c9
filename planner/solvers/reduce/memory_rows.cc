// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/reduce/memory_rows.h"

#include <map>
#include <utility>

namespace metadist {

// Problem: the limit holds at every time, and a training step has one time per operator, so times x
// nodes is far too much. A time matters only if (1) some choice exceeds the limit there, and (2) no
// other time t' has at least the same rows live and at least the same base. The live rows of
// neighbouring times differ only by those that start or end between them, so with kept times
// scanned from either side, (2) is: nothing ends between t and its kept successor and base[t] <=
// base[t'], or nothing starts between its kept predecessor and t and base[t] <= base[t'].
// Usages are >= 0, which makes "more rows live" imply "more memory".
// Complexity: linear in rows x strategies and times.

namespace {

// Adds up rows over the same interval, moves minima to `base_delta` and drops constant rows.
void MergeRows(CostGraph::Node& node, std::vector<int64_t>& base_delta) {
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> merged;
  for (MemoryRow& row : node.rows) {
    if (row.lo >= row.hi) continue;
    std::vector<int64_t>& usage = merged[{row.lo, row.hi}];
    if (usage.empty()) {
      usage = std::move(row.usage);
    } else {
      for (size_t p = 0; p < usage.size(); ++p) usage[p] += row.usage[p];
    }
  }
  node.rows.clear();
  for (auto& [interval, usage] : merged) {
    const auto [least, most] = std::minmax_element(usage.begin(), usage.end());
    const int64_t minimum = *least;
    const bool constant = minimum == *most;
    base_delta[interval.first] += minimum;
    base_delta[interval.second] -= minimum;
    if (constant) continue;
    for (int64_t& value : usage) value -= minimum;
    node.rows.push_back({interval.first, interval.second, std::move(usage)});
  }
}

// Indices of the times that can bind and are not implied by a neighbour.
std::vector<int> TimesToKeep(const CostGraph& graph) {
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
  std::vector<int> kept;
  int64_t live = 0;
  for (size_t t = 0; t < times; ++t) {
    live += most[t];
    if (graph.base[t] + live > *graph.limit) kept.push_back(static_cast<int>(t));
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
        if (count[late + 1] == count[early + 1]) continue;
      }
      out.push_back(t);
    }
    if (!forward) std::reverse(out.begin(), out.end());
    kept = std::move(out);
  };
  prune(/*forward=*/false);
  prune(/*forward=*/true);
  return kept;
}

}  // namespace

void IndexTimes(CostGraph& graph) {
  std::vector<int64_t> starts;
  for (const CostGraph::Node& node : graph.nodes) {
    for (const MemoryRow& row : node.rows) {
      if (row.lo < row.hi) starts.push_back(row.lo);
    }
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  auto index = [&](int64_t time) {
    return std::lower_bound(starts.begin(), starts.end(), time) - starts.begin();
  };
  for (CostGraph::Node& node : graph.nodes) {
    std::erase_if(node.rows, [](const MemoryRow& row) { return row.lo >= row.hi; });
    for (MemoryRow& row : node.rows) {
      row.lo = index(row.lo);
      row.hi = index(row.hi);
    }
  }
  graph.base.assign(starts.size(), 0);
}

void SimplifyMemory(CostGraph& graph) {
  if (!graph.limit || graph.infeasible) return;
  const size_t times = graph.base.size();
  std::vector<int64_t> delta(times + 1, 0);
  for (CostGraph::Node& node : graph.nodes) MergeRows(node, delta);
  int64_t running = 0;
  for (size_t t = 0; t < times; ++t) {
    running += delta[t];
    graph.base[t] += running;
    if (graph.base[t] > *graph.limit) graph.infeasible = true;
  }
  if (graph.infeasible) return;
  const std::vector<int> kept = TimesToKeep(graph);
  std::vector<int64_t> new_index(times + 1, static_cast<int64_t>(kept.size()));
  for (size_t k = kept.size(); k-- > 0;) {
    const int first = k == 0 ? 0 : kept[k - 1] + 1;
    for (int t = first; t <= kept[k]; ++t) new_index[t] = static_cast<int64_t>(k);
  }
  std::vector<int64_t> base;
  for (int t : kept) base.push_back(graph.base[t]);
  graph.base = std::move(base);
  for (CostGraph::Node& node : graph.nodes) {
    for (MemoryRow& row : node.rows) {
      row.lo = new_index[row.lo];
      row.hi = new_index[row.hi];
    }
    std::erase_if(node.rows, [](const MemoryRow& row) { return row.lo >= row.hi; });
  }
}

}  // namespace metadist
