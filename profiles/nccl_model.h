// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "profiles/profile.h"

namespace metadist {

enum class NcclGeneration { kVolta, kAmpere, kHopper, kBlackwell };

// The hardware of a communicator. Bandwidths in GB/s (1e9 bytes) in one direction.
struct NcclFabric {
  NcclGeneration generation = NcclGeneration::kHopper;
  bool link = true;  // NVLink inside the node; else PCI
  int ranks = 2;
  int nodes = 1;
  double inside_bus = 0;  // ring through one node, all channels
  double wire_bus = 0;    // all network cards that the group has in one node; 0 on one node
  // Payload rate of the tree of an all-reduce over two nodes, every card carrying its part once; 0:
  // none
  double pair_rate = 0;
};

// The two parts of a collective's time, in us; each is fitted on its own.
struct NcclTime {
  double latency_us = 0;
  double transfer_us = 0;
  double total_us() const { return latency_us + transfer_us; }
};

// Factors fitted to measured rows.
struct NcclFit {
  double latency = 1;
  double transfer = 1;
};

// Time that NCCL's own tuner expects of its best algorithm and protocol (explained in
// nccl_model.cc). The best one is chosen by the fitted times, which are returned. op: all-reduce,
// all-gather or reduce-scatter.  bytes: as in CollectiveSeconds.
NcclTime NcclSeconds(const NcclFabric& fabric,
                     Collective op,
                     int64_t bytes,
                     const NcclFit& fit = {});

// The generation of a device according to the rate of its links.
NcclGeneration GenerationOf(double link_bytes_per_second);

}  // namespace metadist
