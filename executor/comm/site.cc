// SPDX-License-Identifier: Apache-2.0
// A running kernel has a boot id and one monotonic clock, which its containers share. Containers
// with different host names count as different machines.
#include "executor/comm/site.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "executor/comm/placement.h"
#include "metair/ir/fnv.h"

namespace metadist {

Site ThisSite() {
  char name[256] = "";
  (void)gethostname(name, sizeof(name) - 1);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return {fmt::format("{}/{}", name, boot), AllowedCores()};
}

std::string SiteText(const Site& site) {
  return fmt::format("{} {}", site.machine, fmt::join(site.cores, " "));
}

Site SiteFromText(const std::string& text) {
  std::istringstream in(text);
  Site site;
  in >> site.machine;
  for (int core = 0; in >> core;) site.cores.push_back(core);
  return site;
}

Spread SpreadOf(std::span<const Site> sites) {
  struct Load {
    int ranks = 0;
    std::set<int> cores;
    int core_count() const { return std::max(1, static_cast<int>(cores.size())); }
  };
  std::map<std::string, Load> loads;
  for (const Site& site : sites) {
    Load& load = loads[site.machine];
    ++load.ranks;
    load.cores.insert(site.cores.begin(), site.cores.end());
  }
  Spread spread;
  spread.machines = static_cast<int>(loads.size());
  for (const auto& [machine, load] : loads) {
    spread.ranks = std::max(spread.ranks, load.ranks);
    spread.turns = std::max(spread.turns, (load.ranks + load.core_count() - 1) / load.core_count());
  }
  if (!sites.empty()) spread.cores = loads[sites[0].machine].core_count();
  return spread;
}

Result<void> PlaceProcess(Transport& world) {
  Fnv1a hash;
  hash.Add(ThisSite().machine);
  constexpr uint64_t kExact = (uint64_t{1} << 52) - 1;  // whole numbers of a double
  const auto mine = static_cast<double>(hash.value() & kExact);
  const std::vector<double> all = TRY(world.Collect(mine));
  const auto self = all.begin() + world.rank();
  PlaceRank(static_cast<int>(std::count(all.begin(), self, mine)),
            static_cast<int>(std::count(all.begin(), all.end(), mine)));
  return {};
}

}  // namespace metadist
