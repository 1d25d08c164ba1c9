// SPDX-License-Identifier: Apache-2.0
// Finds integers of the call that count from the end of a dim, or are a multiple of its size.
//
// x[2:7] of 8 rows and x[2:-1] are the same call, but in the former discovery sees a dim of
// arbitrary size and an end that is not the size of anything: more rows change nothing. Counted
// from the end of the dim it is a window like any other. So two slots may be coupled if increasing
// the dim does not change the outputs, and decreasing the integer makes the corresponding dim of an
// output shorter: both then grow by the same amount, and the output with them. The size to which an
// image is resized is handled in the same way: if it is a multiple of the image's size, the ratio
// is kept. The call is discovered once more under this coupling, but only if no factor cuts the dim
// otherwise.
//
// Cost: some 5 inferences for each pair of an integer and a dim.
#include "planner/rules/search/following.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "planner/rules/probe/family.h"

namespace metadist {
namespace {

using Shapes = std::vector<Shape>;

constexpr int64_t kLargestStep = 64;

// Recipes that join results of pieces do not count: pieces that need no joining are better.
bool CutsDim(const Rule& rule, const Slot& dim) {
  return std::ranges::any_of(rule.factors, [&](const Factor& factor) {
    return factor.inner.recipe.empty() && std::ranges::any_of(factor.inputs, [&](const Cut& cut) {
             return cut.tensor == dim.input && cut.dim == dim.entry;
           });
  });
}

// The output shapes with these slots increased by the given amounts.
std::optional<Shapes> Grown(BlackBox& box, const std::vector<std::pair<int, int64_t>>& slots) {
  std::vector<int64_t> values = box.values();
  for (const auto& [slot, more] : slots) values[static_cast<size_t>(slot)] += more;
  Shapes shapes;
  if (!box.Infer(values, shapes)) return std::nullopt;
  return shapes;
}

// Whether dim `dim` of the outputs that change, and nothing else, grows by `more`.
bool Grows(const Shapes& from, const std::optional<Shapes>& to, int dim, int64_t more) {
  const auto changed = to ? ChangedDims(from, *to) : std::nullopt;
  return changed && !changed->empty() && std::ranges::all_of(*changed, [&](const OutDim& at) {
           return at.dim == dim && at.In(*to) - at.In(from) == more;
         });
}

// Whether the output changes with the literal alone and not with the dim alone, and grows in
// proportion when `step` is added to the dim and to the literal (`times` as much, if that is not
// 0).
bool Follows(BlackBox& box, const Shapes& now, const BlackBox::Following& how) {
  const int at = box.slot(how.dim).entry;
  const int64_t unit = std::max<int64_t>(how.times, 1);
  const auto with = [&](int64_t more) {
    const int64_t by = how.step * more;
    return Grows(now, Grown(box, {{how.literal, unit * by}, {how.dim, by}}), at, unit * more);
  };
  return Grown(box, {{how.dim, 1}}) == now && Grown(box, {{how.dim, 3}}) == now &&
         Grows(now, Grown(box, {{how.literal, -how.step}}), at, -1) && with(1) && with(3);
}

// Candidates for steps: integers of the call.
std::set<int64_t> StepsOf(const BlackBox& box) {
  std::set<int64_t> steps = box.LiteralsUpTo(kLargestStep, box.values());
  steps.insert(1);
  return steps;
}

std::optional<BlackBox::Following> HowFollows(BlackBox& box,
                                              const Shapes& now,
                                              int literal,
                                              int dim) {
  const int64_t size = box.value(dim);
  const int64_t value = box.value(literal);
  const int64_t times = value / size;
  const BlackBox::Following ratio{literal, dim, times};
  if (times > 1 && times * size == value && Follows(box, now, ratio)) return ratio;
  for (const int64_t step : StepsOf(box)) {
    const BlackBox::Following apart{literal, dim, 0, step};
    if (Follows(box, now, apart)) return apart;
  }
  return std::nullopt;
}

}  // namespace

std::vector<BlackBox::Following> FollowingOf(BlackBox& box, const Rule& rule) {
  std::vector<BlackBox::Following> found;
  const size_t first = box.first_literal();
  Shapes now;
  if (first == box.slots().size() || !box.Infer(box.values(), now)) return found;
  for (size_t d = 0; d < first; ++d) {
    const Slot& dim = box.slots()[d];
    if (!box.scalable(static_cast<int>(d)) || CutsDim(rule, dim)) continue;
    for (size_t l = first; l < box.slots().size(); ++l) {
      const bool listed = box.slots()[l].input >= 0 && box.scalable(static_cast<int>(l));
      if (!listed) continue;
      const auto how = HowFollows(box, now, static_cast<int>(l), static_cast<int>(d));
      if (!how) continue;
      found.push_back(*how);
      break;
    }
  }
  return found;
}

}  // namespace metadist
