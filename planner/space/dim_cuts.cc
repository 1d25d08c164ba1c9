// SPDX-License-Identifier: Apache-2.0
#include "planner/space/dim_cuts.h"

#include <algorithm>

namespace metadist {
namespace {

// A concatenation of more parts is not worth redistributing.
constexpr int64_t kMostParts = 64;

void Push(std::vector<SubDim>& subs, int64_t size, std::vector<int> axes = {}) {
  if (size > 1 || !axes.empty()) subs.push_back({size, std::move(axes)});
}

std::optional<DimSharding> Concatenated(const AxesOnCut& on) {
  if (on.cut->repeat * static_cast<int64_t>(on.cut->parts.size()) > kMostParts) return std::nullopt;
  DimSharding dim;
  for (int64_t r = 0; r < on.cut->repeat; ++r)
    for (const Cut::Part& part : on.cut->parts) {
      DimPart next;
      Push(next.sub, part.size, on.axes);
      Push(next.sub, part.unit);
      dim.parts.push_back(std::move(next));
    }
  return dim;
}

}  // namespace

std::optional<DimSharding> ShardingOfCuts(int64_t size, std::vector<AxesOnCut> cuts) {
  if (cuts.empty()) return DimSharding{};
  for (const AxesOnCut& on : cuts) {
    if (on.cut->size() != size) return std::nullopt;
    if (cuts.size() > 1 && !on.cut->halo.empty()) return std::nullopt;
    if (on.cut->parts.size() > 1) return cuts.size() == 1 ? Concatenated(on) : std::nullopt;
  }
  std::sort(cuts.begin(), cuts.end(), [](const AxesOnCut& a, const AxesOnCut& b) {
    return a.cut->parts[0].unit > b.cut->parts[0].unit;
  });
  const Halo& halo = cuts[0].cut->halo;
  DimPart part;
  // Elements of one group of the cut placed last.
  int64_t rest = halo.of == 0 ? size : cuts[0].cut->parts[0].size * cuts[0].cut->parts[0].unit;
  for (const AxesOnCut& on : cuts) {
    const Cut::Part& inner = on.cut->parts[0];
    const int64_t span = inner.size * inner.unit;
    if (span == 0 || rest % span != 0) return std::nullopt;
    Push(part.sub, rest / span);
    Push(part.sub, inner.size, on.axes);
    rest = inner.unit;
  }
  Push(part.sub, rest);
  DimSharding out;
  out.parts.push_back(std::move(part));
  out.halo = halo;
  return out;
}

}  // namespace metadist
