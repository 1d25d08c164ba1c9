// SPDX-License-Identifier: Apache-2.0
// Finds the bound of an index whose legal values are not stated.
//
// An operator may come with a kernel and shapes alone. A kernel checks bounds, so its rejections
// reveal them: an input is filled with one integer, and the least rejected one is found by
// bisection. The sizes of which the bound is a product are found by scaling each size: if three
// times the size gives three times the bound, it is a factor. A bound that is one size, and the
// size of a dim of another input, is an index into that dim, with all that follows from it
// (offset_trials); any other bound (an index into a flattened plane) is a range.
//
// A bound that is not a product of sizes is not supported: the kernel keeps rejecting such values,
// and discovery reports this.
//
// Cost: one run for every integer input without stated values; for an input with a bound some 40,
// and up to 4 for every independent size.
#include "planner/rules/probe/overrun.h"

#include <algorithm>

namespace metadist {
namespace {

// Larger than any dim of a small call.
constexpr int64_t kFar = int64_t{1} << 40;
constexpr int64_t kScale = 3;

}  // namespace

bool Overrun::Accepts(std::span<const int64_t> values, int input, int64_t value) {
  std::vector<Tensor> inputs, outputs;
  if (!sampler_.Draw(values, InputMode::kNormal, {}, inputs)) return false;
  for (const int other : unstated_) {
    Tensor& x = inputs[static_cast<size_t>(other)];
    x = Tensor::Zeros(x.type());
    if (other == input) std::fill_n(x.mutable_data<int64_t>(), x.size(), value);
  }
  return box_.Try(values, inputs, outputs);
}

bool Overrun::EndsAt(std::span<const int64_t> values, int input, int64_t count) {
  return Accepts(values, input, count - 1) && !Accepts(values, input, count);
}

int64_t Overrun::CountOf(int input) {
  int64_t taken = -1;
  int64_t refused = 1;
  for (; refused < kFar && Accepts(box_.values(), input, refused - 1); refused *= 2)
    taken = refused - 1;
  int64_t end = refused - 1;
  while (end - taken > 1) {
    const int64_t middle = taken + (end - taken) / 2;
    (Accepts(box_.values(), input, middle) ? taken : end) = middle;
  }
  return end;
}

std::optional<FoundDomain> Overrun::DomainOf(int input) {
  FoundDomain found{input, CountOf(input)};
  if (found.count < 2) return std::nullopt;
  found.negative_ok = Accepts(box_.values(), input, -found.count) &&
                      !Accepts(box_.values(), input, -found.count - 1);
  if (!found.negative_ok && Accepts(box_.values(), input, -1)) return std::nullopt;
  for (const CoupledSizes::Slots& set : coupled_.sets()) {
    std::vector<int64_t> values = box_.values();
    for (const int slot : set) values[static_cast<size_t>(slot)] *= kScale;
    if (EndsAt(values, input, found.count)) continue;
    if (!EndsAt(values, input, kScale * found.count)) return std::nullopt;
    found.grows.push_back({set.front(), box_.value(set.front())});
    for (const int slot : set) {
      const Slot& at = box_.slot(slot);
      if (at.is_dim && at.input != input && !found.bound && box_.value(slot) == found.count)
        found.bound = InputDomain::Bound{at.input, at.entry};
    }
  }
  if (found.grows.size() != 1) found.bound.reset();
  return found;
}

void Overrun::Run() {
  const std::vector<InputDomain> domains = box_.DomainsOf(box_.values());
  for (size_t i = 0; i < box_.num_inputs(); ++i)
    if (box_.is_tensor(i) && box_.element_class(i) == ElementClass::kInt &&
        domains[i].kind == InputDomain::Kind::kAny)
      unstated_.push_back(static_cast<int>(i));
  std::vector<FoundDomain> all;
  for (const int input : unstated_) {
    if (Accepts(box_.values(), input, kFar)) continue;
    if (auto found = DomainOf(input)) all.push_back(std::move(*found));
  }
  for (FoundDomain& found : all) box_.AddDomain(std::move(found));
}

}  // namespace metadist
