// SPDX-License-Identifier: Apache-2.0
// Moves an array from the ranks of one mesh to those of another. The axes that cut the source
// divide it into disjoint pieces, each held by as many ranks as the other axes have coordinates. A
// reader intersects every piece with the part it needs, as in transfer.cc, and reads it from one of
// the holders, chosen by the reader's own rank so that readers are spread evenly.
#include <algorithm>
#include <set>

#include "executor/comm/pull_copies.h"
#include "executor/comm/transfer.h"

namespace metadist {
namespace {

// The ranks of the mesh that hold each piece; they differ only along axes that do not cut it.
std::vector<std::vector<int64_t>> HoldersByPiece(const ChannelEnd& from) {
  std::vector<int> others;
  const std::vector<int> cutting = from.sharding->CuttingAxes();
  for (int axis = 0; axis < static_cast<int>(from.mesh->axes.size()); ++axis)
    if (std::find(cutting.begin(), cutting.end(), axis) == cutting.end()) others.push_back(axis);
  std::vector<std::vector<int64_t>> pieces;
  std::set<int64_t> seen;
  for (int64_t rank = 0; rank < from.mesh->ranks(); ++rank) {
    if (seen.contains(rank)) continue;
    pieces.push_back(from.mesh->Group(others, rank));
    seen.insert(pieces.back().begin(), pieces.back().end());
  }
  return pieces;
}

// The holder that a reader reads from: itself, if it is one.
int64_t HolderFor(int64_t reader,
                  int64_t place,
                  const std::vector<int64_t>& holders,
                  const ChannelEnd& from) {
  for (int64_t holder : holders)
    if ((*from.ranks)[static_cast<size_t>(holder)] == reader) return holder;
  return holders[static_cast<size_t>(place) % holders.size()];
}

}  // namespace

std::vector<Transfer> PlanChannel(const TensorType& type,
                                  const ChannelEnd& from,
                                  const ChannelEnd& to,
                                  int64_t world) {
  CHECK(from.sharding->partial.empty() && to.sharding->partial.empty(),
        "a channel reduces nothing");
  std::set<int64_t> both(from.ranks->begin(), from.ranks->end());
  both.insert(to.ranks->begin(), to.ranks->end());
  std::vector<Transfer> transfers(static_cast<size_t>(world));
  for (int64_t rank = 0; rank < world; ++rank) {
    Transfer& transfer = transfers[static_cast<size_t>(rank)];
    transfer.element = transfer.made = type.element;
    transfer.group = {rank};
    if (both.contains(rank)) transfer.group.assign(both.begin(), both.end());
  }
  const std::vector<std::vector<int64_t>> pieces = HoldersByPiece(from);
  for (int64_t place = 0; place < to.mesh->ranks(); ++place) {
    const int64_t reader = (*to.ranks)[static_cast<size_t>(place)];
    Transfer& transfer = transfers[static_cast<size_t>(reader)];
    transfer.elements = NumElements(LocalShape(type.shape, *to.sharding, *to.mesh, place));
    for (const std::vector<int64_t>& holders : pieces) {
      const int64_t holder = HolderFor(reader, place, holders, from);
      auto pull =
          Overlap(type.shape, {from.sharding, from.mesh, holder}, {to.sharding, to.mesh, place});
      if (!pull) continue;
      pull->sources = {(*from.ranks)[static_cast<size_t>(holder)]};
      pull->copies = CopiesOf(*pull, type.element);
      transfer.pulls.push_back(std::move(*pull));
    }
  }
  return transfers;
}

}  // namespace metadist
