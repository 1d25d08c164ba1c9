// SPDX-License-Identifier: Apache-2.0
// The traffic of a point-to-point exchange.
//
// Problem: every pair of ranks of every group must be examined, and planning for dozens of ranks
// prices hundreds of thousands of exchanges.
//
// The number of elements that two ranks have in common is a product of one number per dim, or per
// sub-dim if both sides see the dim as the same product. A sub-dim cut in p pieces before and q
// after, both dividing it, consists of lcm(p, q) blocks, each of which moves as a whole: it counts
// like a sub-dim of size lcm(p, q), times the size of a block. So the count depends only on the
// multiset of such factors and on the group, not on the sizes and the order of dims, and few are
// distinct. Each is counted once, with one table per factor of the overlap of each piece before and
// each piece after: ranks x group size x factors.
#include "planner/redistribute/inflow.h"

#include <algorithm>
#include <compare>
#include <numeric>

#include "metair/ir/check.h"
#include "metair/spmd/common_indices.h"

namespace metadist {
namespace {

// One independent coordinate of the array.
struct Coordinate {
  int64_t size = 1;
  DimSharding from, to;
  auto operator<=>(const Coordinate&) const = default;
};

// The array as the coordinates that some axis cuts on either side, in a canonical order, and the
// number of elements at each position of these coordinates.
class Coordinates {
 public:
  Coordinates(const Shape& shape, const Sharding& from, const Sharding& to, const Mesh& mesh)
      : mesh_(mesh) {
    for (size_t d = 0; d < shape.size(); ++d) AddDim(shape[d], from.dims[d], to.dims[d]);
    std::sort(cut_.begin(), cut_.end());
  }

  int64_t block() const { return block_; }
  const std::vector<Coordinate>& cut() const { return cut_; }

  // Equal only for equal coordinates.
  std::vector<int64_t> Key(const std::vector<int>& axes) const {
    std::vector<int64_t> key(axes.begin(), axes.end());
    for (const Coordinate& c : cut_) {
      key.push_back(-1);
      key.push_back(c.size);
      AddTo(key, c.from);
      AddTo(key, c.to);
    }
    return key;
  }

 private:
  static void AddTo(std::vector<int64_t>& key, const DimSharding& dim) {
    key.push_back(static_cast<int64_t>(dim.parts.size()));
    for (const DimPart& part : dim.parts) {
      key.push_back(static_cast<int64_t>(part.sub.size()));
      for (const SubDim& sub : part.sub) {
        key.push_back(sub.size);
        key.push_back(static_cast<int64_t>(sub.axes.size()));
        key.insert(key.end(), sub.axes.begin(), sub.axes.end());
      }
    }
  }

  void AddDim(int64_t size, const DimSharding& from, const DimSharding& to) {
    if (from.whole() && to.whole()) {
      block_ *= size;
      return;
    }
    const DimSharding& seen = from.whole() ? to : from;
    if (from.parts.size() > 1 || to.parts.size() > 1 || !SameProduct(from, to)) {
      cut_.push_back({size, from, to});
      return;
    }
    const std::vector<int> none;
    for (size_t i = 0; i < seen.parts[0].sub.size(); ++i)
      AddSub(seen.parts[0].sub[i].size,
             from.whole() ? none : from.parts[0].sub[i].axes,
             to.whole() ? none : to.parts[0].sub[i].axes);
  }

  static bool SameProduct(const DimSharding& a, const DimSharding& b) {
    if (a.whole() || b.whole()) return true;
    return std::ranges::equal(a.parts[0].sub, b.parts[0].sub, {}, &SubDim::size, &SubDim::size);
  }

  void AddSub(int64_t size, const std::vector<int>& before, const std::vector<int>& after) {
    const int64_t blocks = std::lcm(mesh_.size(before), mesh_.size(after));
    CHECK(blocks > 0, "every mesh axis has ranks");
    if (size % blocks == 0) {
      block_ *= size / blocks;
      size = blocks;
    }
    if (before.empty() && after.empty()) return;
    cut_.push_back({size, DimSharding::Cut(size, before), DimSharding::Cut(size, after)});
  }

