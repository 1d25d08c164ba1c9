// SPDX-License-Identifier: Apache-2.0
#include "planner/space/deal.h"

#include <algorithm>
#include <utility>

namespace metadist {
namespace {

// Bundles that every number of ranks shares evenly need not be told from single things.
Deal Canonical(Deal deal, int64_t ranks) {
  for (Cut::Part& part : deal.parts)
    if (part.size % ranks == 0) part = {part.size * part.unit, 1};
  const Cut::Part first = deal.parts[0];
  if (deal.parts.size() > 1 && std::all_of(deal.parts.begin(),
                                           deal.parts.end(),
                                           [&](const Cut::Part& part) { return part == first; }))
    deal = {deal.repeat * static_cast<int64_t>(deal.parts.size()), {first}};
  return deal;
}

bool CanDeal(const Cut& cut, int64_t groups) {
  return cut.parts.size() == 1 && cut.parts[0].size == groups && !cut.spare && cut.halo.empty();
}

Cut DealtCut(const Cut& cut, const Deal& deal) {
  Cut out = cut;
  out.repeat *= deal.repeat;
  out.parts.clear();
  for (const Cut::Part& part : deal.parts)
    out.parts.push_back({part.size, part.unit * cut.parts[0].unit});
  return out;
}

int64_t ThingsIn(const Deal& deal) {
  int64_t block = 0;
  for (const Cut::Part& part : deal.parts) block += part.size * part.unit;
  return deal.repeat * block;
}

}  // namespace

Deal DealOf(const Cut& cut, int64_t ranks) { return Canonical({cut.repeat, cut.parts}, ranks); }

std::optional<Deal> DealOfGroups(const Deal& dim, const Cut& cut, int64_t ranks) {
  const int64_t unit = cut.parts[0].unit;
  if (dim.repeat % cut.repeat != 0) return std::nullopt;
  Deal out{dim.repeat / cut.repeat, {}};
  for (const Cut::Part& part : dim.parts) {
    const int64_t things = part.size * part.unit;
    const bool even = things % unit == 0 && part.size % ranks == 0 && things / unit % ranks == 0;
    if (part.unit % unit != 0 && !even) return std::nullopt;
    out.parts.push_back(even ? Cut::Part{things / unit, 1}
                             : Cut::Part{part.size, part.unit / unit});
  }
  return Canonical(std::move(out), ranks);
}

std::optional<Factor> Dealt(const Factor& factor, const Deal& deal) {
  if (!factor.any_order || !factor.indices.empty()) return std::nullopt;
  const int64_t groups = ThingsIn(deal);
  Factor out = factor;
  out.inner = {};
  out.others.clear();
  for (std::vector<Cut>* cuts : {&out.inputs, &out.outputs})
    for (Cut& cut : *cuts) {
      if (!CanDeal(cut, groups)) return std::nullopt;
      cut = DealtCut(cut, deal);
    }
  for (LiteralCut& literal : out.literals) {
    if (literal.kind != LocalEntry::Kind::kSize || !CanDeal(literal.view, groups))
      return std::nullopt;
    literal.view = DealtCut(literal.view, deal);
  }
  return out;
}

}  // namespace metadist
