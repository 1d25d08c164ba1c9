// SPDX-License-Identifier: Apache-2.0
//
// Which rank sends its block to which.
//
// As many ranks hold a block as need it, because both shardings cut every dim into the same number
// of pieces. So a one-to-one matching exists, and any matching delivers the right data. The choice
// keeps data near: ranks that hold what they need are matched with themselves; the others are
// matched first among ranks that share all coordinates but the last, then all but the last two, and
// so on, in rank order, since leading axes run between nodes. This is greedy and need not maximise
// the number of pairs within a node. Operands of a reduction must stay distinct, so a block is
// identified by its coordinates along partial axes as well. Complexity: ranks x axes, plus one
// lookup per rank.
#include "metair/spmd/permute.h"

#include <map>

namespace metadist {
namespace {

// The ranks that hold a block others need, and the ranks that need it; ascending.
struct Block {
  std::vector<int64_t> givers;
  std::vector<int64_t> takers;
};

// Identifies a block: the index ranges in every dim, and the coordinates along partial axes.
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

// Matches ranks with the same quotient by `span`, and removes them from the block.
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
