// SPDX-License-Identifier: Apache-2.0
//
// Collectives between thread ranks of one machine.
//
// Problem: the ranks share cores and memory. The time of a collective depends less on the size of
// its own group than on the number of active ranks of the machine (`busy` = ranks x concurrent
// groups), and it jumps where they outnumber the cores: a barrier then costs a thread switch, 4 us
// instead of 0.2 us.
//
// Rows with exactly these (ranks, concurrent) are used first. Otherwise one group of all busy ranks
// is used in their place, because it moves about the same bytes: linear interpolation between
// measured numbers of busy ranks, but only on the same side of the number of cores; beyond the last
// measured number in proportion where cores are shared. Rows of the other side are the last choice,
// and without any rows the rate of a copy is used. Complexity: O(rows of the operation).
#include <algorithm>
#include <map>

#include "profiles/collective_rows.h"
#include "profiles/factors.h"
#include "profiles/series.h"

namespace metadist {
namespace {

// Without any rows: a barrier, and each rank reads and writes the bytes that it receives.
Reading Unmeasured(const Cluster& cluster, Collective op, const Group& group, int64_t bytes) {
  constexpr double kBarrierSeconds = 1e-6;
  constexpr double kCrowdedBarrierSeconds = 5e-6;
  const Profile& profile = *cluster.profile;
  const int busy = group.ranks * group.concurrent;
  const double rate =
      profile.factor(kStreamEfficiency, 0.8) * profile.device.memory_bytes_per_second;
  const double moved = 2 * ReceivedBytes(op, group.ranks, bytes) * busy;
  const double barrier = busy > profile.header.cores ? kCrowdedBarrierSeconds : kBarrierSeconds;
  return Analytic(barrier + moved / rate);
}

// Rows by number of busy ranks; for equal numbers, those with fewer concurrent groups.
using ByBusy = std::map<int, CollectiveRows>;

Reading Scaled(const Profile& profile, const CollectiveRows& rows, int64_t bytes, double factor) {
  Reading reading = ReadAtBytes(profile, *rows.series, bytes);
  reading.seconds *= factor;
  reading.reach = Reach::kTransferred;
  return reading;
}

// Interpolates over the busy ranks between the neighbours, or scales in proportion beyond them.
Reading ReadAtBusy(const Profile& profile, const ByBusy& rows, int busy, int64_t bytes) {
  const auto high = rows.lower_bound(busy);
  const bool crowded = busy > profile.header.cores;
  if (high != rows.end() && high->first == busy) return Scaled(profile, high->second, bytes, 1);
  if (high == rows.end() || high == rows.begin()) {
    const auto& [near, nearest] = high == rows.end() ? *rows.rbegin() : *high;
    return Scaled(profile, nearest, bytes, crowded ? static_cast<double>(busy) / near : 1);
  }
  const auto low = std::prev(high);
  const double part = static_cast<double>(busy - low->first) / (high->first - low->first);
  return Between(ReadAtBytes(profile, *low->second.series, bytes),
                 ReadAtBytes(profile, *high->second.series, bytes),
                 part);
}

}  // namespace

Priced CpuCollectiveSeconds(
    const Cluster& cluster, Collective op, const Group& group, int64_t bytes, ElementType dtype) {
  const Profile& profile = *cluster.profile;
  const int64_t cores = profile.header.cores;
  const int busy = group.ranks * group.concurrent;
  ByBusy same_side, other_side;
  auto any = [](const CollectiveKey&) { return true; };
  for (const CollectiveRows& rows : FindCollectives(profile, op, dtype, group.strided, any)) {
    const CollectiveKey& key = *rows.key;
    if (key.ranks == group.ranks && key.concurrent == group.concurrent) {
      return PriceOf(profile, Subject::kCollective, ReadAtBytes(profile, *rows.series, bytes));
    }
    const int row_busy = key.ranks * key.concurrent;
    ByBusy& side = (row_busy > cores) == (busy > cores) ? same_side : other_side;
    const auto found = side.find(row_busy);
    if (found == side.end() || found->second.key->concurrent > key.concurrent) {
      side[row_busy] = rows;
    }
  }
  if (!same_side.empty()) {
    return PriceOf(profile, Subject::kCollective, ReadAtBusy(profile, same_side, busy, bytes));
  }
  if (other_side.empty()) {
    return PriceOf(profile, Subject::kCollective, Unmeasured(cluster, op, group, bytes));
  }
  const auto& [near, nearest] = busy > cores ? *other_side.rbegin() : *other_side.begin();
  const Reading reading =
      Scaled(profile, nearest, bytes, std::max(1.0, static_cast<double>(busy) / near));
  return PriceOf(profile, Subject::kCollective, Analytic(reading.seconds));
}

}  // namespace metadist
