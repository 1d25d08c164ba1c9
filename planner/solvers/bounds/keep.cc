// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/keep.h"

namespace metadist {

Reduced KeepStrategies(const Reduced& reduced, const std::vector<std::vector<int>>& kept) {
  Reduced out = reduced;
  out.costs = {};
  out.rows = {};
  std::vector<std::vector<char>> alive(reduced.graph.nodes.size());
  for (int i = 0; i < reduced.count(); ++i) {
    std::vector<char>& flags = alive[reduced.origin[i]];
    flags.assign(reduced.size(i), 0);
    for (int p : kept[i]) flags[p] = 1;
    auto select = [&](std::span<const int64_t> from) {
      std::vector<int64_t> to;
      for (int p : kept[i]) to.push_back(from[p]);
      return to;
    };
    out.costs.Add(select(reduced.costs[i]));
    std::vector<MemoryRow> rows;
    for (const RowTable::Row& row : reduced.rows[i])
      rows.push_back({row.lo, row.hi, select(row.usage)});
    out.rows.Add(rows);
  }
  DropStrategies(out.graph, alive);
  out.deletions = out.graph.deletions;
  for (size_t e = 0; e < reduced.edges.size(); ++e) {
    const Reduced::Edge& from = reduced.edges[e];
    const size_t columns = reduced.size(from.b);
    std::vector<int64_t> costs;
    costs.reserve(kept[from.a].size() * kept[from.b].size());
    for (int p : kept[from.a]) {
      for (int q : kept[from.b]) costs.push_back(from.costs[p * columns + q]);
    }
    out.edges[e].costs = std::move(costs);
  }
  return out;
}

}  // namespace metadist
