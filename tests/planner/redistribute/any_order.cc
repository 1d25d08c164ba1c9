// SPDX-License-Identifier: Apache-2.0
#include "tests/planner/redistribute/any_order.h"

#include <algorithm>
#include <queue>
#include <set>
#include <utility>

namespace metadist {

AnyOrder::Lists AnyOrder::ListsOf(const Sharding& sharding) {
  Lists lists;
  for (const DimSharding& dim : sharding.dims)
    lists.push_back(dim.whole() ? std::vector<int>{} : dim.parts[0].sub[0].axes);
  return lists;
}

std::map<AnyOrder::Lists, int64_t> AnyOrder::From(const Sharding& source, int64_t most) const {
  std::map<Lists, int64_t> least{{ListsOf(source), 0}};
  std::set<Shape> permuted;
  using Entry = std::pair<int64_t, Lists>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> frontier;
  frontier.emplace(0, ListsOf(source));
  while (!frontier.empty()) {
    const Entry nearest = frontier.top();
    const int64_t cost = nearest.first;
    const Lists& at = nearest.second;
    frontier.pop();
    if (least[at] < cost) continue;
    const auto offer = [&](const Lists& to, int64_t step) {
      if (NumElements(Local(to)) > most) return;
      const auto [known, added] = least.try_emplace(to, cost + step);
      if (!added && known->second <= cost + step) return;
      known->second = cost + step;
      frontier.emplace(cost + step, to);
    };
    const Shape local = Local(at);
    const int64_t held = NumElements(local) * mesh_.ranks();
    for (size_t d = 0; d < shape_.size(); ++d) {
      for (int axis : Unused(at))
        if (Lists to = at; local[d] % mesh_.size(axis) == 0) {
          to[d].push_back(axis);
          offer(to, 0);
        }
      int64_t group = 1;
      for (size_t keep = at[d].size(); keep-- > 0;) {
        group *= mesh_.size(at[d][keep]);
        Lists without = at;
        const std::vector<int> moved(at[d].begin() + static_cast<long>(keep), at[d].end());
        without[d].resize(keep);
        offer(without, gathered_ * held * (group - 1));
        for (size_t e = 0; e < shape_.size(); ++e) {
          if (e == d || local[e] % group != 0) continue;
          Lists to = without;
          to[e].insert(to[e].end(), moved.begin(), moved.end());
          offer(to, held / group * (group - 1));
        }
      }
    }
    if (permuted.insert(local).second)
      Assign(Lists(shape_.size()), 0, local, [&](const Lists& to) { offer(to, held); });
  }
  return least;
}

Shape AnyOrder::Local(const Lists& lists) const {
  Shape local = shape_;
  for (size_t d = 0; d < local.size(); ++d) local[d] /= mesh_.size(lists[d]);
  return local;
}

std::vector<int> AnyOrder::Unused(const Lists& lists) const {
  std::vector<int> out;
  for (int axis = 0; axis < static_cast<int>(mesh_.axes.size()); ++axis) {
    bool used = false;
    for (const auto& list : lists) used |= std::count(list.begin(), list.end(), axis) > 0;
    if (!used) out.push_back(axis);
  }
  return out;
}

void AnyOrder::Assign(const Lists& lists,
                      size_t dim,
                      const Shape& wanted,
                      const std::function<void(const Lists&)>& visit) const {
  const Shape local = Local(lists);
  while (dim < shape_.size() && local[dim] == wanted[dim]) ++dim;
  if (dim == shape_.size()) return visit(lists);
  for (int axis : Unused(lists)) {
    if (local[dim] % mesh_.size(axis) != 0 || local[dim] / mesh_.size(axis) % wanted[dim] != 0)
      continue;
    Lists longer = lists;
    longer[dim].push_back(axis);
    Assign(longer, dim, wanted, visit);
  }
}

}  // namespace metadist
