// SPDX-License-Identifier: Apache-2.0
#include "metair/spmd/sharding.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

namespace metadist {
namespace {

bool IsUncut(std::span<const SubDim> subs) {
  return std::ranges::all_of(subs, [](const SubDim& sub) { return sub.axes.empty(); });
}

// Appends a run, merged with the last one if they touch.
void Append(std::vector<Interval>& runs, Interval next) {
  if (next.size() == 0) return;
  if (!runs.empty() && runs.back().end == next.begin)
    runs.back().end = next.end;
  else
    runs.push_back(next);
}

// The piece with its halo, clamped to the dim unless the halo wraps around; may be empty.
Interval Widened(const Interval& piece, const Halo& halo, int64_t size) {
  const Interval wide{piece.begin - halo.before, piece.end + halo.behind};
  if (halo.course == Halo::Course::kAround) return {wide.begin, std::max(wide.begin, wide.end)};
  const int64_t begin = std::clamp<int64_t>(wide.begin, 0, size);
  return {begin, std::clamp<int64_t>(wide.end, begin, size)};
}

// The index ranges of the dim that a piece with its halo covers, in local order.
std::vector<Interval> Places(const Interval& piece, const Halo& halo, int64_t size) {
  const Interval wide = Widened(piece, halo, size);
  std::vector<Interval> runs;
  switch (halo.course) {
    case Halo::Course::kStraight:
      return {wide};
    case Halo::Course::kMirrored:
      return {{size - wide.end, size - wide.begin}};
    case Halo::Course::kAround:
      for (const int64_t start : {-size, int64_t{0}, size})
        Append(runs,
               {std::clamp<int64_t>(wide.begin - start, 0, size),
                std::clamp<int64_t>(wide.end - start, 0, size)});
  }
  return runs;
}

// The `index`-th piece of a dim that may have a halo, without the halo.
Interval PieceOf(const DimPart& part, int64_t pieces, int64_t index) {
  const SubDim& outer = part.sub[0];
  const int64_t unit = part.size() / outer.size;
  const Interval groups = Piece(outer.size, pieces, index);
  return {groups.begin * unit, groups.end * unit};
}

struct PartWalk {
  const DimPart& part;
  const Mesh& mesh;
  const std::vector<int64_t>& coordinate;
  std::vector<Interval>& runs;

