// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "metair/ir/shape.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"
#include "planner/redistribute/axis_list.h"

namespace metadist {

// How the mesh axes cut an array, in terms of a View. Searches hold hundreds of thousands of
// layouts, so a layout is a small plain value: the role of every axis.
class Layout {
 public:
  // Axes that cut the slot, major to minor.
  AxisList AxesOf(size_t slot) const;
  // The same for slots 0 to slots - 1.
  std::vector<AxisList> AxesOfAll(size_t slots) const;
  // Appends the axes to the slot; they must be free.
  void Append(size_t slot, const AxisList& axes);
  // Makes the axes free.
  void Free(const AxisList& axes);
  bool free(int axis) const { return seats_[static_cast<size_t>(axis)] == 0; }

  // The reduction for which an axis holds operands, if any.
  std::optional<ReduceOp> PartialOf(int axis) const;
  void AddPartial(const Partial& partial);
  // In axis order.
  std::vector<Partial> Partials() const;
  // Whether operands of some axis are held in f32 (Partial::in_f32).
  bool HoldsF32() const;

  // Number of pieces into which the axes cut slots 0 to slots - 1.
  std::vector<int64_t> Pieces(size_t slots, const Mesh& mesh) const;
  // The axes whose placement differs in `other`, a bit each.
  uint32_t ChangedIn(const Layout& other) const;

  size_t Hash() const;
  bool operator==(const Layout&) const = default;

 private:
  // Free: 0. Cutting: the highest bit, slot, and position among the slot's axes. Partial: the next
  // bit, the reduction, and a third bit if held in f32.
  static constexpr uint16_t kCuts = 0x8000;
  static constexpr uint16_t kPartial = 0x4000;
  static constexpr uint16_t kInF32 = 0x2000;
  static constexpr int kPlaceBits = 5;
  static constexpr uint16_t kPlaceMask = (1 << kPlaceBits) - 1;

  std::array<uint16_t, kMaxMeshAxes> seats_{};
};

// An array as a list of slots that axes can cut: the sub-dims of every dim, fine enough for two
// shardings at once. For a dim that is a concatenation of parts, a slot is the same sub-dim of all
// its parts, which are cut equally.
class View {
 public:
  // The coarsest view in which both shardings (valid, in normal form) are lists of axes per slot;
  // nullopt if none exists, as for [12] cut in 2 and (3 4) with 3 cut in 2.
  static std::optional<View> Common(const Shape& shape,
                                    const Sharding& a,
                                    const Sharding& b,
                                    const Mesh& mesh);

  // The sharding must be one of those for which the view was made.
  Layout LayoutOf(const Sharding& sharding) const;
  // In normal form.
  Sharding ShardingOf(const Layout& layout) const;

  size_t slots() const { return slots_.size(); }
  // Sizes of a slot: one, or one per part.
  const std::vector<int64_t>& sizes(size_t slot) const { return slots_[slot].sizes; }
  // The sizes of all slots, to distinguish views.
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