  const Mesh& mesh_;
  int64_t block_ = 1;
  std::vector<Coordinate> cut_;
};

// The distinct pieces of one coordinate, and the piece that each rank holds.
struct Pieces {
  Pieces(const DimSharding& dim, const Mesh& mesh) {
    const std::vector<int> axes = Sharding{{dim}, {}}.CuttingAxes();
    for (int64_t rank : mesh.Group(axes, 0)) places.push_back(mesh.CoordinateOf(rank));
    for (int64_t rank = 0; rank < mesh.ranks(); ++rank)
      of_rank.push_back(static_cast<size_t>(mesh.IndexAlong(axes, mesh.CoordinateOf(rank))));
  }

  std::vector<std::vector<int64_t>> places;  // by piece: the coordinate of a rank that holds it
  std::vector<size_t> of_rank;
};

// The overlap of the pieces of a coordinate.
struct Overlap {
  Overlap(const Coordinate& c, const Mesh& mesh) : from(c.from, mesh), to(c.to, mesh) {
    for (const std::vector<int64_t>& held : from.places)
      for (const std::vector<int64_t>& asked : to.places)
        common.push_back(CommonIndices(c.from, held, c.to, asked, c.size, mesh));
    for (const std::vector<int64_t>& asked : to.places)
      wanted.push_back(CommonIndices(c.to, asked, c.to, asked, c.size, mesh));
  }

  Pieces from, to;
  std::vector<int64_t> common;  // [piece before][piece after]
  std::vector<int64_t> wanted;  // by piece after
};

int64_t Common(const std::vector<Overlap>& overlaps, int64_t source, int64_t target) {
  int64_t elements = 1;
  for (const Overlap& o : overlaps)
    elements *= o.common[o.from.of_rank[static_cast<size_t>(source)] * o.to.places.size() +
                         o.to.of_rank[static_cast<size_t>(target)]];
  return elements;
}

Inflow Count(const std::vector<Overlap>& overlaps,
             const Mesh& mesh,
             const std::vector<int>& axes,
             int64_t ranks) {
  const std::vector<int64_t> offsets = mesh.Group(axes, 0);
  Inflow worst;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    std::vector<int64_t> first = mesh.CoordinateOf(rank);
    for (int axis : axes) first[static_cast<size_t>(axis)] = 0;
    const int64_t base = mesh.RankOf(first);
    int64_t wanted = 1;
    for (const Overlap& o : overlaps) wanted *= o.wanted[o.to.of_rank[static_cast<size_t>(rank)]];
    Inflow inflow{0, wanted - Common(overlaps, rank, rank)};
    int64_t missing = inflow.elements;
    for (int64_t offset : offsets) {
      if (missing <= 0) break;
      if (base + offset == rank) continue;
      const int64_t common = Common(overlaps, base + offset, rank);
      if (common == 0) continue;
      ++inflow.peers;
      missing -= common;
    }
    worst.peers = std::max(worst.peers, inflow.peers);
    worst.elements = std::max(worst.elements, inflow.elements);
  }
  return worst;
}

}  // namespace

size_t ExchangeTraffic::Words::operator()(const std::vector<int64_t>& words) const {
  uint64_t hash = words.size();
  for (int64_t word : words) {
    hash ^= static_cast<uint64_t>(word) + 0x9e3779b97f4a7c15U + (hash << 6) + (hash >> 2);
    hash *= 0xff51afd7ed558ccdU;
  }
  return hash;
}

Inflow ExchangeTraffic::Worst(const Shape& shape,
                              const Sharding& from,
                              const Sharding& to,
                              const std::vector<int>& axes) {
  const Coordinates coordinates(shape, from, to, mesh_);
  if (coordinates.block() == 0) return {};
  const auto [at, added] = known_.try_emplace(coordinates.Key(axes));
  if (added) {
    std::vector<Overlap> overlaps;
    for (const Coordinate& c : coordinates.cut()) overlaps.emplace_back(c, mesh_);
    at->second = Count(overlaps, mesh_, axes, std::min(mesh_.ranks(), ranks_));
  }
  return {at->second.peers, at->second.elements * coordinates.block()};
}

}  // namespace metadist
