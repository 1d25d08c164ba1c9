// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "profiles/collective_rows.h"
#include "profiles/nccl_model.h"

namespace metadist {

// Up to this size the time of a collective is latency only.
inline constexpr int64_t kSmallBytes = 32 << 10;

// The group that the rows of this key were measured on.
Group GroupFor(const CollectiveKey& key);

// Seconds of one operation by a formula fitted to the available rows (gpu_collective_model.cc).
// profile: must outlive the object.
class GpuCollectiveModel {
 public:
  GpuCollectiveModel(const Profile& profile, Collective op, ElementType dtype, bool strided)
      : profile_(profile), op_(op), dtype_(dtype), strided_(strided) {}

  // The model with both parts fitted to the nearest rows, in seconds.
  double FittedSeconds(const Group& group, int64_t bytes) const;
  // The model without a fit, or with the given one.
  NcclTime Seconds(const Group& group, int64_t bytes, const NcclFit& fit = {}) const;
  // Rows of one node with this number of ranks, or null.
  const Series* Inside(Collective op, int ranks) const;

 private:
  // The fit to the rows of this operation; nothing if it has no rows on as many nodes (one or
  // several).
  std::optional<NcclFit> FitFor(const Group& group, int64_t bytes) const;
  NcclTime AllToAll(const Group& group, int64_t bytes) const;
  NcclTime Send(const Group& group, int64_t bytes) const;
  // Ratio of the rows up to kSmallBytes to the model's latency: the median.
  double LatencyFit(const CollectiveRows& rows) const;
  // Ratio of large rows to the model's transfer time at that size: linear in log2(bytes).
  double TransferFit(const CollectiveRows& rows, double latency_fit, int64_t bytes) const;
  // Payload GB/s of a collective inside one node, from its rows or else from the link rate.
  double InsideRate(Collective op, int ranks) const;
  double wire_rate() const;

  const Profile& profile_;
  const Collective op_;
  const ElementType dtype_;
  const bool strided_;
};

}  // namespace metadist
