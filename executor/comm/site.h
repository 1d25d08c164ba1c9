// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "executor/comm/transport.h"

namespace metadist {

// Where a rank runs.
struct Site {
  std::string machine;     // equal for ranks that share cores and a clock
  std::vector<int> cores;  // available to the process, ascending
};
Site ThisSite();

std::string SiteText(const Site& site);
Site SiteFromText(const std::string& text);

// How ranks share machines.
struct Spread {
  int machines = 0;
  int ranks = 0;  // on the fullest machine
  int cores = 0;  // available to the ranks on the machine of the first rank
  int turns = 0;  // ranks per core where cores are shared most
};
Spread SpreadOf(std::span<const Site> sites);

// Calls PlaceRank among the ranks of `world` on the same machine. Collective. Errors: kDevice.
Result<void> PlaceProcess(Transport& world);

}  // namespace metadist
