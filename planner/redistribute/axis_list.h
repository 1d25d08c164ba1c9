// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "metair/ir/check.h"
#include "metair/spmd/mesh.h"

namespace metadist {

// At least the number of axes of any mesh, whole (ParseMesh) or split into prime factors
// (SplitMesh).
inline constexpr size_t kMaxMeshAxes = 24;

// An ordered list of distinct mesh axes, without heap allocation.
class AxisList {
 public:
  AxisList() = default;
  explicit AxisList(int axis) { Add(axis); }
  explicit AxisList(const std::vector<int>& axes) {
    for (int axis : axes) Add(axis);
  }

  // The axes whose bits are set, ascending.
  static AxisList OfMask(uint32_t mask) {
    AxisList out;
    for (int axis = 0; mask >> axis != 0; ++axis)
      if ((mask >> axis & 1) != 0) out.Add(axis);
    return out;
  }

  void Add(int axis) {
    CHECK(size_ < kMaxMeshAxes && axis >= 0 && axis < static_cast<int>(kMaxMeshAxes),
          "the mesh has too many axes");
    ids_[size_++] = static_cast<uint8_t>(axis);
  }
  // Sets the axis at a position below kMaxMeshAxes; all positions before it must be set too.
  void Put(size_t place, int axis) {
    ids_[place] = static_cast<uint8_t>(axis);
    size_ = size_ > place + 1 ? size_ : place + 1;
  }
  size_t size() const { return size_; }
  uint8_t operator[](size_t i) const { return ids_[i]; }
  bool empty() const { return size_ == 0; }
  const uint8_t* begin() const { return ids_.data(); }
  const uint8_t* end() const { return ids_.data() + size_; }
  // The axes from position `first` on.
  AxisList From(size_t first) const {
    AxisList out;
    for (size_t i = first; i < size_; ++i) out.Add(ids_[i]);
    return out;
  }
  // Number of pieces into which the axes cut.
  int64_t Pieces(const Mesh& mesh) const {
    int64_t pieces = 1;
    for (uint8_t axis : *this) pieces *= mesh.size(axis);
    return pieces;
  }
  std::vector<int> ids() const { return {begin(), end()}; }
  // A bit per axis.
  uint32_t mask() const {
    uint32_t out = 0;
    for (uint8_t axis : *this) out |= uint32_t{1} << axis;
    return out;
  }

 private:
  std::array<uint8_t, kMaxMeshAxes> ids_{};
  size_t size_ = 0;
};

}  // namespace metadist
