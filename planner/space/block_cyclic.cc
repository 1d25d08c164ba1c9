// SPDX-License-Identifier: Apache-2.0
#include "planner/space/block_cyclic.h"

#include <algorithm>
#include <utility>

namespace metadist {
namespace {

// If the ranks share the bundles evenly, the layout equals that of the single items.
BlockCyclic Canonical(BlockCyclic layout, int64_t ranks) {
  for (Cut::Part& part : layout.parts)
    if (part.size % ranks == 0) part = {part.size * part.unit, 1};
  const Cut::Part first = layout.parts[0];
  if (layout.parts.size() > 1 &&
      std::ranges::all_of(layout.parts, [&](const Cut::Part& part) { return part == first; }))
    layout = {layout.repeat * static_cast<int64_t>(layout.parts.size()), {first}};
  return layout;
}

bool HasGroups(const Cut& cut, int64_t groups) {
  return cut.parts.size() == 1 && cut.parts[0].size == groups && !cut.spare && cut.halo.empty();
}

Cut BlockCyclicCut(const Cut& cut, const BlockCyclic& layout) {
  Cut out = cut;
  out.repeat *= layout.repeat;
  out.parts = layout.parts;
  for (Cut::Part& part : out.parts) part.unit *= cut.parts[0].unit;
  return out;
}

}  // namespace

BlockCyclic BlockCyclicOf(const Cut& cut, int64_t ranks) {
  return Canonical({cut.repeat, cut.parts}, ranks);
}

std::optional<BlockCyclic> BlockCyclicOfGroups(const BlockCyclic& dim,
                                               const Cut& cut,
                                               int64_t ranks) {
  const int64_t unit = cut.parts[0].unit;
  if (dim.repeat % cut.repeat != 0) return std::nullopt;
  BlockCyclic out{dim.repeat / cut.repeat, {}};
  for (const Cut::Part& part : dim.parts) {
    const int64_t things = part.size * part.unit;
    const bool even = things % unit == 0 && part.size % ranks == 0 && things / unit % ranks == 0;
    if (part.unit % unit != 0 && !even) return std::nullopt;
    out.parts.push_back(even ? Cut::Part{things / unit, 1}
                             : Cut::Part{part.size, part.unit / unit});
  }
  return Canonical(std::move(out), ranks);
}

std::optional<Factor> CutBlockCyclic(const Factor& factor, const BlockCyclic& layout) {
  if (!factor.any_order || !factor.indices.empty()) return std::nullopt;
  const int64_t groups = Cut{.repeat = layout.repeat, .parts = layout.parts}.size();
  Factor out = factor;
  out.inner = {};
  out.others.clear();
  for (std::vector<Cut>* cuts : {&out.inputs, &out.outputs})
    for (Cut& cut : *cuts) {
      if (!HasGroups(cut, groups)) return std::nullopt;
      cut = BlockCyclicCut(cut, layout);
    }
  for (LiteralCut& literal : out.literals) {
    if (literal.kind != LocalEntry::Kind::kSize || !HasGroups(literal.view, groups))
      return std::nullopt;
    literal.view = BlockCyclicCut(literal.view, layout);
  }
  return out;
}

}  // namespace metadist
