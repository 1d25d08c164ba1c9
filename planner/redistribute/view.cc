// SPDX-License-Identifier: Apache-2.0
// Two shardings may see one dim as different products: 24 cut contiguously and (3 8) with 8 cut.
// Moves of whole axes need one vocabulary, so both are written on the common refinement: the
// product whose boundaries are those of either. Boundaries are suffix products (the element stride
// at which a sub-dim begins); a common refinement exists if, sorted, each divides the next. An axis
// list of a coarse sub-dim is dealt out to its refined pieces from the major end: an axis that
// divides what is left of a piece cuts that piece, a fully cut piece passes on to the next. Where
// it fits nowhere (12 cut in 2, seen as (3 4)), there is no common view and the caller falls back.
#include "planner/redistribute/view.h"

#include <algorithm>
#include <set>

namespace metadist {
namespace {

// Elements between neighbours of each sub-dim, outermost first, preceded by the whole size.
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

// Axes of one part dealt out to the refined sub-dims.
std::optional<std::vector<std::vector<int>>> Deal(const DimPart& part,
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

DimPart Bare(DimPart part) {
  for (SubDim& sub : part.sub) sub.axes.clear();
  return part;
}

std::vector<DimPart> Bare(const DimSharding& dim) {
  std::vector<DimPart> out;
  for (const DimPart& part : dim.parts) out.push_back(Bare(part));
  return out;
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
  std::vector<DimPart> parts = Bare(concatenated);
  if (!other.whole() && Bare(other) != parts) return std::nullopt;
  for (const DimPart& part : parts)
    if (part.sub.size() != parts[0].sub.size()) return std::nullopt;
  return parts;
}

}  // namespace

std::optional<std::vector<std::vector<int>>> View::PlaceDim(size_t dim,
                                                            const DimSharding& from) const {
  const std::vector<DimPart>& parts = dims_[dim];
  if (from.whole()) return std::vector<std::vector<int>>(parts[0].sub.size());
  if (parts.size() == 1) return Deal(from.parts[0], parts[0], *mesh_);
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
  layout.partial = sharding.partial;
  for (size_t d = 0; d < dims_.size(); ++d) {
    auto placed = PlaceDim(d, sharding.dims[d]);
    CHECK(placed.has_value(), "the view was made for another sharding");
    for (std::vector<int>& axes : *placed) layout.slots.push_back(std::move(axes));
  }
  return layout;
}

Sharding View::ShardingOf(const Layout& layout) const {
  Sharding out = Sharding::Replicated(dims_.size());
  out.partial = layout.partial;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (layout.slots[i].empty()) continue;
    DimSharding& dim = out.dims[slots_[i].dim];
    if (dim.whole()) dim.parts = dims_[slots_[i].dim];
    for (DimPart& part : dim.parts) part.sub[slots_[i].sub].axes = layout.slots[i];
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
  int64_t elements = 1;
  size_t slot = 0;
  for (const std::vector<DimPart>& parts : dims_) {
    int64_t dim = 0;
    for (const DimPart& part : parts) {
      int64_t product = 1;
      for (size_t s = 0; s < part.sub.size(); ++s)
        product *= Piece(part.sub[s].size, mesh_->size(layout.slots[slot + s]), 0).size();
      dim += product;
    }
    slot += parts[0].sub.size();
    elements *= dim;
  }
  return elements;
}

}  // namespace metadist
