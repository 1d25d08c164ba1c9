// SPDX-License-Identifier: Apache-2.0
#include "profiles/profile.h"

namespace metadist {
namespace {

// Calls visit(sample) for every row of the tables of times.
template <typename Visit>
void ForEachSample(const Profile& profile, Visit visit) {
  auto all = [&](const Series& series) {
    for (const auto& [at, sample] : series) visit(sample);
  };
  for (const auto& [key, series] : profile.contractions) all(series);
  for (const auto& [key, series] : profile.kernels) all(series);
  for (const auto& [key, series] : profile.calls) all(series);
  for (const auto& [key, series] : profile.collectives) all(series);
  for (const auto& [key, series] : profile.p2p) all(series);
  all(profile.stream);
}

}  // namespace

std::string_view Name(Collective op) {
  constexpr std::string_view kNames[] = {
      "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "send_recv"};
  return kNames[static_cast<size_t>(op)];
}

double Profile::factor(std::string_view factor_name, double absent) const {
  const auto found = factors.find(std::string(factor_name));
  return found == factors.end() ? absent : found->second.value;
}

int64_t Profile::rows() const {
  int64_t count = 0;
  ForEachSample(*this, [&](const Sample&) { ++count; });
  return count;
}

std::map<Provenance, int64_t> Profile::rows_by_class() const {
  std::map<Provenance, int64_t> counts;
  ForEachSample(*this, [&](const Sample& sample) {
    const auto origin = origins.find(sample.origin);
    if (origin != origins.end()) ++counts[origin->second.provenance];
  });
  return counts;
}

}  // namespace metadist
