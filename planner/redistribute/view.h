// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "metair/ir/shape.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// Where the mesh axes cut an array seen through a View.
struct Layout {
  std::vector<std::vector<int>> slots;  // per slot of the view: axes, major to minor
  std::vector<Partial> partial;         // in axis order
  auto operator<=>(const Layout&) const = default;
};

// An array seen as a list of slots that axes can cut: the sub-dims of every dim, fine enough for
// two shardings at once. Slots of a dim that is a concatenation of parts stand for the same sub-dim
// of all its parts, which are then cut alike.
class View {
 public:
  // The coarsest view in which both shardings (valid, in normal form) are lists of axes per slot;
  // nullopt where none exists, as for [12] cut in 2 against (3 4) with 3 cut in 2.
  static std::optional<View> Common(const Shape& shape,
                                    const Sharding& a,
                                    const Sharding& b,
                                    const Mesh& mesh);

  // The sharding must be one of those the view was made for.
  Layout LayoutOf(const Sharding& sharding) const;
  // In normal form.
  Sharding ShardingOf(const Layout& layout) const;

  size_t slots() const { return slots_.size(); }
  // Sizes that a slot stands for: one, or one a part.
  const std::vector<int64_t>& sizes(size_t slot) const { return slots_[slot].sizes; }
  // The sizes of all slots, to tell views apart.
  std::vector<std::vector<int64_t>> signature() const;
  // Elements that rank 0 holds.
  int64_t LargestElements(const Layout& layout) const;

 private:
  struct Slot {
    size_t dim = 0;
    size_t sub = 0;
    std::vector<int64_t> sizes;
  };

  explicit View(const Mesh& mesh) : mesh_(&mesh) {}
  std::optional<std::vector<std::vector<int>>> PlaceDim(size_t dim, const DimSharding& from) const;

  const Mesh* mesh_;
  std::vector<std::vector<DimPart>> dims_;  // without axes; empty: never cut
  std::vector<Slot> slots_;
};

}  // namespace metadist
