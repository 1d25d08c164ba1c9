// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace metadist {

// Names of the factors that the cost formulas read, with their units and what holds without them.

// Seconds added to every executed node, whatever its size (cpu: scheduling; gpu: launch gap). 0.
inline constexpr char kLaunchSeconds[] = "launch_seconds";
// No kernel takes less. 0.
inline constexpr char kKernelFloorSeconds[] = "kernel_floor_seconds";
// Memory-bound kernels without a stream table: latency + bytes / (efficiency x memory rate).
inline constexpr char kStreamLatencySeconds[] = "stream_latency_seconds";  // 3e-6
inline constexpr char kStreamEfficiency[] = "stream_efficiency";           // 0.8
// Elements of the blocks on which fused elementwise nodes take turns. 0: nodes run one by one.
inline constexpr char kFusedBlockElements[] = "fused_block_elements";
// With more ranks than cores a rank's kernel takes oversubscription x ranks / cores as long. 1.
inline constexpr char kOversubscription[] = "oversubscription";
// Measured slow-down of every rank's kernels while R ranks of one machine compute, as
// "slowdown_contraction.R" and "slowdown_stream.R"; they stand above `oversubscription`.
inline constexpr char kSlowdownContraction[] = "slowdown_contraction.";
inline constexpr char kSlowdownStream[] = "slowdown_stream.";
// Seconds from the start of a step's first rank to that of its last, with R thread ranks, as
// "step_seconds.R". 0.
inline constexpr char kStepSeconds[] = "step_seconds.";

// Kernels take this times longer while a collective runs beside them. 1.2.
inline constexpr char kOverlapSlowdown[] = "overlap_slowdown";
// Device memory that no plan may use: fixed part in bytes, 0, and share of the memory, 0.
inline constexpr char kReserveBytes[] = "reserve_bytes";
inline constexpr char kReserveShare[] = "reserve_share";
// Share of the wire rate that an all-to-all between nodes reaches. 0.65.
inline constexpr char kAllToAllEfficiency[] = "all_to_all_efficiency";
// Bandwidth per device (busbw of nccl-tests) that an all-reduce over more than two nodes cannot
// exceed, bytes per second; no ceiling.
inline constexpr char kNetworkCeiling[] = "network_ceiling_bytes_per_second";
// Seconds a message takes between two nodes before its first byte. 14e-6.
inline constexpr char kNetworkLatencySeconds[] = "network_latency_seconds";
// Error band of analytic prices, as a fraction. 0.35.
inline constexpr char kAnalyticBand[] = "analytic_band";

// Share of the time in which a machine was measured that other programs took of its cores. 0.
inline constexpr char kBusyShare[] = "busy_share";

}  // namespace metadist
