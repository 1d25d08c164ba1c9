// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace metadist {

// The cores available to this process before any rank was bound, ascending.
std::vector<int> AllowedCores();

// Binds the calling thread, rank `rank` of `ranks`, to one core if there are at least as many ranks
// as cores available to this process. Cores are assigned round robin, so the numbers of ranks on
// any two cores differ by at most one. With fewer ranks, or if the system refuses, the thread is
// not bound.
void PlaceRank(int rank, int ranks);

}  // namespace metadist
