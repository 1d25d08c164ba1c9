// SPDX-License-Identifier: Apache-2.0
// Two shardings may see one dim as different products: 24 cut contiguously, and (3 8) with 8 cut.
// Moves of whole axes need a common form, so both are written on the common refinement: the product
// with the boundaries of both. Boundaries are suffix products (the element stride at which a
// sub-dim begins); a common refinement exists if, sorted, each divides the next. An axis list of a
// coarse sub-dim is distributed over its refined sub-dims from the major end: an axis whose size
// divides the rest of a sub-dim cuts it, and a fully cut sub-dim passes on to the next. If an axis
// fits nowhere (12 cut in 2, seen as (3 4)), there is no common view and the caller falls back.
#include "planner/redistribute/view.h"

#include <algorithm>
#include <set>

#include "metair/ir/check.h"

namespace metadist {
namespace {

// Element stride of each sub-dim, and the whole size.
std::set<int64_t> Boundaries(const DimPart& part) {
  std::set<int64_t> out{1};
  int64_t stride = 1;
  for (size_t i = part.sub.size(); i-- > 0;) out.insert(stride *= part.sub[i].size);
  return out;
}

std::optional<DimPart> Refine(const DimPart& a, const DimPart& b) {
  std::set<int64_t> all = Boundaries(a);
  all.merge(Boundaries(b));
  DimPart out;
  int64_t last = 1;
  for (int64_t boundary : all) {
    if (boundary % last != 0) return std::nullopt;
    if (boundary > last) out.sub.insert(out.sub.begin(), SubDim{boundary / last, {}});
    last = boundary;
  }
  return out;
}

// Axes of one part, by refined sub-dim.
std::optional<std::vector<std::vector<int>>> AxesByRefined(const DimPart& part,
                                                           const DimPart& refined,
                                                           const Mesh& mesh) {
  std::vector<std::vector<int>> out(refined.sub.size());
  size_t next = 0;
  for (const SubDim& sub : part.sub) {
    const size_t begin = next;
    for (int64_t covered = 1; covered < sub.size; ++next) covered *= refined.sub[next].size;
    if (sub.axes.empty()) continue;
    if (next == begin + 1) {
      out[begin] = sub.axes;
      continue;
    }
    size_t at = begin;
    int64_t left = refined.sub[at].size;
    for (int axis : sub.axes) {
      while (left == 1 && at + 1 < next) left = refined.sub[++at].size;
      if (left % mesh.size(axis) != 0) return std::nullopt;
      left /= mesh.size(axis);
      out[at].push_back(axis);
    }
  }
  return out;
}

// The parts without axes.
std::vector<DimPart> Bare(std::vector<DimPart> parts) {
  for (DimPart& part : parts)
    for (SubDim& sub : part.sub) sub.axes.clear();
  return parts;
}

// The parts of a dim as both shardings see it; nullopt if they differ beyond refinement.
std::optional<std::vector<DimPart>> CommonParts(int64_t size,
                                                const DimSharding& a,
                                                const DimSharding& b) {
  const DimPart whole{{SubDim{size, {}}}};
  if (a.parts.size() <= 1 && b.parts.size() <= 1) {
    if (size == 0) return std::vector<DimPart>{whole};
    auto refined = Refine(a.whole() ? whole : a.parts[0], b.whole() ? whole : b.parts[0]);
    if (!refined) return std::nullopt;
    if (refined->sub.empty()) refined->sub.push_back(SubDim{size, {}});
    return std::vector<DimPart>{*refined};
  }
  const DimSharding& concatenated = a.parts.size() > 1 ? a : b;
  const DimSharding& other = a.parts.size() > 1 ? b : a;
  std::vector<DimPart> parts = Bare(concatenated.parts);
  if (!other.whole() && Bare(other.parts) != parts) return std::nullopt;
  for (const DimPart& part : parts)
    if (part.sub.size() != parts[0].sub.size()) return std::nullopt;
  return parts;
}

}  // namespace

AxisList Layout::AxesOf(size_t slot) const {
  AxisList out;
  const auto wanted = static_cast<uint16_t>(kCuts | slot << kPlaceBits);
  for (size_t a = 0; a < seats_.size(); ++a)
    if ((seats_[a] & ~kPlaceMask) == wanted) out.Put(seats_[a] & kPlaceMask, static_cast<int>(a));
  return out;
}

std::vector<AxisList> Layout::AxesOfAll(size_t slots) const {
  std::vector<AxisList> out(slots);
  for (size_t a = 0; a < seats_.size(); ++a) {
    if ((seats_[a] & kCuts) == 0) continue;
    const size_t slot = (seats_[a] & ~kCuts) >> kPlaceBits;
    out[slot].Put(seats_[a] & kPlaceMask, static_cast<int>(a));
  }
  return out;
}

void Layout::Append(size_t slot, const AxisList& axes) {
  CHECK(slot < size_t{kPartial} >> kPlaceBits, "an array has too many dims");
  size_t place = AxesOf(slot).size();
  for (uint8_t axis : axes) {
    CHECK(free(axis), "an axis is used twice");
    seats_[axis] = static_cast<uint16_t>(kCuts | slot << kPlaceBits | place++);
  }
}

void Layout::Free(const AxisList& axes) {
  for (uint8_t axis : axes) seats_[axis] = 0;
}

std::optional<ReduceOp> Layout::PartialOf(int axis) const {
  const uint16_t seat = seats_[static_cast<size_t>(axis)];
  if ((seat & kCuts) != 0 || seat == 0) return std::nullopt;
  return static_cast<ReduceOp>(seat & ~(kPartial | kInF32));
}

void Layout::AddPartial(const Partial& partial) {
  CHECK(free(partial.axis), "an axis is used twice");
  seats_[static_cast<size_t>(partial.axis)] = static_cast<uint16_t>(
      kPartial | (partial.in_f32 ? kInF32 : 0) | static_cast<uint16_t>(partial.op));
}

std::vector<Partial> Layout::Partials() const {
  std::vector<Partial> out;
  for (size_t a = 0; a < seats_.size(); ++a)
    if (const auto op = PartialOf(static_cast<int>(a)))
      out.push_back({static_cast<int>(a), *op, (seats_[a] & kInF32) != 0});
  return out;
}

bool Layout::HoldsF32() const {
  return std::any_of(seats_.begin(), seats_.end(), [](uint16_t seat) {
    return (seat & kCuts) == 0 && (seat & kInF32) != 0;
  });
}

std::vector<int64_t> Layout::Pieces(size_t slots, const Mesh& mesh) const {
  std::vector<int64_t> out(slots, 1);
  for (size_t a = 0; a < mesh.axes.size(); ++a)
    if ((seats_[a] & kCuts) != 0) out[(seats_[a] & ~kCuts) >> kPlaceBits] *= mesh.axes[a].size;
  return out;
}

uint32_t Layout::ChangedIn(const Layout& other) const {
  uint32_t changed = 0;
  for (size_t a = 0; a < seats_.size(); ++a)
    changed |= static_cast<uint32_t>(seats_[a] != other.seats_[a]) << a;
  return changed;
}

size_t Layout::Hash() const {
  uint64_t hash = 0;
  for (size_t i = 0; i < seats_.size(); i += 4) {
    uint64_t word = 0;
    for (size_t j = 0; j < 4; ++j) word = word << 16 | seats_[i + j];
    hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29;
  }
  return hash;
}

std::optional<std::vector<std::vector<int>>> View::PlaceDim(size_t dim,
                                                            const DimSharding& from) const {
  const std::vector<DimPart>& parts = dims_[dim];
  if (from.whole()) return std::vector<std::vector<int>>(parts[0].sub.size());
  if (parts.size() == 1) return AxesByRefined(from.parts[0], parts[0], *mesh_);
  std::vector<std::vector<int>> out;
  for (const SubDim& sub : from.parts[0].sub) out.push_back(sub.axes);
  for (const DimPart& part : from.parts)
    for (size_t i = 0; i < part.sub.size(); ++i)
      if (part.sub[i].axes != out[i]) return std::nullopt;
  return out;
}

std::optional<View> View::Common(const Shape& shape,
                                 const Sharding& a,
                                 const Sharding& b,
                                 const Mesh& mesh) {
  View view(mesh);
  for (size_t d = 0; d < shape.size(); ++d) {
    auto parts = CommonParts(shape[d], a.dims[d], b.dims[d]);
    if (!parts) return std::nullopt;
    view.dims_.push_back(std::move(*parts));
    for (size_t s = 0; s < view.dims_[d][0].sub.size(); ++s) {
      Slot slot{d, s, {}};
      for (const DimPart& part : view.dims_[d]) slot.sizes.push_back(part.sub[s].size);
      view.slots_.push_back(std::move(slot));
    }
    if (!view.PlaceDim(d, a.dims[d]) || !view.PlaceDim(d, b.dims[d])) return std::nullopt;
  }
  return view;
}

Layout View::LayoutOf(const Sharding& sharding) const {
  Layout layout;
  for (const Partial& partial : sharding.partial) layout.AddPartial(partial);
  size_t slot = 0;
  for (size_t d = 0; d < dims_.size(); ++d) {
    const auto placed = PlaceDim(d, sharding.dims[d]);
    CHECK(placed.has_value(), "the view was made for another sharding");
    for (const std::vector<int>& axes : *placed) layout.Append(slot++, AxisList(axes));
  }
  return layout;
}

Sharding View::ShardingOf(const Layout& layout) const {
  Sharding out = Sharding::Replicated(dims_.size());
  out.partial = layout.Partials();
  for (size_t i = 0; i < slots_.size(); ++i) {
    const AxisList axes = layout.AxesOf(i);
    if (axes.empty()) continue;
    DimSharding& dim = out.dims[slots_[i].dim];
    if (dim.whole()) dim.parts = dims_[slots_[i].dim];
    for (DimPart& part : dim.parts) part.sub[slots_[i].sub].axes = axes.ids();
  }
  return Normalize(out, *mesh_);
}

std::vector<std::vector<int64_t>> View::signature() const {
  std::vector<std::vector<int64_t>> out;
  for (const Slot& slot : slots_) {
    out.push_back({static_cast<int64_t>(slot.dim)});
    out.back().insert(out.back().end(), slot.sizes.begin(), slot.sizes.end());
  }
  return out;
}

int64_t View::LargestElements(const Layout& layout) const {
  const std::vector<int64_t> pieces = layout.Pieces(slots_.size(), *mesh_);
  int64_t elements = 1;
  size_t slot = 0;
  for (const std::vector<DimPart>& parts : dims_) {
    int64_t dim = 0;
    for (const DimPart& part : parts) {
      int64_t product = 1;
      for (size_t s = 0; s < part.sub.size(); ++s)
        product *= (part.sub[s].size + pieces[slot + s] - 1) / pieces[slot + s];
      dim += product;
    }
    slot += parts[0].sub.size();
    elements *= dim;
  }
  return elements;
}

}  // namespace metadist
