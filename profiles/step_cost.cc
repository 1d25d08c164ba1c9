// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>

#include "profiles/cost.h"
#include "profiles/factors.h"

namespace metadist {

Priced StepSeconds(const Cluster& cluster) {
  const Profile& profile = *cluster.profile;
  const int ranks = cluster.devices();
  if (!cluster.is_cpu() || ranks <= 1) return {};
  const std::string prefix = kStepSeconds;
  int nearest = 0;
  double seconds = 0;
  for (auto row = profile.factors.lower_bound(prefix);
       row != profile.factors.end() && row->first.starts_with(prefix);
       ++row) {
    const int measured = std::atoi(row->first.c_str() + prefix.size());
    if (nearest != 0 && std::abs(measured - ranks) >= std::abs(nearest - ranks)) continue;
    nearest = measured;
    seconds = row->second.value;
  }
  const Reach reach = nearest == ranks ? Reach::kExact : Reach::kTransferred;
  return MakePriced(seconds, Provenance::kMeasured, reach, 0.2);
}

}  // namespace metadist
