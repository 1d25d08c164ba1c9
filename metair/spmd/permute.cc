// SPDX-License-Identifier: Apache-2.0
//
// Who gives its block to whom.
//
// A block is held by as many ranks as want it: both ends cut every dim into the same number of
// pieces. So a matching exists, and any will do for what arrives; it matters that no rank sends
// twice and that data stays near. Ranks that hold what they want are matched with themselves. The
// others are matched among those that share all leading coordinates but one, then all but two, and
// so on, in rank order: leading axes lie between nodes. That is greedy, not the most pairs within
// nodes. Operands of a reduction stay apart: a block is told by the coordinates along partial axes
// too. Complexity: ranks x axes, and a lookup a rank.
#include "metair/spmd/permute.h"

#include <map>

namespace metadist {
namespace {

// The ranks that have a block to give, and those that lack it; ascending.
struct Block {
  std::vector<int64_t> givers;
  std::vector<int64_t> takers;
};

// Tells blocks apart: the index ranges of every dim, and the coordinates along partial axes.
std::vector<int64_t> KeyOf(const Sharding& sharding,
                           const Shape& shape,
                           const Mesh& mesh,
                           const std::vector<int64_t>& coordinate) {
  std::vector<int64_t> key;
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto runs = LocalIntervals(sharding.dims[d], shape[d], mesh, coordinate);
    key.push_back(static_cast<int64_t>(runs.size()));
    for (const Interval& run : runs) key.insert(key.end(), {run.begin, run.end});
  }
  for (const Partial& partial : sharding.partial)
    key.push_back(coordinate[static_cast<size_t>(partial.axis)]);
  return key;
}

// Matches ranks whose number divided by `span` is equal, and takes them off the block.
void MatchWithin(int64_t span, Block& block, std::vector<int64_t>& sources) {
  Block rest;
  size_t giver = 0;
  size_t taker = 0;
  while (giver < block.givers.size() && taker < block.takers.size()) {
    const int64_t give = block.givers[giver] / span;
    const int64_t take = block.takers[taker] / span;
    if (give == take)
      sources[static_cast<size_t>(block.takers[taker++])] = block.givers[giver++];
    else if (give < take)
      rest.givers.push_back(block.givers[giver++]);
    else
      rest.takers.push_back(block.takers[taker++]);
  }
  rest.givers.insert(
      rest.givers.end(), block.givers.begin() + static_cast<int64_t>(giver), block.givers.end());
  rest.takers.insert(
      rest.takers.end(), block.takers.begin() + static_cast<int64_t>(taker), block.takers.end());
  block = std::move(rest);
}

}  // namespace

Result<std::vector<int64_t>> PermuteSources(const CollectiveStep& step,
                                            const Shape& shape,
                                            const Mesh& mesh) {
  if (step.from.partial != step.to.partial)
    return Internal("a permute cannot change what is partial");
  std::vector<int64_t> sources(static_cast<size_t>(mesh.ranks()), -1);
  std::map<std::vector<int64_t>, Block> blocks;
  for (int64_t rank = 0; rank < mesh.ranks(); ++rank) {
    const std::vector<int64_t> coordinate = mesh.CoordinateOf(rank);
    const std::vector<int64_t> held = KeyOf(step.from, shape, mesh, coordinate);
    const std::vector<int64_t> wanted = KeyOf(step.to, shape, mesh, coordinate);
    if (held == wanted) {
      sources[static_cast<size_t>(rank)] = rank;
      continue;
    }
    blocks[held].givers.push_back(rank);
    blocks[wanted].takers.push_back(rank);
  }
  for (auto& [key, block] : blocks) {
    if (block.givers.size() != block.takers.size())
      return Internal("a permute cannot make other blocks or other numbers of them");
    int64_t span = 1;
    for (size_t axis = mesh.axes.size(); axis-- > 0;) {
      span *= mesh.axes[axis].size;
      MatchWithin(span, block, sources);
    }
  }
  return sources;
}

}  // namespace metadist
