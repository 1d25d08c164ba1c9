// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/factor/rule.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace metadist {

int64_t Cut::size() const {
  if (halo.of != 0) return halo.of;
  int64_t block = 0;
  for (const Part& part : parts) block += part.size * part.unit;
  return repeat * block;
}

int64_t Factor::groups() const {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const std::vector<Cut>* cuts : {&inputs, &outputs})
    for (const Cut& cut : *cuts)
      for (const Cut::Part& part : cut.parts) least = std::min(least, part.size);
  return least;
}

const Factor* Rule::Find(std::string_view name) const {
  const auto at = std::ranges::find(factors, name, &Factor::name);
  return at == factors.end() ? nullptr : &*at;
}

Rule NoRule(std::string reason) {
  Rule rule;
  rule.text = "none";
  rule.reason = std::move(reason);
  return rule;
}

}  // namespace metadist
