// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "metair/ir/check.h"
#include "profiles/collective_rows.h"
#include "profiles/cost.h"

namespace metadist {
namespace {

// 0: same type; 1: another type of the same width, which is transferred as fast; 2: any other type.
int Distance(std::string_view row_dtype, ElementType dtype) {
  if (row_dtype == Name(dtype)) return 0;
  const std::optional<ElementType> type = ParseElementType(row_dtype);
  return type && ByteSize(*type) == ByteSize(dtype) ? 1 : 2;
}

}  // namespace

std::vector<CollectiveRows> FindCollectives(
    const Profile& profile,
    Collective op,
    ElementType dtype,
    bool strided,
    const std::function<bool(const CollectiveKey&)>& accept) {
  using Shape = std::tuple<int, int, int, int>;
  std::map<Shape, std::pair<int, CollectiveRows>> best;
  CollectiveKey first;
  first.op = op;
  for (auto row = profile.collectives.lower_bound(first);
       row != profile.collectives.end() && row->first.op == op;
       ++row) {
    const CollectiveKey& key = row->first;
    if (row->second.empty() || !accept(key)) continue;
    const int distance = 2 * Distance(key.dtype, dtype) + (key.strided == strided ? 0 : 1);
    const Shape shape{key.ranks, key.nodes, key.ranks_per_node, key.concurrent};
    const auto found = best.find(shape);
    if (found != best.end() && found->second.first <= distance) continue;
    best[shape] = {distance, CollectiveRows{&key, &row->second}};
  }
  std::vector<CollectiveRows> rows;
  rows.reserve(best.size());
  for (const auto& [shape, entry] : best) rows.push_back(entry.second);
  return rows;
}

Group GroupOf(const Cluster& cluster, const std::vector<int>& ranks) {
  CHECK(!ranks.empty(), "a group needs a rank");
  std::map<int, int> per_node;
  Group group;
  group.ranks = static_cast<int>(ranks.size());
  for (size_t i = 0; i < ranks.size(); ++i) {
    const int node = ranks[i] / cluster.devices_per_node;
    ++per_node[node];
    const bool same_node = i > 0 && ranks[i - 1] / cluster.devices_per_node == node;
    if (same_node && ranks[i] != ranks[i - 1] + 1) group.strided = true;
  }
  group.nodes = static_cast<int>(per_node.size());
  for (const auto& [node, count] : per_node) {
    group.ranks_per_node = std::max(group.ranks_per_node, count);
  }
  group.concurrent = std::max(1, cluster.devices() / group.ranks);
  return group;
}

Priced CollectiveSeconds(
    const Cluster& cluster, Collective op, const Group& group, int64_t bytes, ElementType dtype) {
  if (group.ranks <= 1 || bytes <= 0) return {};
  return cluster.is_cpu() ? CpuCollectiveSeconds(cluster, op, group, bytes, dtype)
                          : GpuCollectiveSeconds(cluster, op, group, bytes, dtype);
}

double ReceivedBytes(Collective op, int ranks, int64_t bytes) {
  if (ranks <= 1) return 0;
  const double all = static_cast<double>(bytes);
  const double others = static_cast<double>(ranks - 1) / ranks;
  switch (op) {
    case Collective::kAllReduce:
      return 2 * others * all;
    case Collective::kSendRecv:
      return all;
    default:
      return others * all;
  }
}

}  // namespace metadist
