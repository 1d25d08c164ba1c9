// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metair/ir/element_type.h"
#include "profiles/cluster.h"
#include "profiles/priced.h"
#include "profiles/profile.h"

namespace metadist {

// The only cost formulas of metadist: every price comes from here.

// The work of one kernel on one device, in local shapes.
struct ComputeWork {
  std::string op;         // for profiles with rows of this operator; may be empty
  std::string call = {};  // for profiles with rows of exactly this call; may be empty
  ElementType dtype = ElementType::kF32;
  int64_t flops = 0;
  int64_t bytes = 0;  // read plus written
  // The contraction of the kernel, batch x (m x k)(k x n); all zero for other kernels.
  int64_t batch = 0;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  // Where it runs as one with other elementwise kernels (metair/spmd/fusion.h): the elements that
  // it makes, and those of `bytes` that the others neither make nor read. 0 elements: it does not.
  int64_t fused_elements = 0;
  int64_t outside_bytes = 0;
};

// Seconds of one kernel on an otherwise idle machine. Work without FLOPs and bytes costs nothing.
//
//   contraction   max(grid(m, n, k), stream(bytes)), the grid read in this order: the measured
//                 shape; linear between its neighbours; the nearest (n, k) with its utilisation;
//                 the efficiency curve over GFLOP; the roofline of the data sheet
//   fused         max(rows of `op` for a block, for each block, stream(outside_bytes)), where that
//                 is less than the kernel alone and factors.h: fused_block_elements is given
//   otherwise     rows of `op` if there are any, else max(stream(bytes), flops / vector rate)
// plus launch_seconds, and never below kernel_floor_seconds.
Priced ComputeSeconds(const Profile& profile, const ComputeWork& work);

// The same on a rank of the cluster while all other ranks do the same work: cpu ranks share cores
// and memory (factors.h: slowdown_*, oversubscription). Rows of exactly this call, measured in a
// model's program, take precedence over all of the above and include the launch.
Priced ComputeSeconds(const Cluster& cluster, const ComputeWork& work);

// Time of a step beyond its kernels and collectives: thread ranks do not leave the barrier before
// the step at the same moment (factors.h: step_seconds). Uses the measured number of ranks nearest
// to the cluster's.
Priced StepSeconds(const Cluster& cluster);

// Whether ranks can run collectives beside their kernels: GPUs do, and ranks on cpus that leave
// each other a second core.
bool CanOverlap(const Cluster& cluster);

// The devices of one collective. All groups along a mesh axis communicate at the same time.
struct Group {
  int ranks = 1;
  int nodes = 1;           // spanned by the group
  int ranks_per_node = 1;  // of the group, on its fullest node
  int concurrent = 1;      // equal groups communicating at the same time, including this one
  bool strided = false;    // members of one node are not neighbours
  bool operator==(const Group&) const = default;
};

// Describes the group of these ranks of the cluster (ascending), assuming that the whole cluster is
// divided into groups of this size.
Group GroupOf(const Cluster& cluster, const std::vector<int>& ranks);

// Seconds of one collective over the group.
//
// bytes: the larger of the local input and the local output of one rank. That is the tensor for
// an all-reduce, the gathered result for an all-gather, the input for a reduce-scatter, the local
// buffer for an all-to-all and the message for a send/receive (permute): the size column of
// nccl-tests in every case.  One rank or no bytes cost nothing.
Priced CollectiveSeconds(
    const Cluster& cluster, Collective op, const Group& group, int64_t bytes, ElementType dtype);

// Bytes that one rank receives in the collective, with the same `bytes` as above; the usual count:
// 2 (n-1)/n x bytes for an all-reduce, (n-1)/n otherwise, 1 for send/receive.
double ReceivedBytes(Collective op, int ranks, int64_t bytes);

}  // namespace metadist
