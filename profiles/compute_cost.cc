// SPDX-License-Identifier: Apache-2.0
//
// Seconds of one kernel. A contraction is priced from a grid (contraction_cost.cc); any other
// kernel is bound by memory or, rarely, by its arithmetic. Kernels that take turns on blocks
// exchange results through the cache: each is priced at its time on one block, times the number of
// blocks, but at no less than a copy of the rest. A contraction that moves more bytes than its
// operands (batched, strided) cannot be faster than a copy of those bytes, so the larger time
// counts.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <string>

#include "profiles/contraction_cost.h"
#include "profiles/cost.h"
#include "profiles/factors.h"
#include "profiles/series.h"

namespace metadist {
namespace {

// Time of a copy of these bytes: measured rows, else latency + bytes / (efficiency x memory rate).
Priced StreamSeconds(const Profile& profile, int64_t bytes) {
  if (bytes <= 0) return {};
  if (!profile.stream.empty()) {
    return PriceOf(profile, Subject::kOther, ReadAtBytes(profile, profile.stream, bytes));
  }
  const double rate =
      profile.factor(kStreamEfficiency, 0.8) * profile.device.memory_bytes_per_second;
  const double seconds =
      profile.factor(kStreamLatencySeconds, 3e-6) + static_cast<double>(bytes) / rate;
  return PriceOf(profile, Subject::kOther, Analytic(seconds));
}

// Time of FLOPs outside the matrix units; a type without a rate uses that of f32.
Priced VectorSeconds(const Profile& profile, const ComputeWork& work) {
  const auto& rates = profile.device.vector_flops_per_second;
  auto rate = rates.find(std::string(Name(work.dtype)));
  if (rate == rates.end()) rate = rates.find("f32");
  if (rate == rates.end() || work.flops <= 0) return {};
  const auto origin = profile.origins.find(profile.device.origin);
  const bool measured =
      origin != profile.origins.end() && origin->second.provenance == Provenance::kMeasured;
  return PriceOf(profile,
                 Subject::kOther,
                 {static_cast<double>(work.flops) / rate->second,
                  measured ? Provenance::kMeasured : Provenance::kAnalytic,
                  Reach::kTransferred});
}

bool IsContraction(const ComputeWork& work) { return work.m > 0 && work.n > 0 && work.k > 0; }

// A kernel that takes turns with others on blocks of elements; none where it is one block at most.
std::optional<Priced> FusedSeconds(const Profile& profile,
                                   const Series& rows,
                                   const ComputeWork& work) {
  const double block = profile.factor(kFusedBlockElements, 0);
  if (block <= 0 || static_cast<double>(work.fused_elements) <= block) return std::nullopt;
  const double blocks = static_cast<double>(work.fused_elements) / block;
  const auto bytes = static_cast<int64_t>(std::lround(static_cast<double>(work.bytes) / blocks));
  const Priced one = PriceOf(profile, Subject::kOther, ReadAtBytes(profile, rows, bytes));
  return Slower(one * blocks, StreamSeconds(profile, work.outside_bytes));
}

// Kernel time without launch and floor.
Priced KernelSeconds(const Profile& profile, const ComputeWork& work) {
  if (IsContraction(work)) {
    const Contraction shape{work.dtype, std::max<int64_t>(work.batch, 1), work.m, work.n, work.k};
    const Priced product = ContractionSeconds(profile, shape);
    // A single product reads and writes each operand once; only the extra traffic of a batch or a
    // layout is checked.
    return work.batch > 1 ? Slower(product, StreamSeconds(profile, work.bytes)) : product;
  }
  const auto rows = profile.kernels.find({work.op, std::string(Name(work.dtype))});
  if (rows != profile.kernels.end() && !rows->second.empty() && work.bytes > 0) {
    const Priced alone =
        PriceOf(profile, Subject::kOther, ReadAtBytes(profile, rows->second, work.bytes));
    const auto fused = FusedSeconds(profile, rows->second, work);
    return fused && fused->seconds < alone.seconds ? *fused : alone;
  }
  return Slower(StreamSeconds(profile, work.bytes), VectorSeconds(profile, work));
}

// Slowdown of each rank of one machine while all of them compute: interpolated linearly between the
// measured numbers of ranks, where one rank is 1; beyond them, in proportion to the ranks.
double Slowdown(const Cluster& cluster, bool contraction) {
  const Profile& profile = *cluster.profile;
  const int ranks = cluster.devices_per_node;
  if (!cluster.is_cpu() || ranks <= 1) return 1;
  const double crowding = ranks / static_cast<double>(profile.header.cores);
  std::map<int, double> measured = {{1, 1.0}};
  const std::string prefix = contraction ? kSlowdownContraction : kSlowdownStream;
  for (auto row = profile.factors.lower_bound(prefix);
       row != profile.factors.end() && row->first.starts_with(prefix);
       ++row) {
    measured[std::atoi(row->first.c_str() + prefix.size())] = row->second.value;
  }
  if (measured.size() == 1) return std::max(1.0, profile.factor(kOversubscription, 1) * crowding);
  const auto high = measured.lower_bound(ranks);
  if (high == measured.end()) {
    const auto& [last_ranks, last] = *measured.rbegin();
    return crowding > 1 ? last * ranks / last_ranks : last;
  }
  const auto low = high->first == ranks ? high : std::prev(high);
  const double span = std::max(1, high->first - low->first);
  return low->second + (ranks - low->first) / span * (high->second - low->second);
}

// The row measured for exactly this call, with the same number of active ranks or the nearest
// smaller one.
std::optional<Priced> CallSeconds(const Cluster& cluster, const ComputeWork& work) {
  const Profile& profile = *cluster.profile;
  const auto rows = profile.calls.find(work.call);
  if (work.call.empty() || rows == profile.calls.end() || rows->second.empty()) return {};
  const int ranks = cluster.devices_per_node;
  auto row = rows->second.upper_bound(ranks);
  if (row != rows->second.begin()) row = std::prev(row);
  Reading reading = ReadRow(profile, row->second);
  double factor = 1;
  if (cluster.is_cpu() && ranks > profile.header.cores) {
    factor = std::ceil(static_cast<double>(ranks) / static_cast<double>(profile.header.cores));
  } else if (row->first != ranks) {
    factor = Slowdown(cluster, IsContraction(work));
  }
  if (row->first != ranks) reading.reach = Reach::kTransferred;
  return PriceOf(profile, Subject::kOther, reading) * factor;
}

}  // namespace

bool CanOverlap(const Cluster& cluster) {
  return !cluster.is_cpu() || 2 * cluster.devices_per_node <= cluster.profile->header.cores;
}

Priced ComputeSeconds(const Profile& profile, const ComputeWork& work) {
  if (work.flops <= 0 && work.bytes <= 0) return {};
  Priced price = KernelSeconds(profile, work);
  if (price.seconds <= 0) price = MakePriced(1e-9, Provenance::kAnalytic, Reach::kTransferred, 1);
  const double wanted = std::max(price.seconds + profile.factor(kLaunchSeconds, 0),
                                 profile.factor(kKernelFloorSeconds, 0));
  return price * (wanted / price.seconds);
}

Priced ComputeSeconds(const Cluster& cluster, const ComputeWork& work) {
  if (const auto measured = CallSeconds(cluster, work)) return *measured;
  return ComputeSeconds(*cluster.profile, work) * Slowdown(cluster, IsContraction(work));
}

}  // namespace metadist
