// SPDX-License-Identifier: Apache-2.0
//
// Problem: a waiting rank sleeps, and is woken on whichever core looks idle at that moment. With
// four ranks on two cores, three of them soon share one core, and a step takes three turns instead
// of two until the scheduler rebalances milliseconds later. On fixed cores the number of turns is
// the expected one, and waking a rank on the same core is a plain context switch. With as many
// ranks as cores this is needed as well: two ranks that communicate are pulled onto one core, and
// take twice as long. With fewer ranks than cores, threads are not bound, so that concurrent
// programs do not compete for the first cores.
#include "executor/comm/placement.h"

#include <sched.h>

namespace metadist {

std::vector<int> AllowedCores() {
  // Read once, by the first rank: the thread that starts a later rank may already be bound.
  static const cpu_set_t allowed = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set);
    return set;
  }();
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  return cores;
}

void PlaceRank(int rank, int ranks) {
  const std::vector<int> cores = AllowedCores();
  if (cores.empty() || ranks < static_cast<int>(cores.size())) return;
  cpu_set_t mine;
  CPU_ZERO(&mine);
  CPU_SET(cores[static_cast<size_t>(rank) % cores.size()], &mine);
  sched_setaffinity(0, sizeof(mine), &mine);
}

}  // namespace metadist
