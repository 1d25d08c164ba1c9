// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "executor/comm/transport.h"

namespace metadist {

// Where a rank runs.
struct Site {
  std::string machine;     // the same where ranks share cores and the clock
  std::vector<int> cores;  // that the process may use, ascending
};
Site ThisSite();

std::string SiteText(const Site& site);
Site SiteFromText(const std::string& text);

// How ranks share machines.
struct Spread {
  int machines = 0;
  int ranks = 0;  // on the fullest machine
  int cores = 0;  // of the machine of the first rank, that its ranks may use
  int turns = 0;  // most ranks that share a core
};
Spread SpreadOf(std::span<const Site> sites);

// PlaceRank among the ranks of one machine. Collective.
Result<void> PlaceProcess(Transport& world);

}  // namespace metadist
