// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/baselines/move_costs.h"

#include "metair/ir/check.h"

namespace metadist {

double ElementCosts::Of(CollectiveKind kind, const AxisList& axes, int64_t before, int64_t after) {
  const double group = static_cast<double>(axes.Pieces(mesh_));
  const double held = scale_ * static_cast<double>(before);
  switch (kind) {
    case CollectiveKind::kSlice:
    case CollectiveKind::kPartial:
      return 0;
    case CollectiveKind::kAllGather:
      return scale_ * static_cast<double>(after - before);
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kReduceScatter:
      return held - held / group;
    case CollectiveKind::kAllReduce:
      return 2 * (held - held / group);
    case CollectiveKind::kPermute:
      return held;
    case CollectiveKind::kExchange:
    case CollectiveKind::kHalo:
    case CollectiveKind::kSpare:
      break;
  }
  CHECK(false, "an exchange is no move");
}

double SecondCosts::Of(CollectiveKind kind, const AxisList& axes, int64_t before, int64_t after) {
  const int64_t item = ByteSize(element_);
  return pricer_.Price(kind, axes, before * item, after * item, element_).seconds;
}

double SecondCosts::Permute(int64_t elements) {
  AxisList all;
  for (size_t a = 0; a < mesh_.axes.size(); ++a)
    if (mesh_.axes[a].size > 1) all.Add(static_cast<int>(a));
  const int64_t bytes = elements * ByteSize(element_);
  return pricer_.Price(CollectiveKind::kPermute, all, bytes, bytes, element_).seconds;
}

}  // namespace metadist
