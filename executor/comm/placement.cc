// SPDX-License-Identifier: Apache-2.0
//
// Problem: a rank that waits sleeps, and is woken on whatever core looks idle at that moment. With
// four ranks on two cores three of them soon share one, and a step takes three turns instead of
// two, until the scheduler evens them out milliseconds later. Fixed cores make the number of turns
// what it should be, and a wake-up on the same core is a plain switch of threads. As many ranks as
// cores need it too: two that talk to each other are drawn to one core, and take twice the time.
// Fewer ranks than cores stay free, so that programs side by side do not fight for the first cores.
#include "executor/comm/placement.h"

#include <sched.h>

#include <vector>

namespace metadist {

void PlaceRank(int rank, int ranks) {
  // As the first rank found it: a later one may have been started by one that is bound already.
  static const cpu_set_t allowed = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set);
    return set;
  }();
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  if (cores.empty() || ranks < static_cast<int>(cores.size())) return;
  cpu_set_t mine;
  CPU_ZERO(&mine);
  CPU_SET(cores[static_cast<size_t>(rank) % cores.size()], &mine);
  sched_setaffinity(0, sizeof(mine), &mine);
}

}  // namespace metadist