  // Emits the indices of the sub-dims from `level` on, of a block of `size` that starts at
  // `offset`.
  void Visit(size_t level, int64_t offset, int64_t size) const {
    if (level == part.sub.size()) return Append(runs, {offset, offset + size});
    const SubDim& sub = part.sub[level];
    const Interval own =
        Piece(sub.size, mesh.size(sub.axes), mesh.IndexAlong(sub.axes, coordinate));
    const int64_t unit = size / sub.size;
    if (IsUncut(std::span(part.sub).subspan(level + 1)))
      return Append(runs, {offset + own.begin * unit, offset + own.end * unit});
    for (int64_t i = own.begin; i < own.end; ++i) Visit(level + 1, offset + i * unit, unit);
  }
};

DimPart NormalizePart(const DimPart& part, const Mesh& mesh) {
  DimPart out;
  for (const SubDim& sub : part.sub) {
    SubDim next = sub;
    std::erase_if(next.axes, [&](int axis) { return mesh.size(axis) == 1; });
    if (next.size == 1 && next.axes.empty()) continue;
    if (!out.sub.empty()) {
      SubDim& last = out.sub.back();
      const int64_t cuts = mesh.size(last.axes);
      // [a:x, b] is a contiguous cut of a*b if x divides a; [a:x, b:y] is a contiguous cut by x,y
      // if a = x.
      const bool joins = next.axes.empty() ? last.size % cuts == 0 : last.size == cuts;
      if (joins && (next.axes.empty() || next.size % mesh.size(next.axes) == 0)) {
        last.size *= next.size;
        last.axes.insert(last.axes.end(), next.axes.begin(), next.axes.end());
        continue;
      }
    }
    out.sub.push_back(next);
  }
  return out;
}

// Why the dim cannot have its spare element; empty if it can.
std::string WrongSpare(const DimSharding& dim) {
  if (!dim.spare) return "";
  if (dim.parts.size() != 1 || dim.parts[0].sub.size() != 1)
    return "only a dim that is cut contiguously has a spare element";
  return dim.halo.empty() ? "" : "a dim has a halo or a spare element, not both";
}

// Why the dim of `size` cannot have its halo; empty if it can.
std::string WrongHalo(const DimSharding& dim, int64_t size, const Mesh& mesh) {
  const Halo& halo = dim.halo;
  if (halo.empty()) return "";
  if (!dim.contiguous() || dim.parts[0].sub.empty())
    return "only a dim that is cut contiguously has a halo";
  const DimPart& part = dim.parts[0];
  if (part.size() == 0) return "a dim without elements has no halo";
  if (halo.of != 0 && halo.of != size) return fmt::format("its halo is of a dim of {}", halo.of);
  const int64_t pieces = mesh.size(part.sub[0].axes);
  if (halo.of != 0 && halo.of < pieces)  // nor does the dim without its halo fit
    return fmt::format("{} cannot be cut into {} pieces", halo.of, pieces);
  const int64_t least = PieceOf(part, pieces, pieces - 1).size();
  const bool only_moved = halo.before == -halo.behind;  // by any width: no piece is larger
  if (!only_moved && std::max(halo.before, halo.behind) > least)
    return fmt::format("a halo of {} and {} is wider than the smallest piece, {}",
                       halo.before,
                       halo.behind,
                       least);
  const bool around = halo.course == Halo::Course::kAround;
  if (around && halo.before == 0 && halo.behind == 0) return "a halo that goes around has a width";
  for (int64_t i = 0; i < pieces; ++i) {
    const Interval own = PieceOf(part, pieces, i);
    const bool beyond =
        (i > 0 && own.begin < halo.before) || (i + 1 < pieces && own.end + halo.behind > size);
    if (around && Widened(own, halo, size).size() > size)
      return fmt::format(
          "a halo of {} and {} meets itself around piece {}", halo.before, halo.behind, i);
    if (!around && beyond)
      return fmt::format(
          "a halo of {} and {} reaches beyond its ends from piece {}", halo.before, halo.behind, i);
    if (Widened(own, halo, size).size() == 0)
      return fmt::format(
          "a halo of {} and {} leaves nothing of piece {}", halo.before, halo.behind, i);
  }
  return "";
}

}  // namespace

std::strong_ordering SubDim::operator<=>(const SubDim&) const = default;
bool SubDim::operator==(const SubDim&) const = default;
std::strong_ordering DimPart::operator<=>(const DimPart&) const = default;
bool DimPart::operator==(const DimPart&) const = default;
std::strong_ordering DimSharding::operator<=>(const DimSharding&) const = default;
bool DimSharding::operator==(const DimSharding&) const = default;
std::strong_ordering Sharding::operator<=>(const Sharding&) const = default;
bool Sharding::operator==(const Sharding&) const = default;

std::string_view Name(ReduceOp op) {
  constexpr std::string_view kNames[] = {"sum", "prod", "max", "min", "and", "or"};
  return kNames[static_cast<size_t>(op)];
}

int64_t DimPart::size() const {
  int64_t product = 1;
  for (const SubDim& s : sub) product *= s.size;
  return product;
}

int64_t DimSharding::size() const {
  if (halo.of != 0) return halo.of;
  int64_t total = 0;
  for (const DimPart& part : parts) total += part.size();
  return total;
}

bool DimSharding::contiguous() const {
  return parts.size() == 1 && (parts[0].sub.empty() || IsUncut(std::span(parts[0].sub).subspan(1)));
}

DimSharding DimSharding::Cut(int64_t size, std::vector<int> axes) {
  if (axes.empty()) return {};
  return {{DimPart{{SubDim{size, std::move(axes)}}}}};
}

TensorType HeldType(TensorType type, const Sharding& sharding) {
  if (std::ranges::any_of(sharding.partial, [](const Partial& partial) { return partial.in_f32; }))
    type.element = ElementType::kF32;
  return type;
}

bool Sharding::replicated() const { return partial.empty() && CuttingAxes().empty(); }

bool Sharding::has_halos() const {
  return std::ranges::any_of(dims, [](const DimSharding& dim) { return !dim.halo.empty(); });
}

Sharding Sharding::WithoutHalos() const {
  Sharding out = *this;
  for (DimSharding& dim : out.dims) {
    if (dim.halo.of != 0) dim = DimSharding::Cut(dim.halo.of, dim.parts[0].sub[0].axes);
    dim.halo = {};
  }
  return out;
}

bool Sharding::has_spares() const {
  return std::ranges::any_of(dims, [](const DimSharding& dim) { return dim.spare; });
}

Sharding Sharding::WithoutSpares() const {
  Sharding out = *this;
  for (DimSharding& dim : out.dims) dim.spare = false;
  return out;
}

std::vector<int> Sharding::CuttingAxes() const {
  std::set<int> axes;
  for (const DimSharding& dim : dims)
    for (const DimPart& part : dim.parts)
      for (const SubDim& sub : part.sub) axes.insert(sub.axes.begin(), sub.axes.end());
  return {axes.begin(), axes.end()};
}

Interval Piece(int64_t size, int64_t count, int64_t index) {
  const int64_t base = size / count;
  const int64_t extra = size % count;
  const int64_t begin = index * base + std::min(index, extra);
  return {begin, begin + base + (index < extra ? 1 : 0)};
}

DimSharding Normalize(const DimSharding& dim, const Mesh& mesh) {
  std::vector<DimPart> parts;
  for (const DimPart& part : dim.parts) parts.push_back(NormalizePart(part, mesh));
  const auto uncut = [](const DimPart& part) { return IsUncut(part.sub); };
  if (std::ranges::all_of(parts, uncut)) return {};
  // Equal parts become one product with an outer sub-dim; adjacent uncut parts become one part.
  const bool all_equal =
      std::ranges::all_of(parts, [&](const DimPart& part) { return part == parts.front(); });
  if (parts.size() > 1 && all_equal) {
    DimPart product = parts.front();
    product.sub.insert(product.sub.begin(), SubDim{std::ssize(parts), {}});
    return {{NormalizePart(product, mesh)}, dim.halo, dim.spare};
  }
  DimSharding joined{{}, dim.halo, dim.spare};
  for (DimPart& part : parts) {
    if (!joined.parts.empty() && uncut(part) && uncut(joined.parts.back()))
      joined.parts.back().sub = {SubDim{joined.parts.back().size() + part.size(), {}}};
    else
      joined.parts.push_back(std::move(part));
  }
  return joined;
}

Sharding Normalize(const Sharding& sharding, const Mesh& mesh) {
  Sharding out;
  for (const DimSharding& dim : sharding.dims) out.dims.push_back(Normalize(dim, mesh));
  for (const Partial& partial : sharding.partial)
    if (mesh.size(partial.axis) > 1) out.partial.push_back(partial);
  std::ranges::sort(out.partial);
  return out;
}

std::vector<Interval> LocalIntervals(const DimSharding& dim,
                                     int64_t size,
                                     const Mesh& mesh,
                                     const std::vector<int64_t>& coordinate) {
  std::vector<Interval> runs;
  if (dim.whole()) {
    Append(runs, {0, size});
    return runs;
  }
  int64_t offset = 0;
  for (const DimPart& part : dim.parts) {
    PartWalk{part, mesh, coordinate, runs}.Visit(0, offset, part.size());
    offset += part.size();
  }
  CHECK(offset == size || dim.halo.of == size, "parts of a dim do not add up to its size");
  if (!dim.halo.empty() && !runs.empty()) {
    CHECK(runs.size() == 1, "a halo lies around one piece");
    runs = Places(runs[0], dim.halo, size);
  }
  return runs;
}

int64_t LocalSize(const DimSharding& dim,
                  int64_t size,
                  const Mesh& mesh,
                  const std::vector<int64_t>& coordinate) {
  if (dim.whole()) return size;
  if (!dim.halo.empty()) {
    int64_t held = 0;
    for (const Interval& run : LocalIntervals(dim, size, mesh, coordinate)) held += run.size();
    return held;
  }
  int64_t total = dim.spare ? 1 : 0;
  for (const DimPart& part : dim.parts) {
    int64_t product = 1;
    for (const SubDim& sub : part.sub)
      product *= Piece(sub.size, mesh.size(sub.axes), mesh.IndexAlong(sub.axes, coordinate)).size();
    total += product;
  }
  return total;
}

Shape LocalShape(const Shape& shape, const Sharding& sharding, const Mesh& mesh, int64_t rank) {
  const std::vector<int64_t> coordinate = mesh.CoordinateOf(rank);
  Shape local(shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    local[d] = LocalSize(sharding.dims[d], shape[d], mesh, coordinate);
  return local;
}

Shape LargestLocalShape(const Shape& shape, const Sharding& sharding, const Mesh& mesh) {
  Shape local = LocalShape(shape, sharding, mesh, 0);
  for (size_t d = 0; d < shape.size(); ++d) {
    const DimSharding& dim = sharding.dims[d];
    if (dim.halo.empty() || dim.whole()) continue;
    // The first piece has nothing before it; the second is as large as any piece with both sides.
    const int64_t pieces = mesh.size(dim.parts[0].sub[0].axes);
    for (int64_t piece : {int64_t{1}, pieces - 1})
      if (piece < pieces)
        local[d] = std::max(
            local[d], Widened(PieceOf(dim.parts[0], pieces, piece), dim.halo, shape[d]).size());
  }
  return local;
}

Result<void> Validate(const Sharding& sharding, const Shape& shape, const Mesh& mesh) {
  std::vector<Error> problems;
  const auto report = [&](std::string text) { problems.push_back(Usage(std::move(text))); };
  if (sharding.dims.size() != shape.size()) {
    return Usage(fmt::format(
        "a sharding of {} dims does not fit shape {}", sharding.dims.size(), ShapeText(shape)));
  }
  std::vector<int> seen(mesh.axes.size(), -1);
  // where: the dim, or -1 if the axis occurs a second time in one product.
  const auto use = [&](int axis, int where) {
    int& at = seen[static_cast<size_t>(axis)];
    if (at >= 0 && at != where)
      report(fmt::format("axis '{}' is used twice", mesh.axes[static_cast<size_t>(axis)].name));
    at = where;
  };
  for (size_t d = 0; d < shape.size(); ++d)
    for (const DimPart& part : sharding.dims[d].parts) {
      std::set<int> cutting;  // the same axes may cut every part of a dim
      for (const SubDim& sub : part.sub)
        for (int axis : sub.axes) use(axis, cutting.insert(axis).second ? static_cast<int>(d) : -1);
    }
  for (size_t i = 0; i < sharding.partial.size(); ++i)
    use(sharding.partial[i].axis, static_cast<int>(shape.size() + i));
  if (!problems.empty()) return Join(std::move(problems));
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t total = 0;
    for (const DimPart& part : sharding.dims[d].parts) {
      total += part.size();
      for (const SubDim& sub : part.sub)
        if (sub.size < mesh.size(sub.axes))
          report(fmt::format("dim {} of {}: {} cannot be cut into {} pieces",
                             d,
                             ShapeText(shape),
                             sub.size,
                             mesh.size(sub.axes)));
    }
    if (!sharding.dims[d].whole() && total != shape[d] && sharding.dims[d].halo.of == 0)
      report(fmt::format("dim {} of {}: sub-dims make {}", d, ShapeText(shape), total));
    for (const std::string& wrong :
         {WrongHalo(sharding.dims[d], shape[d], mesh), WrongSpare(sharding.dims[d])})
      if (!wrong.empty()) report(fmt::format("dim {} of {}: {}", d, ShapeText(shape), wrong));
  }
  if (!problems.empty()) return Join(std::move(problems));
  return {};
}

}  // namespace metadist
