// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace metadist {

// Keeps the calling thread, rank `rank` of `ranks`, on one core where there are at least as many
// ranks as cores that this process may use: cores in turn, so that none holds two ranks more than
// another. Elsewhere, and where the system refuses, threads stay free.
void PlaceRank(int rank, int ranks);

}  // namespace metadist
