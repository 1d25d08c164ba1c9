// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace metadist {

// Names of the factors that the cost formulas read, with their units and default values.

// Seconds added to every executed node, whatever its size (cpu: scheduling; gpu: launch gap).
// Default 0.
inline constexpr char kLaunchSeconds[] = "launch_seconds";
// Minimum seconds of a kernel. Default 0.
inline constexpr char kKernelFloorSeconds[] = "kernel_floor_seconds";
// Memory-bound kernels without a stream table: latency + bytes / (efficiency x memory rate).
inline constexpr char kStreamLatencySeconds[] = "stream_latency_seconds";  // 3e-6
inline constexpr char kStreamEfficiency[] = "stream_efficiency";           // 0.8
// Elements of the blocks on which fused elementwise nodes take turns. 0: nodes run one by one.
inline constexpr char kFusedBlockElements[] = "fused_block_elements";
// With more ranks than cores, a rank's kernel takes oversubscription x ranks / cores as long.
// Default 1.
inline constexpr char kOversubscription[] = "oversubscription";
// Measured slowdown of every rank's kernels while R ranks of one machine compute, as
// "slowdown_contraction.R" and "slowdown_stream.R"; these take precedence over `oversubscription`.
inline constexpr char kSlowdownContraction[] = "slowdown_contraction.";
inline constexpr char kSlowdownStream[] = "slowdown_stream.";
// Seconds from the start of a step's first rank to that of its last, with R thread ranks, as
// "step_seconds.R". Default 0.
inline constexpr char kStepSeconds[] = "step_seconds.";

// Factor by which kernels take longer while a collective runs concurrently. Default 1.2.
inline constexpr char kOverlapSlowdown[] = "overlap_slowdown";
// Device memory that no plan may use: a fixed number of bytes, default 0, and a share of the
// memory, default 0.
inline constexpr char kReserveBytes[] = "reserve_bytes";
inline constexpr char kReserveShare[] = "reserve_share";
// Share of the wire rate that an all-to-all between nodes reaches. Default 0.65.
inline constexpr char kAllToAllEfficiency[] = "all_to_all_efficiency";
// Maximum bandwidth per device (busbw of nccl-tests) of an all-reduce over more than two nodes, in
// bytes per second. Default: no maximum.
inline constexpr char kNetworkCeiling[] = "network_ceiling_bytes_per_second";
// Seconds until the first byte of a message between two nodes arrives. Default 14e-6.
inline constexpr char kNetworkLatencySeconds[] = "network_latency_seconds";
// Error band of analytic prices, as a fraction. Default 0.35.
inline constexpr char kAnalyticBand[] = "analytic_band";

// Share of the machine's core time that other programs used while it was measured. Default 0.
inline constexpr char kBusyShare[] = "busy_share";

}  // namespace metadist
