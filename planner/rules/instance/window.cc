// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/instance/window.h"

#include <algorithm>

#include "planner/rules/factor/pieces.h"

namespace metadist {
namespace {

int64_t SizeOf(const SymbolicCut& cut, std::span<const Shape> shapes) {
  return shapes[static_cast<size_t>(cut.tensor)][static_cast<size_t>(cut.dim)];
}

Cut CutAt(const SymbolicCut& cut,
          int64_t groups,
          std::span<const int64_t> sizes,
          std::span<const Shape> shapes) {
  const SymbolicWindow& window = *cut.window;
  const int64_t size = SizeOf(cut, shapes);
  Cut out{cut.tensor, cut.dim, 1, {{groups, window.unit}}};
  out.halo.before = window.before.At(sizes);
  out.halo.behind = window.behind.At(sizes);
  out.halo.course = window.course;
  if (groups * window.unit != size) out.halo.of = size;
  return out;
}

}  // namespace

bool HasWindows(const SymbolicFactor& factor) {
  return std::ranges::any_of(factor.inputs,
                             [](const SymbolicCut& cut) { return cut.window.has_value(); });
}

std::optional<int64_t> WindowGroups(const SymbolicFactor& factor, std::span<const Shape> outputs) {
  std::optional<int64_t> groups;
  for (const SymbolicCut& cut : factor.outputs) {
    const int64_t size = SizeOf(cut, outputs);
    const int64_t own = (size + cut.window->unit - 1) / cut.window->unit;
    if (groups && *groups != own) return std::nullopt;
    groups = own;
  }
  return groups;
}

std::optional<Factor> WindowFactorAt(const SymbolicFactor& factor,
                                     std::span<const int64_t> sizes,
                                     std::span<const Shape> inputs,
                                     std::span<const Shape> outputs) {
  const std::optional<int64_t> groups = WindowGroups(factor, outputs);
  if (!groups || *groups < 1 || !IsAt(factor, sizes)) return std::nullopt;
  Factor out;
  out.name = factor.name;
  for (const SymbolicCut& cut : factor.inputs)
    out.inputs.push_back(CutAt(cut, *groups, sizes, inputs));
  for (const SymbolicCut& cut : factor.outputs)
    out.outputs.push_back(CutAt(cut, *groups, sizes, outputs));
  for (const EndLiteral& end : factor.ends) {
    LiteralCut literal{end.input, end.attribute, end.entry, {0, 0, 1, {{*groups, 1}}}};
    literal.kind = end.first ? LocalEntry::Kind::kFirstOnly : LocalEntry::Kind::kLastOnly;
    if (end.bound) {
      literal.view = out.inputs.front();
      literal.kind = LocalEntry::Kind::kBound;
    } else if (end.by_size != 0) {
      literal.view = out.inputs.front();
      literal.kind = LocalEntry::Kind::kShifted;
      literal.by_start = -end.by_size;
      literal.by_end = end.by_size;
    }
    out.literals.push_back(std::move(literal));
  }
  out.even_only = factor.even_only;
  out.least_piece = factor.least_piece;
  out.inner = factor.inner;
  out.composite = factor.composite;
  return out;
}

std::vector<int64_t> HeldOf(const Cut& cut, int64_t ranks, int64_t rank, bool halo) {
  DimSharding dim = OnOneAxis(cut);
  if (!halo) dim.halo = {.of = dim.halo.of};
  const Mesh mesh{{{"r", ranks}}};
  std::vector<int64_t> indices;
  for (const Interval& run : LocalIntervals(dim, cut.size(), mesh, {rank}))
    for (int64_t i = run.begin; i < run.end; ++i) indices.push_back(i);
  return indices;
}

DimSharding OnOneAxis(const Cut& cut) {
  const bool one_part = cut.parts.size() == 1;
  DimSharding dim;
  for (int64_t block = 0; block < (one_part ? 1 : cut.repeat); ++block)
    for (const Cut::Part& part : cut.parts) {
      DimPart& next = dim.parts.emplace_back();
      if (one_part && cut.repeat > 1) next.sub.push_back({cut.repeat, {}});
      next.sub.push_back({part.size, {0}});
      if (part.unit > 1) next.sub.push_back({part.unit, {}});
    }
  dim.halo = cut.halo;
  return dim;
}

int64_t LocalValueOf(const LiteralCut& literal, int64_t value, int64_t ranks, int64_t rank) {
  // Does not depend on the piece.
  if (literal.view.halo.course == Halo::Course::kAround) return value;
  const LocalEntry entry{OnOneAxis(literal.view), literal.kind, literal.by_start, literal.by_end};
  return LocalValue(entry, value, Mesh{{{"r", ranks}}}, {rank});
}

bool WindowsFit(const Factor& factor, int64_t ranks) {
  const Mesh mesh{{{"r", ranks}}};
  for (const std::vector<Cut>* cuts : {&factor.inputs, &factor.outputs})
    for (const Cut& cut : *cuts)
      if (!Validate(Sharding{{OnOneAxis(cut)}, {}}, {cut.size()}, mesh).ok()) return false;
  return true;
}

}  // namespace metadist
